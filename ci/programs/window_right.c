/* finds: rdma_read.remote_right */
#include "window.h"

int main(void)
{
    open_window(ALL | IBV_ACCESS_MW_BIND, 64,
                IF_WRONG(IBV_ACCESS_REMOTE_WRITE, IBV_ACCESS_REMOTE_READ));
    transfer(IBV_WR_RDMA_READ, piece(memory, 8, near->lkey), key, memory + SIZE);
    close_window();
    return 0;
}
