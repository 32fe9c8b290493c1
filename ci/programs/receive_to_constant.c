/* finds: post_recv.local_write_right */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(0);
    struct ibv_mr *near = region(memory, SIZE, 0);
    struct ibv_mr *far = region(memory + SIZE, SIZE, IF_WRONG(0, IBV_ACCESS_LOCAL_WRITE));
    receive(piece(memory + SIZE, 64, far->lkey));
    transfer(IBV_WR_SEND, piece(memory, 8, near->lkey), 0, NULL);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
