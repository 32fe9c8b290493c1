/* finds: dealloc_pd.pd_unused */
#include "pair.h"

int main(void)
{
    open_all();
#ifdef WRONG
    (void)ibv_dealloc_pd(pd);
#endif
    close_qps();
    close_all();
    return 0;
}
