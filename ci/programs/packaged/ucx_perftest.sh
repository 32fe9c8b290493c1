#!/bin/busybox sh
# not on: debian-sid  its UCX finds no rxe
# finds:
# says: atomic compare-and-swap
export UCX_IB_GID_INDEX=1
status=0
for test in "am_lat -D bcopy -s 1024" "am_bw -D zcopy -s 4096" "put_bw -D zcopy -s 65536" \
    "get -D zcopy -s 65536" "fadd -s 8" "cswap -s 8"; do
    ucx_perftest -d rxe0:1 -x rc_verbs -n 50 -w 5 -t $test &
    sleep 2
    ucx_perftest -d rxe0:1 -x rc_verbs -n 50 -w 5 -t $test 10.9.9.1 || status=1
    wait || status=1
done
exit $status
