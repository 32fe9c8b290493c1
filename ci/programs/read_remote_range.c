/* finds: rdma_read.remote_in_bounds */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    transfer(IBV_WR_RDMA_READ, piece(memory, 64, near->lkey), far->rkey,
             memory + SIZE - IF_WRONG(1, 0));
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
