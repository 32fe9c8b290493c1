#!/bin/busybox sh
# finds:
# says: rdma_client: end 0
rdma_server &
sleep 2
rdma_client -s 10.9.9.1
status=$?
wait && exit $status
