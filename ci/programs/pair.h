/* What the programs here have in common: a device, a PD, and two queue pairs of this process that
 * are connected. Each program is written once and made twice: right, and with WRONG defined, wrong
 * in the one way that its first line names as mrproof watch does. With EXTENDED defined, requests
 * are posted by ibv_wr_*() and completions looked for by ibv_start_poll(); with SHARED, both queue
 * pairs take their receives from `srq`. */
#define _GNU_SOURCE
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE 4096
#define ALL (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
             IBV_ACCESS_REMOTE_ATOMIC)
#ifdef WRONG
#define IF_WRONG(wrong, right) (wrong)
#else
#define IF_WRONG(wrong, right) (right)
#endif
#define NEED(what) ((what) ? (void)0 : (perror(#what), exit(3)))

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_qp *qp[2];
static struct ibv_srq *srq;
static char *memory; /* two pages: the first is used here, the second is the other end's */

#ifdef EXTENDED
static struct ibv_cq *make_cq(void)
{
    struct ibv_cq_ex *made = ibv_create_cq_ex(context, &(struct ibv_cq_init_attr_ex){.cqe = 32});
    return made ? ibv_cq_ex_to_cq(made) : NULL;
}

static struct ibv_qp *make_qp(void)
{
    struct ibv_qp_init_attr_ex attr = {.send_cq = cq, .recv_cq = cq, .cap = {16, 16, 2, 2, 0},
        .qp_type = IBV_QPT_RC, .pd = pd, .srq = srq,
        .comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
        .send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE | IBV_QP_EX_WITH_RDMA_READ |
                          IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD};
    return ibv_create_qp_ex(context, &attr);
}

static int post(const struct ibv_send_wr *wr)
{
    struct ibv_qp_ex *x = ibv_qp_to_qp_ex(qp[0]);
    ibv_wr_start(x);
    x->wr_id = wr->wr_id;
    x->wr_flags = wr->send_flags;
    if (wr->opcode == IBV_WR_RDMA_WRITE)
        ibv_wr_rdma_write(x, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
    else if (wr->opcode == IBV_WR_RDMA_READ)
        ibv_wr_rdma_read(x, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr);
    else if (wr->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD)
        ibv_wr_atomic_fetch_add(x, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr,
                                wr->wr.atomic.compare_add);
    else
        ibv_wr_send(x);
    ibv_wr_set_sge_list(x, wr->num_sge, wr->sg_list);
    return ibv_wr_complete(x);
}

/* Whether there was a completion, of which status and wr_id alone are told. */
static int poll_one(struct ibv_wc *wc)
{
    struct ibv_cq_ex *queue = (struct ibv_cq_ex *)cq;
    if (ibv_start_poll(queue, &(struct ibv_poll_cq_attr){0}))
        return 0;
    wc->status = queue->status;
    wc->wr_id = queue->wr_id;
    ibv_end_poll(queue);
    return 1;
}
#else
static struct ibv_cq *make_cq(void)
{
    return ibv_create_cq(context, 32, NULL, NULL, 0);
}

static struct ibv_qp *make_qp(void)
{
    struct ibv_qp_init_attr attr = {.send_cq = cq, .recv_cq = cq, .cap = {16, 16, 2, 2, 0},
                                    .qp_type = IBV_QPT_RC, .srq = srq};
    return ibv_create_qp(pd, &attr);
}

static int post(struct ibv_send_wr *wr)
{
    struct ibv_send_wr *bad;
    return ibv_post_send(qp[0], wr, &bad);
}

static int poll_one(struct ibv_wc *wc)
{
    return ibv_poll_cq(cq, 1, wc) == 1;
}
#endif

static void modify(struct ibv_qp *of, enum ibv_qp_state state, struct ibv_qp *peer, int access)
{
    struct ibv_port_attr port;
    struct ibv_qp_attr attr = {.qp_state = state, .port_num = 1, .qp_access_flags = access,
        .dest_qp_num = peer->qp_num, .max_dest_rd_atomic = 1, .min_rnr_timer = 1, .timeout = 14,
        .retry_cnt = 3, .rnr_retry = 3, .max_rd_atomic = 1};
    int mask[] = {[IBV_QPS_INIT] = IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
        [IBV_QPS_RTR] = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
        [IBV_QPS_RTS] = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                        IBV_QP_MAX_QP_RD_ATOMIC};
    NEED(!ibv_query_port(context, 1, &port));
    NEED(!ibv_query_gid(context, 1, 1, &attr.ah_attr.grh.dgid));
    attr.path_mtu = port.active_mtu;
    attr.ah_attr.is_global = attr.ah_attr.port_num = 1;
    attr.ah_attr.grh.sgid_index = 1;
    attr.ah_attr.grh.hop_limit = 64;
    NEED(!ibv_modify_qp(of, &attr, mask[state] | IBV_QP_STATE));
}

static void open_all(void)
{
    struct ibv_device **list = ibv_get_device_list(NULL);
    NEED(list && list[0] && (context = ibv_open_device(list[0])));
    ibv_free_device_list(list);
    NEED(pd = ibv_alloc_pd(context));
    NEED(cq = make_cq());
#ifdef SHARED
    NEED(srq = ibv_create_srq(pd, &(struct ibv_srq_init_attr){.attr = {16, 2, 0}}));
#endif
    NEED((qp[0] = make_qp()) && (qp[1] = make_qp()));
    memory = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    NEED(memory != MAP_FAILED);
}

/* `access`: what the second queue pair lets the first one do. */
static void connect_pair(int access)
{
    for (int state = IBV_QPS_INIT; state <= IBV_QPS_RTS; ++state)
        for (int i = 0; i < 2; ++i)
            modify(qp[i], state, qp[!i], i ? access : 0);
}

static struct ibv_mr *region(void *at, size_t length, int access)
{
    struct ibv_mr *mr = ibv_reg_mr(pd, at, length, access);
    NEED(mr);
    return mr;
}

/* Posts a request of the first queue pair; 0 if it was accepted. */
static int start(enum ibv_wr_opcode opcode, struct ibv_sge sge, uint32_t rkey, void *remote)
{
    struct ibv_send_wr wr = {.wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = opcode,
                             .send_flags = IBV_SEND_SIGNALED};
    if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        wr.wr.atomic.remote_addr = (uintptr_t)remote;
        wr.wr.atomic.rkey = rkey;
        wr.wr.atomic.compare_add = 1;
    } else {
        wr.wr.rdma.remote_addr = (uintptr_t)remote;
        wr.wr.rdma.rkey = rkey;
    }
    return post(&wr);
}

