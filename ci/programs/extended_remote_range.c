/* finds: rdma_write.remote_in_bounds */
#define EXTENDED
#include "remote_range.c"
