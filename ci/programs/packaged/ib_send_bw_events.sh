#!/bin/busybox sh
# finds:
# says: #bytes
ib_send_bw -F -x 1 -n 20 -e -b -s 4096 &
sleep 2
ib_send_bw -F -x 1 -n 20 -e -b -s 4096 10.9.9.1
status=$?
wait && exit $status
