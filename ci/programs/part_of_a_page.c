/* finds: rdma_write.local_in_bounds */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, IF_WRONG(100, 128), ALL);
    struct ibv_mr *far = region(memory + SIZE, SIZE, ALL);
    transfer(IBV_WR_RDMA_WRITE, piece(memory, 128, near->lkey), far->rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
