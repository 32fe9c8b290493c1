/* Makes the calls of a table (bare_table.h) with libibverbs alone, as fast as they go: what the
 * harness's steps/s are measured against.
 *
 *     bare_loop DEVICE TABLE [comparing]
 *
 * It has to make each call that the harness makes (impl/verbs/), between cases, too, and waits as
 * the harness does; but nothing is proposed, predicted, judged, compared or recorded. The last line
 * of its output is the result. With "comparing", every byte of the buffers is compared with another
 * after each call, as an oracle must that knows what they should be: what such a loop loses is lost
 * to any harness that asserts every byte. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "bare_pairs.h"

enum { LIMIT_MS = 30000, STATE_LIMIT_MS = 2000, PDS = 4, REGIONS = 8, WINDOWS = 4 };
enum { NOT_MADE = 0x100 }; /* the call is about an object that is not there in this run */

static struct ibv_pd* pds[PDS];
static int given[PDS];
static struct ibv_mr* regions[REGIONS];
static struct ibv_mw* windows[WINDOWS];
/* As objects had them last: calls name keys of dead ones, too. */
static uint32_t lkey[REGIONS], rkey[REGIONS], old_lkey[REGIONS], old_rkey[REGIONS];
static uint32_t window_key[WINDOWS], old_window_key[WINDOWS];
static int wants_read; /* bare_header.read_after_connect */
static int comparing;

static uint32_t key_of(struct bare_key key) {
  switch (key.kind) {
    case BARE_KEY_LKEY: return lkey[key.slot] ^ key.flip;
    case BARE_KEY_RKEY: return rkey[key.slot] ^ key.flip;
    case BARE_KEY_OLD_LKEY: return old_lkey[key.slot] ^ key.flip;
    case BARE_KEY_OLD_RKEY: return old_rkey[key.slot] ^ key.flip;
    case BARE_KEY_WINDOW: return window_key[key.slot] ^ key.flip;
    case BARE_KEY_OLD_WINDOW: return old_window_key[key.slot] ^ key.flip;
    default: return key.value ^ key.flip;
  }
}

static void* pointer(uint64_t address) { return (void*)(uintptr_t)address; }
static struct pair* pair_of(uint8_t qp) { return &pairs[qp / 2]; }
static struct end* end_of(uint8_t qp) { return &pairs[qp / 2].ends[qp % 2]; }

/* -- memory regions and windows ------------------------------------------------------------ */

static int register_region(const struct bare_step* s) {
  struct ibv_mr* made = NULL;
  if (regions[s->mr] != NULL || pds[s->pd] == NULL) return NOT_MADE;
  if (s->verb == BARE_reg_mr)
    made = ibv_reg_mr(pds[s->pd], pointer(s->address), s->length, s->access);
  else if (s->verb == BARE_reg_mr_iova)
    made = ibv_reg_mr_iova(pds[s->pd], pointer(s->address), s->length, s->iova, s->access);
  else if (s->verb == BARE_alloc_null_mr)
    made = ibv_alloc_null_mr(pds[s->pd]);
  /* else: a target without dma-bufs and ibv_reg_mr_ex(3), where the harness calls nothing either */
  if (made == NULL) return BARE_REFUSED;
  regions[s->mr] = made;
  lkey[s->mr] = made->lkey;
  rkey[s->mr] = made->rkey;
  old_lkey[s->mr] = old_rkey[s->mr] = 0;
  return 0;
}

static int reregister(const struct bare_step* s) {
  struct ibv_mr* changed = regions[s->mr];
  struct ibv_pd* pd = (s->flags & IBV_REREG_MR_CHANGE_PD) != 0 ? pds[s->pd] : NULL;
  if (changed == NULL) return NOT_MADE;
  if (ibv_rereg_mr(changed, (int)s->flags, pd, pointer(s->address), s->length, (int)s->access) != 0)
    return BARE_REFUSED;
  old_lkey[s->mr] = lkey[s->mr];
  old_rkey[s->mr] = rkey[s->mr];
  lkey[s->mr] = changed->lkey;
  rkey[s->mr] = changed->rkey;
  return 0;
}

