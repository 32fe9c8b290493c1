// A program with many objects and requests:  large REGIONS PAIRS REQUESTS
#include <infiniband/verbs.h>
#include <stdlib.h>

enum { kLength = 16, kAtOnce = 32 };

static struct ibv_qp* ready(struct ibv_pd* pd, struct ibv_cq* cq) {
  struct ibv_qp_init_attr wanted = {
      .send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = {kAtOnce, 1, 1, 1}};
  struct ibv_qp* qp = ibv_create_qp(pd, &wanted);
  for (int state = IBV_QPS_INIT; state <= IBV_QPS_RTS; ++state)
    ibv_modify_qp(qp, &(struct ibv_qp_attr){.qp_state = state}, IBV_QP_STATE);
  return qp;
}

int main(int arguments, char** argument) {
  if (arguments != 4) return 2;
  const int regions = atoi(argument[1]), pairs = atoi(argument[2]), requests = atoi(argument[3]);
  struct ibv_context* context = ibv_open_device(NULL);
  struct ibv_pd* pd = ibv_alloc_pd(context);
  struct ibv_cq* cq = ibv_create_cq(context, kAtOnce, NULL, NULL, 0);
  struct ibv_mr** mr = calloc((size_t)regions, sizeof *mr);
  struct ibv_qp** qp = calloc((size_t)pairs, sizeof *qp);
  char* memory = malloc((size_t)regions * kLength);
  for (int i = 0; i < regions; ++i)
    mr[i] = ibv_reg_mr(pd, memory + (size_t)i * kLength, kLength, IBV_ACCESS_LOCAL_WRITE);
  for (int i = 0; i < pairs; ++i) qp[i] = ready(pd, cq);
  for (int i = 0; i < requests; ++i) {
    struct ibv_mr* used = mr[i % regions];
    struct ibv_sge element = {(uintptr_t)used->addr, kLength, used->lkey};
    struct ibv_send_wr wr = {.wr_id = (uint64_t)i, .sg_list = &element, .num_sge = 1,
                             .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED}, *bad;
    if (ibv_post_send(qp[i % pairs], &wr, &bad) != 0) return 1;
    struct ibv_wc wc[kAtOnce];
    if (i % kAtOnce == kAtOnce - 1) ibv_poll_cq(cq, kAtOnce, wc);
  }
  for (int i = 0; i < pairs; ++i) ibv_destroy_qp(qp[i]);
  for (int i = 0; i < regions; ++i) ibv_dereg_mr(mr[i]);
  return ibv_dealloc_pd(pd);
}
