#!/bin/busybox sh
# Open MPI over libfabric's reliable datagrams.
# not on: debian-sid  Open MPI 6 starts /usr/bin/prterun
# finds:
# says: 4099 bytes
hostname here
echo 10.9.9.1 localhost here >/etc/hosts
mkdir -p /dev/shm /root
export TMPDIR=/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mca_base_component_path=/programs/lib/openmpi3 OMPI_MCA_plm=isolated
export OMPI_MCA_pml=cm OMPI_MCA_mtl=ofi OMPI_MCA_btl=self
export OMPI_MCA_mtl_ofi_provider_include='verbs;ofi_rxd'
mpirun.openmpi -np 2 --oversubscribe NPopenmpi -u 4096 -n 3
