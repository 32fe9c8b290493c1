/* finds: rdma_read.remote_key_live */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    struct ibv_mr *other = region(memory + SIZE, SIZE, ALL);
    uint32_t rkey = IF_WRONG(other, far)->rkey;
    NEED(!ibv_dereg_mr(other));
    transfer(IBV_WR_RDMA_READ, piece(memory, 8, near->lkey), rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
