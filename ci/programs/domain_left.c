/* finds: exit.PD_left */
#include "pair.h"

int main(void)
{
    open_all();
    close_qps();
    NEED(!ibv_destroy_cq(cq));
#ifndef WRONG
    NEED(!ibv_dealloc_pd(pd) && !ibv_close_device(context));
#endif
    return 0;
}
