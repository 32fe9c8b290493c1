/* finds: rdma_read.local_write_right */
#define EXTENDED
#include "read_to_constant.c"
