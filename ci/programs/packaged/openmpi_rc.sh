#!/bin/busybox sh
# Open MPI over libfabric's messages, RC. rxe has no completion queue for 256 processes.
# finds: exit.PD_left
# says: 65539 bytes
hostname here
echo 10.9.9.1 localhost here >/etc/hosts
mkdir -p /dev/shm /root
export TMPDIR=/tmp OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mca_base_component_path=/programs/lib/openmpi3 OMPI_MCA_plm=isolated
export OMPI_MCA_pml=cm OMPI_MCA_mtl=ofi OMPI_MCA_btl=self
export OMPI_MCA_mtl_ofi_provider_include='verbs;ofi_rxm'
export FI_UNIVERSE_SIZE=16
mpirun.openmpi -np 2 --oversubscribe NPopenmpi -u 65536 -n 3
