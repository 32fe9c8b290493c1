/* finds: rdma_write.remote_key_live */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    transfer(IBV_WR_RDMA_WRITE, piece(memory, 8, near->lkey), far->rkey ^ IF_WRONG(0x55500, 0),
             memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
