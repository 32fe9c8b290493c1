/* finds: atomic_fetch_and_add.remote_right */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL);
    struct ibv_mr *far = region(memory + SIZE, SIZE, ALL & ~IF_WRONG(IBV_ACCESS_REMOTE_ATOMIC, 0));
    transfer(IBV_WR_ATOMIC_FETCH_AND_ADD, piece(memory, 8, near->lkey), far->rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
