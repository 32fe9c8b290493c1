#!/bin/busybox sh
# finds:
# says: end 0
rdma_xserver -c r &
sleep 2
rdma_xclient -c r -s 10.9.9.1
status=$?
wait && exit $status
