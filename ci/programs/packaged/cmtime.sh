#!/bin/busybox sh
# Twenty connections; the server is one to be killed.
# not on: debian-sid  that of rdma-core 65 has other options
# finds:
# says: disconnect
cmtime &
server=$!
sleep 2
cmtime -c 20 -s 10.9.9.1
status=$?
kill $server
exit $status
