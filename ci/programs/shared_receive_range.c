/* finds: post_recv.local_in_bounds */
#define SHARED
#include "receive_range.c"
