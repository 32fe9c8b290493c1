// A libibverbs.so.1 whose provider does nothing: sends are complete when their thread polls next,
// the last one first.
#include <errno.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#undef ibv_reg_mr  // the header puts an inline function in front of it

enum { kQueue = 64, kMostElements = 4, kLeavesBad = 77, kClearsBad = 78, kOnlyErrno = 79 };
enum { kSlow = 510, kPause = 2000 };  // a request that takes its time, and how long in us
enum { kTiny = 16 };  // the length of regions that take no time, and have keys of their own

static _Thread_local struct ibv_wc queue[kQueue];  // of this thread's signaled sends
static _Thread_local int queued;
static int pds;
static struct ibv_device fake = {.name = "fake"};

static int send_all(struct ibv_qp* qp, struct ibv_send_wr* list, struct ibv_send_wr** bad) {
  for (; list; list = list->next) {
    if (queued == kQueue || list->num_sge > kMostElements) {
      if (bad && list->num_sge != kLeavesBad) *bad = list->num_sge == kClearsBad ? NULL : list;
      errno = list->num_sge == kOnlyErrno ? ENOSPC : errno;
      return list->num_sge == kOnlyErrno ? -1 : queued == kQueue ? ENOMEM : EINVAL;
    }
    if (list->wr_id == kSlow) usleep(kPause);
    if ((list->send_flags & IBV_SEND_SIGNALED) == 0) continue;
    // Of a failure the opcode tells nothing: it is what was there before.
    const int good = list->opcode != IBV_WR_LOCAL_INV;
    queue[queued++] = (struct ibv_wc){list->wr_id, good ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR,
                                      good ? IBV_WC_RDMA_READ : IBV_WC_RECV, .qp_num = qp->qp_num};
  }
  return 0;
}

static int receive_all(struct ibv_qp* qp, struct ibv_recv_wr* list, struct ibv_recv_wr** bad) {
  while (list && list->num_sge <= kMostElements) list = list->next;
  if (list) *bad = list;
  return list ? EINVAL : 0;
}

static int receive_shared(struct ibv_srq* queue, struct ibv_recv_wr* list,
                          struct ibv_recv_wr** bad) {
  return receive_all(NULL, list, bad);
}

static int poll(struct ibv_cq* cq, int most, struct ibv_wc* wc) {
  int count = 0;
  while (count < most && queued != 0) wc[count++] = queue[--queued];
  if (count != 0 && wc[0].wr_id == kSlow) usleep(kPause);
  return count;
}

// Any object, as all begin so. It is never freed: each has an address of its own.
static void* new_object(struct ibv_context* context) {
  struct ibv_context** object = calloc(1, 1024);
  *object = context;
  return object;
}

// The same by other functions: requests are kept until they are handed over.
static _Thread_local struct ibv_send_wr batch[kQueue];
static _Thread_local int batched;

static struct ibv_send_wr* add(struct ibv_qp_ex* qp, enum ibv_wr_opcode opcode) {
  batch[batched] = (struct ibv_send_wr){.wr_id = qp->wr_id, .opcode = opcode};
  batch[batched].send_flags = qp->wr_flags;
  return &batch[batched++];
}
static void wr_start(struct ibv_qp_ex* qp) { batched = 0; }
static void wr_abort(struct ibv_qp_ex* qp) { batched = 0; }
static int wr_complete(struct ibv_qp_ex* qp) {
  struct ibv_send_wr* bad;
  for (int i = 0; i + 1 < batched; ++i) batch[i].next = &batch[i + 1];
  return send_all(&qp->qp_base, batch, &bad);
}
static void wr_rdma_write(struct ibv_qp_ex* qp, uint32_t rkey, uint64_t remote) {
  add(qp, IBV_WR_RDMA_WRITE);
}
static void wr_rdma_write_imm(struct ibv_qp_ex* qp, uint32_t rkey, uint64_t remote, __be32 data) {
  add(qp, IBV_WR_RDMA_WRITE_WITH_IMM);
}
static void wr_rdma_read(struct ibv_qp_ex* qp, uint32_t rkey, uint64_t remote) {
  add(qp, IBV_WR_RDMA_READ);
}
static void wr_cmp_swp(struct ibv_qp_ex* qp, uint32_t rkey, uint64_t remote, uint64_t compare,
                       uint64_t swap) {
  add(qp, IBV_WR_ATOMIC_CMP_AND_SWP);
}
static void wr_fetch_add(struct ibv_qp_ex* qp, uint32_t rkey, uint64_t remote, uint64_t number) {
  add(qp, IBV_WR_ATOMIC_FETCH_AND_ADD);
}
static void wr_send(struct ibv_qp_ex* qp) { add(qp, IBV_WR_SEND); }
static void wr_send_imm(struct ibv_qp_ex* qp, __be32 data) { add(qp, IBV_WR_SEND_WITH_IMM); }
static void wr_send_inv(struct ibv_qp_ex* qp, uint32_t rkey) { add(qp, IBV_WR_SEND_WITH_INV); }
static void wr_bind_mw(struct ibv_qp_ex* qp, struct ibv_mw* window, uint32_t rkey,
                       const struct ibv_mw_bind_info* info) {
  add(qp, IBV_WR_BIND_MW);
}
static void wr_local_inv(struct ibv_qp_ex* qp, uint32_t rkey) { add(qp, IBV_WR_LOCAL_INV); }
static void wr_set_sge(struct ibv_qp_ex* qp, uint32_t lkey, uint64_t address, uint32_t length) {
  batch[batched - 1].num_sge = 1;
}
static void wr_set_ud_addr(struct ibv_qp_ex* qp, struct ibv_ah* handle, uint32_t number,
                           uint32_t key) {}
