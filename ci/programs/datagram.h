/* A UD queue pair beside those of pair.h, which sends to itself. */
#include "pair.h"

static struct ibv_qp *datagrams;

static void make_datagrams(void)
{
    struct ibv_qp_init_attr attr = {.send_cq = cq, .recv_cq = cq, .cap = {4, 4, 1, 1, 0},
                                    .qp_type = IBV_QPT_UD};
    struct ibv_qp_attr to = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 5};
    NEED(datagrams = ibv_create_qp(pd, &attr));
    NEED(!ibv_modify_qp(datagrams, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
                                            IBV_QP_QKEY));
    to.qp_state = IBV_QPS_RTR;
    NEED(!ibv_modify_qp(datagrams, &to, IBV_QP_STATE));
    to.qp_state = IBV_QPS_RTS;
    NEED(!ibv_modify_qp(datagrams, &to, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

static struct ibv_ah *make_handle(void)
{
    struct ibv_ah_attr to = {.is_global = 1, .port_num = 1, .grh = {.sgid_index = 1,
                                                                    .hop_limit = 64}};
    struct ibv_ah *handle;
    NEED(!ibv_query_gid(context, 1, 1, &to.grh.dgid));
    NEED(handle = ibv_create_ah(pd, &to));
    return handle;
}

static void post_datagram(struct ibv_sge sge, struct ibv_ah *handle)
{
    struct ibv_send_wr *bad, wr = {.wr_id = 4, .sg_list = &sge, .num_sge = 1,
        .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
        .wr.ud = {handle, datagrams->qp_num, 5}};
    NEED(!ibv_post_send(datagrams, &wr, &bad));
}
