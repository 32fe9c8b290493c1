#!/bin/busybox sh
# It deallocates its PD before the region, is refused, and leaves it, once a test and end.
# finds: dealloc_pd.pd_unused exit.PD_left
# says: ver_rc_compare_swap:
qperf &
sleep 2
qperf 10.9.9.1 -cm 1 -t 1 -to 30 rc_lat rc_rdma_write_bw rc_rdma_read_lat ver_rc_compare_swap
status=$?
qperf 10.9.9.1 quit
wait && exit $status
