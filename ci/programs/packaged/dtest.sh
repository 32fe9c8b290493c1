#!/bin/busybox sh
# finds:
# says: PASSED
echo 'rxe u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 "eth0 0" ""' >/etc/dat.conf
dtest -P rxe -b 4096 &
sleep 2
dtest -P rxe -b 4096 -h 10.9.9.1
status=$?
wait && exit $status
