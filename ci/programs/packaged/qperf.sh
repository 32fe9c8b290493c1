#!/bin/busybox sh
# It deallocates its PD before the region, is refused, and leaves it, once a test and end.
# finds: dealloc_pd.pd_unused exit.PD_left
# says: ver_rc_compare_swap:
qperf &
sleep 2
qperf 10.9.9.1 -cm 1 -no_msgs 100 rc_lat rc_bw rc_rdma_write_bw rc_rdma_read_lat ver_rc_compare_swap
status=$?
qperf 10.9.9.1 quit
wait && exit $status