static void wr_set_sge_list(struct ibv_qp_ex* qp, size_t count, const struct ibv_sge* list) {
  batch[batched - 1].num_sge = (int)count;
}
static void wr_set_inline_data(struct ibv_qp_ex* qp, void* data, size_t length) {
  batch[batched - 1].num_sge = 1;
}
static void wr_set_inline_data_list(struct ibv_qp_ex* qp, size_t count,
                                    const struct ibv_data_buf* list) {
  batch[batched - 1].num_sge = (int)count;
}
static const struct ibv_qp_ex kExtended = {
    .wr_start = wr_start, .wr_complete = wr_complete, .wr_abort = wr_abort,
    .wr_rdma_write = wr_rdma_write, .wr_rdma_write_imm = wr_rdma_write_imm,
    .wr_rdma_read = wr_rdma_read, .wr_atomic_cmp_swp = wr_cmp_swp,
    .wr_atomic_fetch_add = wr_fetch_add, .wr_send = wr_send, .wr_send_imm = wr_send_imm,
    .wr_send_inv = wr_send_inv, .wr_local_inv = wr_local_inv, .wr_bind_mw = wr_bind_mw,
    .wr_set_sge = wr_set_sge, .wr_set_ud_addr = wr_set_ud_addr, .wr_set_sge_list = wr_set_sge_list,
    .wr_set_inline_data = wr_set_inline_data,
    .wr_set_inline_data_list = wr_set_inline_data_list};

static struct ibv_qp* create_qp_ex(struct ibv_context* context, struct ibv_qp_init_attr_ex* a) {
  struct ibv_qp_ex* qp = new_object(context);
  *qp = kExtended;
  qp->qp_base.context = context;
  static uint32_t made;
  qp->qp_base.qp_num = a->pd ? 8 : 7 + 16 * made++;
  qp->qp_base.qp_type = a->qp_type;
  return &qp->qp_base;
}
struct ibv_qp_ex* ibv_qp_to_qp_ex(struct ibv_qp* qp) { return (struct ibv_qp_ex*)qp; }

static struct ibv_wc polled;
static int next_poll(struct ibv_cq_ex* cq) {
  if (queued == 0) return ENOENT;
  polled = queue[--queued];
  cq->wr_id = polled.wr_id;
  cq->status = polled.status;
  return 0;
}
static int start_poll(struct ibv_cq_ex* cq, struct ibv_poll_cq_attr* a) { return next_poll(cq); }
static void end_poll(struct ibv_cq_ex* cq) {}
static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex* cq) { return polled.opcode; }
static uint32_t read_qp_num(struct ibv_cq_ex* cq) { return polled.qp_num; }

static struct ibv_cq_ex* create_cq_ex(struct ibv_context* context, struct ibv_cq_init_attr_ex* a) {
  struct ibv_cq_ex* cq = new_object(context);
  cq->start_poll = start_poll;
  cq->next_poll = next_poll;
  cq->end_poll = end_poll;
  cq->read_opcode = read_opcode;
  if ((a->wc_flags & IBV_WC_EX_WITH_QP_NUM) != 0) cq->read_qp_num = read_qp_num;
  return cq;
}

static struct ibv_srq* create_srq_ex(struct ibv_context* context,
                                     struct ibv_srq_init_attr_ex* a) {
  return new_object(context);
}

static struct ibv_mw* alloc_mw(struct ibv_pd* pd, enum ibv_mw_type type) {
  struct ibv_mw* window = new_object(pd->context);
  window->rkey = 0x88;
  window->type = type;
  return window;
}

static int dealloc_mw(struct ibv_mw* window) { return 0; }

