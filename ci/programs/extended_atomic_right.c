/* finds: atomic_fetch_and_add.remote_right */
#define EXTENDED
#include "atomic_right.c"
