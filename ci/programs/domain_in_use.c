/* finds: dealloc_pd.pd_unused */
#include "pair.h"

int main(void)
{
    open_all();
    struct ibv_mr *near = region(memory, SIZE, 0);
    close_qps();
#ifdef WRONG
    (void)ibv_dealloc_pd(pd);
#endif
    NEED(!ibv_dereg_mr(near));
    close_all();
    return 0;
}
