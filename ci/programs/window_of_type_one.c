/* finds: rdma_read.remote_right */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL);
    struct ibv_mr *far = region(memory + SIZE, SIZE, ALL | IBV_ACCESS_MW_BIND);
    struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
    NEED(mw);
    struct ibv_mw_bind bind = {.wr_id = 3, .send_flags = IBV_SEND_SIGNALED, .bind_info = {far,
        (uintptr_t)far->addr, 64, IF_WRONG(IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_READ)}};
    NEED(!ibv_bind_mw(qp[1], mw, &bind));
    struct ibv_wc wc;
    while (!poll_one(&wc))
        usleep(1000);
    transfer(IBV_WR_RDMA_READ, piece(memory, 8, near->lkey), mw->rkey, memory + SIZE);
    NEED(!ibv_dealloc_mw(mw));
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