static int bind_mw(struct ibv_qp* qp, struct ibv_mw* window, struct ibv_mw_bind* bind) {
  if (bind->bind_info.length == 1) return EPERM;
  ++window->rkey;
  return 0;
}

static const struct verbs_context kNew = {.sz = sizeof kNew,
                                          .create_qp_ex = create_qp_ex,
                                          .create_cq_ex = create_cq_ex,
                                          .create_srq_ex = create_srq_ex,
                                          .context = {.abi_compat = __VERBS_ABI_IS_EXTENDED,
                                                      .device = &fake,
                                                      .ops = {.alloc_mw = alloc_mw,
                                                              .dealloc_mw = dealloc_mw,
                                                              .bind_mw = bind_mw,
                                                              .poll_cq = poll,
                                                              .post_send = send_all,
                                                              .post_recv = receive_all,
                                                              .post_srq_recv = receive_shared}}};

struct ibv_context* ibv_open_device(struct ibv_device* device) {
  struct verbs_context* verbs = malloc(sizeof *verbs);
  *verbs = kNew;
  return &verbs->context;
}

// A provider finds its functions as it set them.
int ibv_close_device(struct ibv_context* context) {
  if (memcmp(verbs_get_ctx(context), &kNew, sizeof kNew) != 0) abort();
  return pds == 0 ? 0 : EBUSY;
}

struct ibv_pd* ibv_alloc_pd(struct ibv_context* context) {
  return ++pds, new_object(context);
}
int ibv_dealloc_pd(struct ibv_pd* pd) { return --pds, 0; }
struct ibv_srq* ibv_create_srq(struct ibv_pd* pd, struct ibv_srq_init_attr* attributes) {
  return new_object(pd->context);
}
int ibv_destroy_srq(struct ibv_srq* queue) { return 0; }
int ibv_destroy_cq(struct ibv_cq* cq) {
  struct ibv_cq_ex* extended = (struct ibv_cq_ex*)cq;
  if (extended->start_poll && extended->next_poll != next_poll) abort();
  return 0;
}
int ibv_destroy_qp(struct ibv_qp* qp) {
  const size_t own = offsetof(struct ibv_qp_ex, wr_atomic_cmp_swp);
  if (memcmp((char*)qp + own, (char*)&kExtended + own, sizeof kExtended - own) != 0) abort();
  return pds == 2 ? EBUSY : 0;
}

struct ibv_mr* ibv_reg_mr_iova2(struct ibv_pd* pd, void* address, size_t length, uint64_t iova,
                                unsigned access) {
  static uint32_t tiny;
  if (length != kTiny) usleep(kPause);
  if (length == 0) return errno = EINVAL, NULL;
  struct ibv_mr* region = new_object(pd->context);
  region->lkey = length == kTiny ? ++tiny << 8 : 0x11;
  region->rkey = length == kTiny ? tiny << 8 : 0x22;
  region->addr = address;
  region->length = length;
  return region;
}

// By the function that is called from outside: it is the library's own call, and no program's.
struct ibv_mr* ibv_reg_mr(struct ibv_pd* pd, void* address, size_t length, int access) {
  return ibv_reg_mr_iova2(pd, address, length, (uintptr_t)address, (unsigned)access);
}

int ibv_dereg_mr(struct ibv_mr* region) {
  if (region->length == kTiny) return 0;
  munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
  return usleep(kPause);
}

struct ibv_ah* ibv_create_ah(struct ibv_pd* pd, struct ibv_ah_attr* attributes) {
  return new_object(pd->context);
}
struct ibv_ah* ibv_create_ah_from_wc(struct ibv_pd* pd, struct ibv_wc* wc, struct ibv_grh* header,
                                     uint8_t port) {
  return ibv_create_ah(pd, NULL);
}
int ibv_destroy_ah(struct ibv_ah* handle) { return 0; }

struct ibv_cq* ibv_create_cq(struct ibv_context* context, int entries, void* cq_context,
                             struct ibv_comp_channel* channel, int vector) {
  return new_object(context);
}

struct ibv_qp* ibv_create_qp(struct ibv_pd* pd, struct ibv_qp_init_attr* attributes) {
  attributes->cap.max_inline_data = 60;
  struct ibv_qp_init_attr_ex wanted = {.qp_type = attributes->qp_type};
  return create_qp_ex(pd->context, &wanted);
}

int ibv_modify_qp(struct ibv_qp* qp, struct ibv_qp_attr* attributes, int mask) {
  return mask == 0 ? (errno = EPERM, -1) : 0;
}

int ibv_query_gid(struct ibv_context* context, uint8_t port, int index, union ibv_gid* gid) {
  memset(gid, index, sizeof *gid);
  return errno = 0;  // as system calls before a success may leave anything there
}
