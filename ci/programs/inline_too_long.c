/* finds: rdma_write.inline_fits */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *far = region(memory + SIZE, SIZE, ALL);
    struct ibv_sge sge = piece(memory, IF_WRONG(SIZE, 0), 0);
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
                             .send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED, .wr_id = 1};
    wr.wr.rdma.remote_addr = (uintptr_t)memory + SIZE;
    wr.wr.rdma.rkey = far->rkey;
    if (!post(&wr))
        await(1);
    close_qps();
    NEED(!ibv_dereg_mr(far));
    close_all();
    return 0;
}
