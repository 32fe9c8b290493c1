/* finds: post_recv.local_in_bounds */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(0);
    struct ibv_mr *near = region(memory, 2 * SIZE, 0);
    struct ibv_mr *far = region(memory + SIZE, SIZE, IBV_ACCESS_LOCAL_WRITE);
    receive(piece(memory + SIZE, IF_WRONG(SIZE + 1, SIZE), far->lkey));
    transfer(IBV_WR_SEND, piece(memory, IF_WRONG(SIZE + 1, SIZE), near->lkey), 0, NULL);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
