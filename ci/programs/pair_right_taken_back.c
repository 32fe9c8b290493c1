/* finds: rdma_read.pair_accepts */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    struct ibv_qp_attr attr = {.qp_access_flags = IF_WRONG(IBV_ACCESS_REMOTE_WRITE, ALL)};
    NEED(!ibv_modify_qp(qp[1], &attr, IBV_QP_ACCESS_FLAGS));
    transfer(IBV_WR_RDMA_READ, piece(memory, 8, near->lkey), far->rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
