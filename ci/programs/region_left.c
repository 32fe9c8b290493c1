/* finds: exit.region_left exit.PD_left */
#include "pair.h"

int main(void)
{
    open_all();
    struct ibv_mr *near = region(memory, SIZE, 0);
    close_qps();
#ifdef WRONG
    (void)near;
#else
    NEED(!ibv_dereg_mr(near));
    close_all();
#endif
    return 0;
}
