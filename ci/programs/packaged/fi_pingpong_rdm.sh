#!/bin/busybox sh
# libfabric's reliable datagrams over UD.
# finds:
# says: usec/xfer
echo 10.9.9.1 localhost >/etc/hosts
fi_pingpong -p 'verbs;ofi_rxd' -e rdm -I 20 -S 4096 &
sleep 2
fi_pingpong -p 'verbs;ofi_rxd' -e rdm -I 20 -S 4096 10.9.9.1
status=$?
wait && exit $status
