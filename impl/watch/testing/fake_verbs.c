// A libibverbs.so.1 whose provider does nothing: sends are complete when their thread polls next,
// the last one first.
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#undef ibv_reg_mr  // the header puts an inline function in front of it

enum { kQueue = 64, kMostElements = 4, kLeavesBad = 77, kClearsBad = 78, kOnlyErrno = 79 };
enum { kSlow = 510, kPause = 2000 };  // a request that takes its time, and how long in us

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

static struct ibv_qp* create_qp_ex(struct ibv_context* context, struct ibv_qp_init_attr_ex* a) {
  struct ibv_qp* qp = new_object(context);
  qp->qp_num = a->pd ? 8 : 7;
  return qp;
}

static struct ibv_cq_ex* create_cq_ex(struct ibv_context* context, struct ibv_cq_init_attr_ex* a) {
  return new_object(context);
}

static struct ibv_mw* alloc_mw(struct ibv_pd* pd, enum ibv_mw_type type) {
  return new_object(pd->context);
}

static const struct verbs_context kNew = {.sz = sizeof kNew,
                                          .create_qp_ex = create_qp_ex,
                                          .create_cq_ex = create_cq_ex,
                                          .context = {.abi_compat = __VERBS_ABI_IS_EXTENDED,
                                                      .device = &fake,
                                                      .ops = {.alloc_mw = alloc_mw,
                                                              .poll_cq = poll,
                                                              .post_send = send_all,
                                                              .post_recv = receive_all}}};

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
int ibv_destroy_cq(struct ibv_cq* cq) { return 0; }
int ibv_destroy_qp(struct ibv_qp* qp) { return 0; }

struct ibv_mr* ibv_reg_mr_iova2(struct ibv_pd* pd, void* address, size_t length, uint64_t iova,
                                unsigned access) {
  usleep(kPause);
  if (length == 0) return errno = EINVAL, NULL;
  struct ibv_mr* region = new_object(pd->context);
  region->lkey = 0x11;
  region->rkey = 0x22;
  return region;
}

// By the function that is called from outside: it is the library's own call, and no program's.
struct ibv_mr* ibv_reg_mr(struct ibv_pd* pd, void* address, size_t length, int access) {
  return ibv_reg_mr_iova2(pd, address, length, (uintptr_t)address, (unsigned)access);
}

int ibv_dereg_mr(struct ibv_mr* region) {
  munmap(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4096);
  return usleep(kPause);
}

struct ibv_cq* ibv_create_cq(struct ibv_context* context, int entries, void* cq_context,
                             struct ibv_comp_channel* channel, int vector) {
  return new_object(context);
}

struct ibv_qp* ibv_create_qp(struct ibv_pd* pd, struct ibv_qp_init_attr* attributes) {
  attributes->cap.max_inline_data = 60;
  return create_qp_ex(pd->context, &(struct ibv_qp_init_attr_ex){.pd = NULL});
}

int ibv_modify_qp(struct ibv_qp* qp, struct ibv_qp_attr* attributes, int mask) {
  return mask == 0 ? (errno = EPERM, -1) : 0;
}

int ibv_query_gid(struct ibv_context* context, uint8_t port, int index, union ibv_gid* gid) {
  memset(gid, index, sizeof *gid);
  return errno = 0;  // as system calls before a success may leave anything there
}
