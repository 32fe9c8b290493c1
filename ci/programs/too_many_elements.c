/* finds: rdma_read.elements_fit */
#include "pair.h"

#define MANY 64

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    struct ibv_sge list[MANY];
    for (int i = 0; i < MANY; ++i)
        list[i] = piece(memory + 8 * i, 8, near->lkey);
    struct ibv_send_wr wr = {.sg_list = list, .num_sge = IF_WRONG(MANY, 2), .wr_id = 1,
                             .opcode = IBV_WR_RDMA_READ, .send_flags = IBV_SEND_SIGNALED};
    wr.wr.rdma.remote_addr = (uintptr_t)memory + SIZE;
    wr.wr.rdma.rkey = far->rkey;
    if (!post(&wr))
        await(1);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
