/* finds: rdma_write.remote_key_live */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL);
    struct ibv_mr *far = region(memory + SIZE, SIZE, ALL | IBV_ACCESS_MW_BIND);
    struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_2);
    NEED(mw);
    uint32_t key = bind_window(mw, far, 64, IBV_ACCESS_REMOTE_WRITE);
#ifdef WRONG
    invalidate_window(key);
#endif
    transfer(IBV_WR_RDMA_WRITE, piece(memory, 8, near->lkey), key, memory + SIZE);
    NEED(!ibv_dealloc_mw(mw)); /* before its queue pair: rxe waits 50 s else (F13) */
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
