/* Pairs, buffers and waiting of bare_loop.c. */
#define _GNU_SOURCE
#include "bare_pairs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { PAGE = 4096, STRIDE = 1 << 20, MOST_PAGES = 4, DEPTH = 16, LIMIT_MS = 30000 };

struct pair pairs[2];
struct ibv_context* context;
uint64_t next_id = 1;

static struct ibv_device_attr attributes;
static struct ibv_port_attr port;
static struct ibv_gid_entry gid;
static const struct bare_header* layout;
static uint8_t mapped[BARE_BUFFERS][MOST_PAGES];
static _Alignas(64) uint8_t pristine[BARE_BUFFERS][MOST_PAGES * PAGE];

void fail(const char* what) {
  fprintf(stderr, "bare_loop: %s: %s\n", what, strerror(errno));
  exit(2);
}

uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

int again(struct pace* pace, uint64_t limit_ms) {
  if (++pace->looks % 16 != 0) return 1;
  const uint64_t now = now_ns();
  if (pace->looks == 16) pace->start = now;
  const uint64_t waited = now - pace->start;
  if (waited > limit_ms * 1000000) return 0;
  if (waited < 300000) return 1;
  const struct timespec nap = {0, waited < 5000000 ? 1000 : 100000};
  nanosleep(&nap, NULL);
  pace->looks = 31;
  return 1;
}

static void choose_gid(void) {
  int best = 0;
  for (int i = 0; i < port.gid_tbl_len; ++i) {
    struct ibv_gid_entry entry;
    if (ibv_query_gid_ex(context, 1, (uint32_t)i, &entry, 0) != 0) continue;
    const int ipv4 = entry.gid.raw[0] == 0 && entry.gid.raw[10] == 0xff;
    const int rank = entry.gid_type == IBV_GID_TYPE_ROCE_V2 ? 2 + ipv4 : 1;
    if (rank > best) gid = entry, best = rank;
  }
}

void open_device(const char* name) {
  struct ibv_device** list = ibv_get_device_list(NULL);
  errno = ENODEV; /* unless opening sets another */
  for (; list != NULL && *list != NULL && context == NULL; ++list)
    if (strcmp(name, ibv_get_device_name(*list)) == 0) context = ibv_open_device(*list);
  if (context == NULL) fail(name);
  if (ibv_query_device(context, &attributes) != 0) fail("ibv_query_device");
  if (ibv_query_port(context, 1, &port) != 0) fail("ibv_query_port");
  choose_gid();
}

/* -- buffers ------------------------------------------------------------------------------- */

static uint8_t* at(uint64_t address) { return (uint8_t*)(uintptr_t)address; }

static void map(int buffer, int page) {
  void* wanted = at(layout->buffer[buffer][0] + (uint64_t)page * PAGE);
  if (mmap(wanted, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
           -1, 0) != wanted)
    fail("mmap");
  mapped[buffer][page] = 1;
}

/* pattern_byte() of impl/layout.hpp. */
static uint8_t pattern(uint8_t seed, uint64_t offset) {
  uint64_t value = (offset + 1) * 0x9e3779b97f4a7c15 + seed * 0xbf58476d1ce4e5b9;
  return (uint8_t)(((value ^ value >> 30) * 0x94d049bb133111eb) >> 56);
}

void fill(uint64_t address, uint64_t length, uint8_t seed) {
  for (uint64_t i = 0; i < length; ++i) at(address)[i] = pattern(seed, i);
}

void map_buffers(const struct bare_header* header) {
  layout = header;
  for (int b = 0; b < BARE_BUFFERS; ++b)
    for (uint64_t i = 0; i < layout->buffer[b][1]; ++i)
      pristine[b][i] = pattern((uint8_t)(0x40 + b), i);
  restore_buffers();
}

static int was_protected;

void restore_buffers(void) {
  for (int b = 0; b < BARE_BUFFERS; ++b) {
    const uint64_t size = layout->buffer[b][1];
    for (int page = 0; page < (int)(size / PAGE); ++page)
      if (!mapped[b][page]) map(b, page);
    if (was_protected) mprotect(at(layout->buffer[b][0]), size, PROT_READ | PROT_WRITE);
    memcpy(at(layout->buffer[b][0]), pristine[b], size);
  }
  was_protected = 0;
}

/* By words, as conformance/oracle/equal_bytes.cpp: an emulator compares vectors more slowly. */
static uint64_t differing_bits(const volatile uint64_t* p, const volatile uint64_t* q) {
  uint64_t all = 0;
  for (const volatile uint64_t* const end = p + PAGE / sizeof *p; p != end; p += 8, q += 8)
    all |= (p[0] ^ q[0]) | (p[1] ^ q[1]) | (p[2] ^ q[2]) | (p[3] ^ q[3]) | (p[4] ^ q[4]) |
           (p[5] ^ q[5]) | (p[6] ^ q[6]) | (p[7] ^ q[7]);
  return all;
}

