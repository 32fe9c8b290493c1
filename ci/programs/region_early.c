/* finds: rdma_write.region_kept */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    start(IBV_WR_RDMA_WRITE, piece(memory, 8, near->lkey), far->rkey, memory + SIZE);
    usleep(100000); /* it has been made by now, which the program cannot know */
#ifdef WRONG
    NEED(!ibv_dereg_mr(near));
    await(1);
#else
    await(1);
    NEED(!ibv_dereg_mr(near));
#endif
    close_qps();
    NEED(!ibv_dereg_mr(far));
    close_all();
    return 0;
}
