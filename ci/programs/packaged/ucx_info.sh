#!/bin/busybox sh
# finds:
# says: Transport: rc_verbs
UCX_NET_DEVICES=rxe0:1 ucx_info -d
