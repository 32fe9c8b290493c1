/* finds: rdma_write.memory_kept */
/* with: --guard */
#include "pair.h"

#ifndef OPCODE
#define OPCODE IBV_WR_RDMA_WRITE
#endif

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    start(OPCODE, piece(memory, SIZE, near->lkey), far->rkey, memory + SIZE);
#ifdef WRONG
    memory[100] = 1;
    await(1);
#else
    await(1);
    memory[100] = 1;
#endif
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
