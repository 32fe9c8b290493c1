/* finds: rdma_write.local_key_live */
/* not on: debian-sid  its driver says no more than that it was flushed */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    transfer(IBV_WR_RDMA_WRITE, piece(memory, 8, IF_WRONG(0, near->lkey)), far->rkey,
             memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
