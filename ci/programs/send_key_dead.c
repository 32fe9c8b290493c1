/* finds: send.local_key_live */
#include "pair.h"

int main(void)
{
    open_all();
    connect_pair(0);
    struct ibv_mr *near = region(memory, SIZE, ALL), *far = region(memory + SIZE, SIZE, ALL);
    struct ibv_mr *other = region(memory, SIZE, ALL);
    uint32_t lkey = IF_WRONG(other, near)->lkey;
    NEED(!ibv_dereg_mr(other));
    struct ibv_sge sge = piece(memory + SIZE, SIZE, far->lkey);
    struct ibv_recv_wr *bad, wr = {.wr_id = 2, .sg_list = &sge, .num_sge = 1};
    NEED(!ibv_post_recv(qp[1], &wr, &bad));
    transfer(IBV_WR_SEND, piece(memory, 8, lkey), 0, NULL);
    close_qps();
    NEED(!ibv_dereg_mr(near) && !ibv_dereg_mr(far));
    close_all();
    return 0;
}
