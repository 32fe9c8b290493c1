#!/bin/busybox sh
# Multicast.
# finds:
# says: return status 0
mckey -m 239.1.1.1 -b 10.9.9.1 -C 5 &
sleep 2
mckey -m 239.1.1.1 -s -b 10.9.9.1 -C 5
status=$?
wait && exit $status
