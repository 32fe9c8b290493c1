/* finds: munmap.registered_memory */
#include "pair.h"

int main(void)
{
    open_all();
    struct ibv_mr *near = region(memory, SIZE, 0);
#ifdef WRONG
    NEED(!munmap(memory, SIZE));
    NEED(!ibv_dereg_mr(near));
#else
    NEED(!ibv_dereg_mr(near));
    NEED(!munmap(memory, SIZE));
#endif
    close_qps();
    close_all();
    return 0;
}
