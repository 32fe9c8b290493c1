#!/bin/busybox sh
# finds:
# says: DISCONNECT EVENT
rping -s -C 5 -a 10.9.9.1 &
sleep 2
rping -c -C 5 -a 10.9.9.1
status=$?
wait && exit $status
