/* finds: post_send.qp_ready */
#include "pair.h"

int main(void)
{
    open_all();
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
#ifdef WRONG
    modify(qp[0], IBV_QPS_INIT, qp[1], 0);
#else
    connect_pair(ALL);
#endif
    transfer(IBV_WR_RDMA_WRITE, piece(memory, 8, near->lkey), far->rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
