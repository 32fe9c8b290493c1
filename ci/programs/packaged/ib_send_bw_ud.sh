#!/bin/busybox sh
# finds:
# says: #bytes
ib_send_bw -F -x 1 -n 20 -c UD -s 512 &
sleep 2
ib_send_bw -F -x 1 -n 20 -c UD -s 512 10.9.9.1
status=$?
wait && exit $status