void compare_buffers(void) {
  static volatile uint64_t sink;
  for (int b = 0; b < BARE_BUFFERS; ++b)
    for (int page = 0; page < (int)(layout->buffer[b][1] / PAGE); ++page)
      if (mapped[b][page])
        sink |= differing_bits((const void*)at(layout->buffer[b][0] + (uint64_t)page * PAGE),
                               (const void*)&pristine[b][page * PAGE]);
}

void protect(uint64_t address, uint64_t length, uint8_t option) {
  const int b = (int)((address - layout->buffer[0][0]) / STRIDE);
  const int first = (int)((address - layout->buffer[b][0]) / PAGE);
  was_protected = 1;
  for (int page = first; page < first + (int)(length / PAGE); ++page) {
    uint8_t* where = at(layout->buffer[b][0] + (uint64_t)page * PAGE);
    if (!mapped[b][page]) {
      if (option == 2) map(b, page);
    } else if (option == 0) {
      munmap(where, PAGE);
      mapped[b][page] = 0;
    } else {
      mprotect(where, PAGE, option == 2 ? PROT_READ | PROT_WRITE : PROT_READ);
    }
  }
}

/* -- completions --------------------------------------------------------------------------- */

int await(struct ibv_cq* cq, struct ibv_wc* wc, int most, uint64_t limit_ms) {
  struct pace pace = {0, 0};
  do {
    const int count = ibv_poll_cq(cq, most, wc);
    if (count < 0) fail("ibv_poll_cq");
    int kept = 0;
    for (int i = 0; i < count; ++i)
      if ((wc[i].wr_id & BARE_GHOST) == 0) wc[kept++] = wc[i];
    if (kept != 0) return kept;
  } while (again(&pace, limit_ms));
  return 0;
}

int complete_receive(struct end* end, int wait) {
  struct pace pace = {0, 0};
  struct ibv_wc wc;
  int status = BARE_NONE;
  while (end->qp != NULL) {
    if (ibv_poll_cq(end->receive_cq, 1, &wc) == 0) {
      if (status != BARE_NONE || !wait || !again(&pace, LIMIT_MS)) return status;
      continue;
    }
    if ((wc.wr_id & BARE_GHOST) != 0) continue;
    status = (int)wc.status;
    end->receive = 0;
  }
  return status;
}

int state_of(struct end* end) {
  struct ibv_qp_attr attr;
  struct ibv_qp_init_attr ignored;
  if (end->qp == NULL || ibv_query_qp(end->qp, &attr, IBV_QP_STATE, &ignored) != 0)
    return IBV_QPS_UNKNOWN;
  end->failed |= attr.qp_state != IBV_QPS_RTS;
  return (int)attr.qp_state;
}

int read_nothing(struct end* end) {
  struct ibv_send_wr *bad, read = {.wr_id = BARE_GHOST | next_id++,
                                   .opcode = IBV_WR_RDMA_READ,
                                   .send_flags = IBV_SEND_SIGNALED};
  struct pace pace = {0, 0};
  struct ibv_wc wc;
  if (ibv_post_send(end->qp, &read, &bad) != 0) return -1;
  while (ibv_poll_cq(end->send_cq, 1, &wc) == 0)
    if (!again(&pace, 250)) return -1;
  return wc.status == IBV_WC_SUCCESS && wc.wr_id == read.wr_id ? 0 : -1;
}

int send_nothing(struct end* from, struct end* to) {
  struct ibv_send_wr *bad, send = {
                               .wr_id = next_id++,
                               .opcode = IBV_WR_SEND,
                               .send_flags = IBV_SEND_SIGNALED,
                           };
  struct ibv_wc wc;
  if (ibv_post_send(from->qp, &send, &bad) != 0) return -1;
  if (await(from->send_cq, &wc, 1, LIMIT_MS) == 0 || wc.status != IBV_WC_SUCCESS) return -1;
  return complete_receive(to, 1) == IBV_WC_SUCCESS ? 0 : -1;
}

/* -- pairs --------------------------------------------------------------------------------- */

static uint8_t reads(int limit) { return (uint8_t)(limit < 1 ? 1 : limit > 16 ? 16 : limit); }

