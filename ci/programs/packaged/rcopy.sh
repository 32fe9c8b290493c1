#!/bin/busybox sh
# The server is one to be killed.
# finds:
# says: bytes in
rcopy >/dev/null &
server=$!
sleep 2
rcopy /bin/busybox 10.9.9.1:/tmp/copied
sleep 1
kill $server
cmp /bin/busybox /tmp/copied
