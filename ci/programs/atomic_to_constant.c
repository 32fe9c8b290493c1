/* finds: atomic_fetch_and_add.local_write_right */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *near = region(memory, SIZE, IF_WRONG(0, IBV_ACCESS_LOCAL_WRITE));
    struct ibv_mr *far = region(memory + SIZE, SIZE, ALL);
    transfer(IBV_WR_ATOMIC_FETCH_AND_ADD, piece(memory, 8, near->lkey), far->rkey, memory + SIZE);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
