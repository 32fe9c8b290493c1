/* finds: rdma_read.memory_unmapped */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
#ifdef WRONG
    NEED(!munmap(memory, SIZE));
#endif
    transfer(IBV_WR_RDMA_READ, piece(memory, 8, near->lkey), far->rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far) && !munmap(memory, 2 * SIZE));
    close_all();
    return 0;
}
