/* finds: atomic_fetch_and_add.pair_accepts */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL & ~IF_WRONG(IBV_ACCESS_REMOTE_ATOMIC, 0));
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    transfer(IBV_WR_ATOMIC_FETCH_AND_ADD, piece(memory, 8, near->lkey), far->rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