static int to_init(struct ibv_qp* qp) {
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT,
                             .port_num = 1,
                             .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ};
  const int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS;
  const unsigned windows =
      IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B;
  if (attributes.atomic_cap != IBV_ATOMIC_NONE) attr.qp_access_flags |= IBV_ACCESS_REMOTE_ATOMIC;
  if ((attributes.device_cap_flags & windows) == 0) return ibv_modify_qp(qp, &attr, mask);
  attr.qp_access_flags |= IBV_ACCESS_MW_BIND;
  if (ibv_modify_qp(qp, &attr, mask) == 0) return 0;
  attr.qp_access_flags &= ~(unsigned)IBV_ACCESS_MW_BIND;
  return ibv_modify_qp(qp, &attr, mask);
}

static int to_rtr(struct ibv_qp* qp, uint32_t peer, uint32_t psn) {
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTR,
                             .path_mtu = port.active_mtu,
                             .dest_qp_num = peer,
                             .rq_psn = psn,
                             .max_dest_rd_atomic = reads(attributes.max_qp_rd_atom),
                             .min_rnr_timer = 1,
                             .ah_attr = {.port_num = 1, .dlid = port.lid}};
  if (port.link_layer == IBV_LINK_LAYER_ETHERNET) {
    attr.ah_attr.is_global = 1;
    attr.ah_attr.grh.dgid = gid.gid;
    attr.ah_attr.grh.sgid_index = (uint8_t)gid.gid_index;
    attr.ah_attr.grh.hop_limit = 64;
  }
  return ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                           IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static int to_rts(struct ibv_qp* qp, uint32_t psn) {
  struct ibv_qp_attr attr = {.qp_state = IBV_QPS_RTS,
                             .sq_psn = psn,
                             .timeout = 17,
                             .retry_cnt = 6,
                             .rnr_retry = 1,
                             .max_rd_atomic = reads(attributes.max_qp_init_rd_atom)};
  return ibv_modify_qp(qp, &attr,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                           IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC);
}

static int bring_up(struct pair* pair) {
  struct ibv_qp *a = pair->ends[0].qp, *b = pair->ends[1].qp;
  pair->psn = (pair->psn + (1U << 16)) & 0xffffff;
  return to_init(a) != 0 || to_init(b) != 0 || to_rtr(a, b->qp_num, pair->psn) != 0 ||
         to_rtr(b, a->qp_num, pair->psn) != 0 || to_rts(a, pair->psn) != 0 ||
         to_rts(b, pair->psn) != 0;
}

static void make_end(struct end* end, struct ibv_pd* pd) {
  if (end->send_cq == NULL) end->send_cq = ibv_create_cq(context, DEPTH, NULL, NULL, 0);
  if (end->receive_cq == NULL) end->receive_cq = ibv_create_cq(context, DEPTH, NULL, NULL, 0);
  struct ibv_qp_init_attr wanted = {.send_cq = end->send_cq,
                                    .recv_cq = end->receive_cq,
                                    .cap = {DEPTH, DEPTH, 2, 2, 0},
                                    .qp_type = IBV_QPT_RC};
  end->pd = pd;
  end->qp = ibv_create_qp(pd, &wanted);
  if (end->qp == NULL) fail("ibv_create_qp");
}

int live(const struct pair* pair) { return pair->ends[0].qp != NULL || pair->ends[1].qp != NULL; }

int make_pair(struct pair* pair, struct ibv_pd* first, struct ibv_pd* second) {
  make_end(&pair->ends[0], first);
  make_end(&pair->ends[1], second);
  return bring_up(pair);
}

static void empty(struct end* end) {
  struct ibv_wc wc;
  while (end->send_cq != NULL && ibv_poll_cq(end->send_cq, 1, &wc) > 0) continue;
  while (end->receive_cq != NULL && ibv_poll_cq(end->receive_cq, 1, &wc) > 0) continue;
  end->receive = 0;
  end->failed = 0;
}

int reconnect(struct pair* pair) {
  struct ibv_qp_attr reset = {.qp_state = IBV_QPS_RESET};
  for (int i = 0; i < 2; ++i)
    if (ibv_modify_qp(pair->ends[i].qp, &reset, IBV_QP_STATE) != 0) return -1;
  empty(&pair->ends[0]);
  empty(&pair->ends[1]);
  return bring_up(pair);
}

/* The completion queues stay, unless the pair is lost. */
void release_pair(struct pair* pair) {
  for (int i = 0; i < 2; ++i) {
    struct end* end = &pair->ends[i];
    if (end->qp != NULL) ibv_destroy_qp(end->qp);
    end->qp = NULL;
    if (pair->lost) {
      if (end->send_cq != NULL) ibv_destroy_cq(end->send_cq);
      if (end->receive_cq != NULL) ibv_destroy_cq(end->receive_cq);
      end->send_cq = end->receive_cq = NULL;
    }
    empty(end);
  }
  pair->failed = pair->reset = pair->lost = 0;
}
