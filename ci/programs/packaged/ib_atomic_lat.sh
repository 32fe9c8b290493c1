#!/bin/busybox sh
# One end of perftest 4.5 destroys nothing; with 25.01 nothing is left.
# finds on debian-sid:
# finds: exit.queue_pair_left exit.region_left exit.PD_left
# says: #bytes
ib_atomic_lat -F -x 1 -n 20 &
sleep 2
ib_atomic_lat -F -x 1 -n 20 10.9.9.1
status=$?
wait && exit $status
