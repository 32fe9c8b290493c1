#!/bin/busybox sh
# finds:
# says: #bytes
ib_read_lat -F -x 1 -n 20 -s 4096 &
sleep 2
ib_read_lat -F -x 1 -n 20 -s 4096 10.9.9.1
status=$?
wait && exit $status
