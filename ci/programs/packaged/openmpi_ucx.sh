#!/bin/busybox sh
# Open MPI over UCX's rc_verbs. UCX's connections begin over UD, where it does not find its own GID
# in what rxe writes before a datagram: without UCX_UD_ETH_DGID_CHECK it drops all of them.
# not on: debian-sid  Open MPI 6 starts /usr/bin/prterun
# finds:
# says: 16387 bytes
hostname here
echo 10.9.9.1 localhost here >/etc/hosts
mkdir -p /dev/shm /root
export TMPDIR=/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mca_base_component_path=/programs/lib/openmpi3 OMPI_MCA_plm=isolated
export OMPI_MCA_pml=ucx OMPI_MCA_btl=self
export OMPI_MCA_opal_common_ucx_devices=any OMPI_MCA_opal_common_ucx_tls=any
export UCX_NET_DEVICES=rxe0:1 UCX_TLS=rc_verbs,ud_verbs,self UCX_IB_GID_INDEX=1
export UCX_UD_ETH_DGID_CHECK=n
mpirun.openmpi -np 2 --oversubscribe NPopenmpi -u 16384 -n 3
