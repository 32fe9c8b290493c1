/* finds: rdma_write.memory_unmapped */
/* with: --guard */
#include "pair.h"

#define LARGE (1 << 20) /* free() unmaps so much, which nobody sees */

int main(void)
{
    char *large = malloc(LARGE);
    const uintptr_t inside = ((uintptr_t)large + 2 * SIZE) & -(uintptr_t)SIZE;
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(large, LARGE, ALL), *far = region(memory + SIZE, SIZE, ALL);
#ifdef WRONG
    free(large);
#endif
    transfer(IBV_WR_RDMA_WRITE, piece((void *)inside, SIZE, near->lkey), far->rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
#ifndef WRONG
    free(large);
#endif
    close_all();
    return 0;
}
