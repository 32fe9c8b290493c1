#!/bin/busybox sh
# Posts by ibv_wr_*().
# finds:
# says: 50 iters in
ibv_rc_pingpong -N -g 1 -n 50 &
sleep 2
ibv_rc_pingpong -N -g 1 -n 50 10.9.9.1
status=$?
wait && exit $status
