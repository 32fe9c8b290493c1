#!/bin/busybox sh
# finds:
# says: #bytes
ib_write_bw -F -x 1 -n 20 -c UC -s 4096 &
sleep 2
ib_write_bw -F -x 1 -n 20 -c UC -s 4096 10.9.9.1
status=$?
wait && exit $status
