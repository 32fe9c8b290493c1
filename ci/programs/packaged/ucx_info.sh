#!/bin/busybox sh
# not on: debian-sid  its UCX finds no rxe
# finds:
# says: Transport: rc_verbs
UCX_NET_DEVICES=rxe0:1 ucx_info -d
