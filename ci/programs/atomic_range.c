/* finds: atomic_fetch_and_add.remote_in_bounds */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    transfer(IBV_WR_ATOMIC_FETCH_AND_ADD, piece(memory, 8, near->lkey), far->rkey,
             memory + 2 * SIZE - IF_WRONG(0, 8));
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