static int end_region(struct ibv_mr** region) {
  if (*region == NULL) return NOT_MADE;
  if (ibv_dereg_mr(*region) != 0) return BARE_REFUSED;
  *region = NULL;
  return 0;
}

static int allocate_window(const struct bare_step* s) {
  if (windows[s->mw] != NULL || pds[s->pd] == NULL) return NOT_MADE;
  windows[s->mw] = ibv_alloc_mw(pds[s->pd], (enum ibv_mw_type)s->option);
  if (windows[s->mw] == NULL) return BARE_REFUSED;
  window_key[s->mw] = windows[s->mw]->rkey;
  old_window_key[s->mw] = 0;
  return 0;
}

static int end_window(struct ibv_mw** window) {
  if (*window == NULL) return NOT_MADE;
  if (ibv_dealloc_mw(*window) != 0) return BARE_REFUSED;
  *window = NULL;
  return 0;
}

/* -- domains and queue pairs --------------------------------------------------------------- */

static int allocate_domain(const struct bare_step* s) {
  if (pds[s->pd] != NULL) return NOT_MADE;
  pds[s->pd] = ibv_alloc_pd(context);
  given[s->pd] = 0;
  return pds[s->pd] != NULL ? 0 : BARE_REFUSED;
}

static int end_domain(const struct bare_step* s) {
  if (pds[s->pd] == NULL) return NOT_MADE;
  if (ibv_dealloc_pd(pds[s->pd]) != 0) return BARE_REFUSED;
  for (int i = 0; i < 4; ++i)
    if (end_of((uint8_t)i)->pd == pds[s->pd]) {
      end_of((uint8_t)i)->pd = NULL;
      pair_of((uint8_t)i)->lost = 1;
    }
  pds[s->pd] = NULL;
  given[s->pd] = 0;
  return 0;
}

static int query(const struct bare_step* s) {
  struct end* end = end_of(s->qp);
  if (end->qp == NULL) return NOT_MADE;
  const int first = state_of(end);
  pair_of(s->qp)->failed |= state_of(end) != IBV_QPS_RTS;
  return first == IBV_QPS_UNKNOWN ? BARE_REFUSED : 0;
}

static int connect_again(const struct bare_step* s) {
  struct pair* pair = pair_of(s->qp);
  if (pair->ends[0].qp == NULL || pair->ends[1].qp == NULL) return NOT_MADE;
  int taken_back = !pair->lost && reconnect(pair) == 0;
  if (taken_back && wants_read &&
      (read_nothing(&pair->ends[0]) != 0 || read_nothing(&pair->ends[1]) != 0))
    taken_back = reconnect(pair) == 0;
  if (!taken_back) {
    struct ibv_pd *first = pair->ends[0].pd, *second = pair->ends[1].pd;
    if (first == NULL || second == NULL) return NOT_MADE;
    pair->lost = 1;
    release_pair(pair);
    if (make_pair(pair, first, second) != 0) return BARE_REFUSED;
  }
  pair->failed = pair->lost = 0;
  pair->reset = 1;
  return 0;
}

static int destroy(const struct bare_step* s) {
  struct end* end = end_of(s->qp);
  if (end->qp == NULL) return NOT_MADE;
  if (ibv_destroy_qp(end->qp) != 0) return BARE_REFUSED;
  ibv_destroy_cq(end->send_cq);
  ibv_destroy_cq(end->receive_cq);
  *end = (struct end){0};
  pair_of(s->qp)->lost = 1;
  return 0;
}

/* -- work requests ------------------------------------------------------------------------- */

static void set_elements(const struct bare_step* s, struct ibv_sge* to) {
  to[0] = (struct ibv_sge){s->address, (uint32_t)s->length, key_of(s->lkey)};
  to[1] = (struct ibv_sge){s->second_address, (uint32_t)s->second_length, key_of(s->second_lkey)};
}

static int advise(const struct bare_step* s) {
  struct ibv_sge elements[2];
  if (pds[s->pd] == NULL) return NOT_MADE;
  set_elements(s, elements);
  const int error = ibv_advise_mr(pds[s->pd], (enum ibv_advise_mr_advice)s->option, s->flags,
                                  elements, s->elements);
  return error != 0 ? BARE_REFUSED : 0;
}

