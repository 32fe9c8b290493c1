/* finds: post_recv.memory_kept */
/* with: --guard */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    receive(piece(memory + SIZE, SIZE, far->lkey));
#ifdef WRONG
    memset(memory + SIZE, 1, 100); /* by libc, for the program */
#endif
    transfer(IBV_WR_SEND, piece(memory, 8, near->lkey), 0, NULL);
    close_qps();
    memset(memory + SIZE, 2, 100);
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
