/* finds: rdma_write.remote_in_bounds rdma_write.remote_in_bounds */
/* The second one is rxe's: F10. */
#include "window.h"

int main(void)
{
    open_window(ALL | IBV_ACCESS_MW_BIND, 64, IBV_ACCESS_REMOTE_WRITE);
    transfer(IBV_WR_RDMA_WRITE, piece(memory, IF_WRONG(65, 64), near->lkey), key, memory + SIZE);
    close_window();
    return 0;
}
