/* finds: post_recv.local_write_right */
#define SHARED
#include "receive_to_constant.c"
