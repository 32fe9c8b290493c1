#!/bin/busybox sh
# finds:
# says: 20 iters in
ibv_rc_pingpong -e -g 1 -n 20 &
sleep 2
ibv_rc_pingpong -e -g 1 -n 20 10.9.9.1
status=$?
wait && exit $status
