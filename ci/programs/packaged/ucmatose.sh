#!/bin/busybox sh
# finds:
# says: return status 0
ucmatose &
sleep 2
ucmatose -s 10.9.9.1
status=$?
wait && exit $status
