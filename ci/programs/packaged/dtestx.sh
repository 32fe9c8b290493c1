#!/bin/busybox sh
# Atomic operations, and writes with immediate data.
# finds:
# says: immed/atomic test PASSED
echo 'rxe u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 "eth0 0" ""' >/etc/dat.conf
dtestx -P rxe &
sleep 2
dtestx -P rxe -h 10.9.9.1
status=$?
wait && exit $status
