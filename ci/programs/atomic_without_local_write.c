/* finds: reg_mr.remote_write_has_local_write */
#include "pair.h"

int main(void)
{
    open_all();
    struct ibv_mr *near = ibv_reg_mr(pd, memory, SIZE,
        IBV_ACCESS_REMOTE_ATOMIC | IF_WRONG(0, IBV_ACCESS_LOCAL_WRITE));
    close_qps();
    if (near)
        NEED(!ibv_dereg_mr(near));
    close_all();
    return 0;
}
