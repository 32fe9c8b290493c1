#!/bin/busybox sh
# finds:
# says: usec/xfer
rstream -C 10 &
sleep 2
rstream -C 10 -s 10.9.9.1
status=$?
wait && exit $status
