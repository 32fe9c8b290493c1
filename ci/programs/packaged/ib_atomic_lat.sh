#!/bin/busybox sh
# The server's end destroys nothing.
# finds: exit.queue_pair_left exit.region_left exit.PD_left
# says: #bytes
ib_atomic_lat -F -x 1 -n 20 &
sleep 2
ib_atomic_lat -F -x 1 -n 20 10.9.9.1
status=$?
wait && exit $status