static int receive(const struct bare_step* s) {
  struct end* end = end_of(s->qp);
  struct ibv_sge elements[2];
  struct ibv_recv_wr *bad, request = {.sg_list = elements, .num_sge = s->elements};
  if (end->qp == NULL) return NOT_MADE;
  set_elements(s, elements);
  request.wr_id = next_id++ | (end->failed ? BARE_GHOST : 0);
  if (ibv_post_recv(end->qp, &request, &bad) != 0) return BARE_REFUSED;
  if (!end->failed) end->receive = request.wr_id;
  return 0;
}

static int after_error(struct end* end, int must_fail) {
  struct pace pace = {0, 0};
  int state;
  do state = state_of(end);
  while (must_fail && state == IBV_QPS_RTS && again(&pace, STATE_LIMIT_MS));
  return state;
}

static int is_error(int receive) { return receive != BARE_NONE && receive != IBV_WC_SUCCESS; }

/* Both ends after an error: their states, and the receives posted on them. */
static void settle(struct end* own, struct end* peer, int status, int own_receive,
                   int peer_receive) {
  const int found_by_peer = status == IBV_WC_REM_INV_REQ_ERR || status == IBV_WC_REM_ACCESS_ERR ||
                            status == IBV_WC_REM_OP_ERR;
  const int own_state = after_error(own, status != IBV_WC_SUCCESS || is_error(own_receive));
  const int peer_state = after_error(peer, found_by_peer || is_error(peer_receive));
  complete_receive(own, own->receive != 0 && own_state == IBV_QPS_ERR);
  complete_receive(peer, peer->receive != 0 && peer_state == IBV_QPS_ERR);
}

/* From the post to the last thing that it causes; the completion's status. */
static int follow(const struct bare_step* s) {
  struct pair* pair = pair_of(s->qp);
  struct end *own = end_of(s->qp), *peer = end_of(s->qp ^ 1);
  struct ibv_wc wc[2];
  if (await(own->send_cq, wc, 2, LIMIT_MS) == 0) {
    pair->lost = 1;
    return BARE_NONE;
  }
  const int status = (int)wc[0].status;
  int own_receive = BARE_NONE, peer_receive = BARE_NONE;
  if (status == IBV_WC_SUCCESS) {
    const int delivers = s->verb == BARE_send || s->verb == BARE_send_with_inv ||
                         s->verb == BARE_rdma_write_with_imm;
    peer_receive = complete_receive(peer, delivers && peer->receive != 0);
    own_receive = complete_receive(own, 0);
    if (!is_error(own_receive) && !is_error(peer_receive)) return status;
  }
  pair->failed = 1;
  settle(own, peer, status, own_receive, peer_receive);
  return status;
}

static enum ibv_wr_opcode opcode_of(uint8_t verb) {
  switch (verb) {
    case BARE_post_bind_mw: return IBV_WR_BIND_MW;
    case BARE_local_inv: return IBV_WR_LOCAL_INV;
    case BARE_send_with_inv: return IBV_WR_SEND_WITH_INV;
    case BARE_rdma_write: return IBV_WR_RDMA_WRITE;
    case BARE_rdma_write_with_imm: return IBV_WR_RDMA_WRITE_WITH_IMM;
    case BARE_rdma_read: return IBV_WR_RDMA_READ;
    case BARE_atomic_fetch_and_add: return IBV_WR_ATOMIC_FETCH_AND_ADD;
    case BARE_atomic_cmp_and_swp: return IBV_WR_ATOMIC_CMP_AND_SWP;
    default: return IBV_WR_SEND;
  }
}

