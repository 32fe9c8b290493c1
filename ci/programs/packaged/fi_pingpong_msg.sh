#!/bin/busybox sh
# libfabric over RC; it asks for the address of localhost.
# finds:
# says: usec/xfer
echo 10.9.9.1 localhost >/etc/hosts
fi_pingpong -p verbs -e msg -I 20 -S 4096 &
sleep 2
fi_pingpong -p verbs -e msg -I 20 -S 4096 10.9.9.1
status=$?
wait && exit $status
