#!/bin/busybox sh
# finds:
# says: usec/xfer
riostream -C 10 &
sleep 2
riostream -C 10 -s 10.9.9.1
status=$?
wait && exit $status
