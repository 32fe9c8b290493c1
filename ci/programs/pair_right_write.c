/* finds: rdma_write.pair_accepts */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(IF_WRONG(IBV_ACCESS_REMOTE_READ, ALL));
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    transfer(IBV_WR_RDMA_WRITE, piece(memory, 8, near->lkey), far->rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
