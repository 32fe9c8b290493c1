#!/bin/busybox sh
# Multicast.
# not on: debian-sid  its server waits for ever, without the library, too
# finds:
# says: return status 0
mckey -m 239.1.1.1 -b 10.9.9.1 -C 5 &
sleep 2
mckey -m 239.1.1.1 -s -b 10.9.9.1 -C 5
status=$?
wait && exit $status
