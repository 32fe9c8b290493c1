/* finds: exit.queue_pair_left exit.PD_left */
#include "pair.h"

int main(void)
{
    open_all();
    NEED(!ibv_destroy_qp(qp[0]));
#ifndef WRONG
    NEED(!ibv_destroy_qp(qp[1]));
    close_all();
#endif
    return 0;
}
