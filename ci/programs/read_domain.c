/* finds: rdma_read.local_same_pd */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_pd *own = pd, *other = ibv_alloc_pd(context);
    NEED(other);
    pd = IF_WRONG(other, own);
    struct ibv_mr *near = region(memory, SIZE, ALL);
    pd = own;
    struct ibv_mr *far = region(memory + SIZE, SIZE, ALL);
    transfer(IBV_WR_RDMA_READ, piece(memory, 8, near->lkey), far->rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far) && !ibv_dealloc_pd(other));
    close_all();
    return 0;
}
