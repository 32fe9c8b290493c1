/* finds: send.address_handle_kept */
#include "datagram.h"

int main(void)
{
    open_all();
    make_datagrams();
    struct ibv_mr *near = region(memory, SIZE, ALL);
    struct ibv_ah *handle = make_handle();
    post_datagram(piece(memory, 8, near->lkey), handle);
    usleep(100000); /* it has gone by now, which the program cannot know */
#ifdef WRONG
    NEED(!ibv_destroy_ah(handle));
    await(4);
#else
    await(4);
    NEED(!ibv_destroy_ah(handle));
#endif
    close_qps();
    NEED(!ibv_destroy_qp(datagrams) && !ibv_dereg_mr(near));
    close_all();
    return 0;
}
