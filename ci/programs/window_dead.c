/* finds: rdma_write.remote_key_live */
#include "window.h"

int main(void)
{
    open_window(ALL | IBV_ACCESS_MW_BIND, 64, IBV_ACCESS_REMOTE_WRITE);
#ifdef WRONG
    struct ibv_send_wr wr = {.opcode = IBV_WR_LOCAL_INV, .invalidate_rkey = key};
    wait_for(qp[1], &wr);
#endif
    transfer(IBV_WR_RDMA_WRITE, piece(memory, 8, near->lkey), key, memory + SIZE);
    close_window();
    return 0;
}
