#!/bin/busybox sh
# Its server destroys a PD before what belongs to it, is refused, and keeps it. It also tells its
# port before it listens there (mended in qperf's sources in 2018, not in Debian): the client, which
# that wakes, is not to come between.
# finds: dealloc_pd.pd_unused exit.PD_left
# says: msg_rate
busybox mount -t debugfs none /sys/kernel/debug 2>/dev/null
features=/sys/kernel/debug/sched/features
echo NO_WAKEUP_PREEMPTION > $features
qperf &
sleep 2
qperf -t 1 -cm 1 10.9.9.1 rc_rdma_write_lat rc_fetch_add_mr quit
status=$?
wait
echo WAKEUP_PREEMPTION > $features
exit $status
