#!/bin/busybox sh
# finds:
# says: return status 0
udaddy &
sleep 2
udaddy -s 10.9.9.1
status=$?
wait && exit $status
