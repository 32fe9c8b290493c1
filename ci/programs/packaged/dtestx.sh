#!/bin/busybox sh
# Atomic operations, and writes with immediate data. Its server tells where it listens before it
# does: a client that is quicker is turned away, and the server then waits for ever.
# finds:
# says: immed/atomic test PASSED
echo 'rxe u2.0 nonthreadsafe default libdaplofa.so.2 dapl.2.0 "eth0 0" ""' >/etc/dat.conf
for try in 1 2 3; do
    timeout -s KILL 15 dtestx -P rxe &
    server=$!
    sleep 2
    timeout -s KILL 15 dtestx -P rxe -h 10.9.9.1 && wait $server && exit 0
    wait $server
done
exit 1
