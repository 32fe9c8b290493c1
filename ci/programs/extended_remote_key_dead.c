/* finds: rdma_write.remote_key_live */
#define EXTENDED
#include "remote_key_dead.c"
