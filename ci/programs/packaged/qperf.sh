#!/bin/busybox sh
# Its server destroys a PD before what belongs to it, is refused, and keeps it.
# finds: dealloc_pd.pd_unused exit.PD_left
# says: msg_rate
qperf &
sleep 2
qperf -t 1 -cm 1 10.9.9.1 rc_rdma_write_lat rc_fetch_add_mr quit
status=$?
wait && exit $status
