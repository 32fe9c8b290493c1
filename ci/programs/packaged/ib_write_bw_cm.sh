#!/bin/busybox sh
# librdmacm frees its PD with the last rdma_cm_id; each end keeps one to its end.
# finds: exit.PD_left exit.PD_left
# says: #bytes
ib_write_bw -F -R -n 20 -s 4096 &
sleep 2
ib_write_bw -F -R -n 20 -s 4096 10.9.9.1
status=$?
wait && exit $status
