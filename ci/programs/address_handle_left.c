/* finds: dealloc_pd.pd_unused exit.address_handle_left exit.PD_left */
#include "datagram.h"

int main(void)
{
    open_all();
    struct ibv_ah *handle = make_handle();
    close_qps();
#ifdef WRONG
    (void)handle;
    ibv_dealloc_pd(pd);
#else
    NEED(!ibv_destroy_ah(handle));
    close_all();
#endif
    return 0;
}
