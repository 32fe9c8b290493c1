#!/bin/busybox sh
# finds:
# says: all sums are right
mkdir -p /tmp/gloo
gloo_allreduce /tmp/gloo 0 &
gloo_allreduce /tmp/gloo 1
status=$?
wait && exit $status
