#!/bin/busybox sh
# finds:
# says: Total RDMA Read
echo 'rxe u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 "eth0 0" ""' >/etc/dat.conf
dapltest -T S -D rxe &
sleep 2
dapltest -T T -D rxe -s 10.9.9.1 -i 20 -t 2 -w 2 client SR 256 1 server SR 256 1 \
    client RW 4096 1 server RR 4096 1
status=$?
dapltest -T Q -D rxe -s 10.9.9.1
wait && exit $status
