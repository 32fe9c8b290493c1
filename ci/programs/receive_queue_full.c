/* finds: post_recv.queue_has_room */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(ALL);
    struct ibv_mr *far = region(memory + SIZE, SIZE, ALL);
    struct ibv_sge sge = piece(memory + SIZE, 8, far->lkey);
    struct ibv_recv_wr *bad, wr = {.wr_id = 2, .sg_list = &sge, .num_sge = 1};
    for (int i = 0; i < IF_WRONG(4096, 16) && !ibv_post_recv(qp[1], &wr, &bad); ++i) {
    }
    close_qps();
    NEED(!ibv_dereg_mr(far));
    close_all();
    return 0;
}