static int transfer(const struct bare_step* s) {
  struct ibv_sge elements[2];
  struct ibv_send_wr *bad,
      request = {.wr_id = next_id++, .opcode = opcode_of(s->verb), .send_flags = IBV_SEND_SIGNALED};
  struct ibv_qp* qp = end_of(s->qp)->qp;
  if (qp == NULL) return NOT_MADE;
  if (s->verb >= BARE_send) {
    set_elements(s, elements);
    request.sg_list = elements;
    request.num_sge = s->elements;
  }
  if (s->verb == BARE_atomic_fetch_and_add || s->verb == BARE_atomic_cmp_and_swp) {
    request.wr.atomic.remote_addr = s->remote;
    request.wr.atomic.rkey = key_of(s->rkey);
    request.wr.atomic.compare_add = s->operand;
    request.wr.atomic.swap = s->swap;
  } else if (s->verb >= BARE_rdma_write) {
    request.wr.rdma.remote_addr = s->remote;
    request.wr.rdma.rkey = key_of(s->rkey);
  } else if (s->verb == BARE_local_inv || s->verb == BARE_send_with_inv) {
    request.invalidate_rkey = key_of(s->rkey);
  }
  if (s->verb == BARE_rdma_write_with_imm) request.imm_data = (uint32_t)request.wr_id;
  if (ibv_post_send(qp, &request, &bad) != 0) return BARE_REFUSED;
  return follow(s);
}

static int bind_window(const struct bare_step* s) {
  struct ibv_mw* window = windows[s->mw];
  struct ibv_qp* qp = end_of(s->qp)->qp;
  if (window == NULL || qp == NULL || regions[s->mr] == NULL) return NOT_MADE;
  const struct ibv_mw_bind_info info = {regions[s->mr], s->address, s->length, s->access};
  const uint32_t old = window->rkey;
  int ended;
  if (s->verb == BARE_bind_mw) {
    struct ibv_mw_bind wanted = {next_id++, IBV_SEND_SIGNALED, info};
    ended = ibv_bind_mw(qp, window, &wanted) != 0 ? BARE_REFUSED : follow(s);
    if (ended != IBV_WC_SUCCESS) window->rkey = old;
  } else {
    struct ibv_send_wr *bad, request = {.wr_id = next_id++,
                                        .opcode = IBV_WR_BIND_MW,
                                        .send_flags = IBV_SEND_SIGNALED,
                                        .bind_mw = {window, key_of(s->rkey), info}};
    ended = ibv_post_send(qp, &request, &bad) != 0 ? BARE_REFUSED : follow(s);
    if (ended == IBV_WC_SUCCESS) window->rkey = request.bind_mw.rkey;
  }
  if (ended != IBV_WC_SUCCESS) return ended;
  old_window_key[s->mw] = window_key[s->mw];
  window_key[s->mw] = window->rkey;
  return ended;
}

/* -- cases --------------------------------------------------------------------------------- */

static int make(const struct bare_step* s) {
  switch (s->verb) {
    case BARE_alloc_pd: return allocate_domain(s);
    case BARE_dealloc_pd: return end_domain(s);
    case BARE_rereg_mr: return reregister(s);
    case BARE_dereg_mr: return end_region(&regions[s->mr]);
    case BARE_advise_mr: return advise(s);
    case BARE_alloc_mw: return allocate_window(s);
    case BARE_dealloc_mw: return end_window(&windows[s->mw]);
    case BARE_bind_mw:
    case BARE_post_bind_mw: return bind_window(s);
    case BARE_post_recv: return receive(s);
    case BARE_query_qp: return query(s);
    case BARE_connect: return connect_again(s);
    case BARE_destroy_qp: return destroy(s);
    case BARE_fill: return fill(s->address, s->length, s->seed), 0;
    case BARE_protect: return protect(s->address, s->length, s->option), 0;
    default: return s->verb >= BARE_local_inv ? transfer(s) : register_region(s);
  }
}

static void release_objects(void) {
  for (int p = 0; p < 2; ++p) {
    struct pair* pair = &pairs[p];
    if (!live(pair) || pair->failed || pair->lost) continue;
    for (int i = 0; i < 2; ++i) pair->failed |= state_of(&pair->ends[i]) != IBV_QPS_RTS;
    for (int i = 0; i < 2 && !pair->failed; ++i)
      if (pair->ends[i].receive != 0)
        pair->failed = send_nothing(&pair->ends[1 - i], &pair->ends[i]) != 0;
  }
  for (int i = 0; i < WINDOWS; ++i)
    if (end_window(&windows[i]) != 0) windows[i] = NULL;
  for (int i = 0; i < REGIONS; ++i)
    if (end_region(&regions[i]) != 0) regions[i] = NULL;
}

