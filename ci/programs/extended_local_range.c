/* finds: rdma_write.local_in_bounds */
#define EXTENDED
#include "local_range.c"