/* Waits for the completion with that number and gives its status. */
static int await(uint64_t id)
{
    struct ibv_wc wc;
    for (int i = 0; i < 5000; ++i, usleep(1000))
        if (poll_one(&wc) && wc.wr_id == id)
            return wc.status;
    return -2;
}

static int transfer(enum ibv_wr_opcode opcode, struct ibv_sge sge, uint32_t rkey, void *remote)
{
    return start(opcode, sge, rkey, remote) ? -1 : await(1);
}

/* Posts the request to the queue pair and gives the status of its completion. */
static int wait_for(struct ibv_qp *of, struct ibv_send_wr *wr)
{
    struct ibv_send_wr *bad;
    wr->wr_id = 3;
    wr->send_flags = IBV_SEND_SIGNALED;
    return ibv_post_send(of, wr, &bad) ? -1 : await(3);
}

/* Posts a receive of the second queue pair. */
static void receive(struct ibv_sge sge)
{
    struct ibv_recv_wr *bad, wr = {.wr_id = 2, .sg_list = &sge, .num_sge = 1};
    NEED(!(srq ? ibv_post_srq_recv(srq, &wr, &bad) : ibv_post_recv(qp[1], &wr, &bad)));
}

static struct ibv_sge piece(void *at, uint32_t length, uint32_t lkey)
{
    return (struct ibv_sge){(uintptr_t)at, length, lkey};
}

static void close_qps(void)
{
    NEED(!ibv_destroy_qp(qp[0]) && !ibv_destroy_qp(qp[1]));
}

static void close_all(void)
{
    NEED(!srq || !ibv_destroy_srq(srq));
    NEED(!ibv_destroy_cq(cq) && !ibv_dealloc_pd(pd) && !ibv_close_device(context));
}