static int pair_stays(const struct pair* pair, const uint8_t* qp_pd) {
  if (!live(pair) || pair->lost || pair->failed || pair->reset) return 0;
  for (int i = 0; i < 2; ++i)
    if (!given[qp_pd[i]] || pair->ends[i].pd != pds[qp_pd[i]]) return 0;
  return 1;
}

static void begin(const struct bare_case* c) {
  release_objects();
  for (int p = 0; p < 2; ++p)
    if (!pair_stays(&pairs[p], &c->qp_pd[p * 2])) release_pair(&pairs[p]);
  for (int i = 0; i < PDS; ++i) {
    if (pds[i] != NULL && !(given[i] && c->pd[i])) {
      ibv_dealloc_pd(pds[i]);
      pds[i] = NULL;
    }
    if (c->pd[i] && pds[i] == NULL) pds[i] = ibv_alloc_pd(context);
    given[i] = c->pd[i];
  }
  for (int p = 0; p < 2; ++p)
    if (!live(&pairs[p]) &&
        make_pair(&pairs[p], pds[c->qp_pd[p * 2]], pds[c->qp_pd[p * 2 + 1]]) != 0)
      fail("connecting the case's pairs");
  restore_buffers();
}

struct sums {
  uint64_t made, as_in_run;
};

static struct sums run(const struct bare_header* header) {
  const struct bare_case* cases = (const void*)(header + 1);
  const struct bare_step* step = (const void*)(cases + header->cases);
  struct sums sums = {0, 0};
  for (uint64_t c = 0; c < header->cases; ++c) {
    begin(&cases[c]);
    for (uint64_t i = 0; i < cases[c].steps; ++i, ++step) {
      const int ended = make(step);
      if (comparing) compare_buffers();
      sums.made += ended != NOT_MADE;
      sums.as_in_run += (uint64_t)ended == step->ended;
    }
    for (int p = 0; p < 2; ++p) pairs[p].lost |= cases[c].doubted && live(&pairs[p]);
  }
  return sums;
}

static struct bare_header* load(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL || fseek(file, 0, SEEK_END) != 0) fail(path);
  const long size = ftell(file);
  struct bare_header* header = malloc((size_t)size);
  rewind(file);
  errno = EINVAL; /* unless reading sets another */
  if (header == NULL || size < (long)sizeof *header || fread(header, (size_t)size, 1, file) != 1 ||
      (uint64_t)size != sizeof *header + header->cases * sizeof(struct bare_case) +
                            header->steps * sizeof(struct bare_step))
    fail(path);
  fclose(file);
  return header;
}

int main(int argc, char** argv) {
  comparing = argc == 4 && strcmp(argv[3], "comparing") == 0;
  if (argc != 3 + comparing) {
    fputs("usage: bare_loop DEVICE TABLE [comparing]\n", stderr);
    return 2;
  }
  const struct bare_header* header = load(argv[2]);
  wants_read = header->read_after_connect != 0;
  prctl(PR_SET_TIMERSLACK, 1UL);
  open_device(argv[1]);
  map_buffers(header);
  const uint64_t start = now_ns();
  const struct sums sums = run(header);
  const uint64_t bare_ns = now_ns() - start;
  if (comparing) {
    printf("bare_loop: comparing_ns %" PRIu64 "\n", bare_ns);
    return 0;
  }
  printf("bare_loop: steps %" PRIu64 " made %" PRIu64 " as_in_run %" PRIu64 " bare_ns %" PRIu64
         " harness_ns %" PRIu64 " step_ns %" PRIu64 " inside_ns %" PRIu64 " reset_ns %" PRIu64 "\n",
         header->steps, sums.made, sums.as_in_run, bare_ns, header->harness_ns, header->step_ns,
         header->inside_ns, header->reset_ns);
  return 0;
}
