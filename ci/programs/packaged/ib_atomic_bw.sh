#!/bin/busybox sh
# finds:
# says: #bytes
ib_atomic_bw -F -x 1 -n 20  &
sleep 2
ib_atomic_bw -F -x 1 -n 20  10.9.9.1
status=$?
wait && exit $status
