/* finds: post_recv.local_write_right */
#define SHARED
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(0);
    struct ibv_mr *near = region(memory, 2 * SIZE, 0);
    struct ibv_mr *far = region(memory + SIZE, SIZE, IF_WRONG(0, IBV_ACCESS_LOCAL_WRITE));
    struct ibv_sge sge = piece(memory + SIZE, SIZE, far->lkey);
    struct ibv_recv_wr *bad, wr = {.wr_id = 2, .sg_list = &sge, .num_sge = 1};
    NEED(!ibv_post_srq_recv(srq, &wr, &bad));
    transfer(IBV_WR_SEND, piece(memory, SIZE, near->lkey), 0, NULL);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
