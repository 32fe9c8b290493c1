/* finds: rdma_read.memory_kept */
/* with: --guard */
#define OPCODE IBV_WR_RDMA_READ
#include "write_memory_changed.c"
