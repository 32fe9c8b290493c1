/* What bare_loop.c works on: the device, the buffers and the pairs, used as the harness does. */
#pragma once

#include <infiniband/verbs.h>

#include "bare_table.h"

#define BARE_GHOST (1ULL << 63) /* of the wr_id of what belongs to no step */

struct end {
  struct ibv_qp* qp;
  struct ibv_cq *send_cq, *receive_cq;
  struct ibv_pd* pd;
  uint64_t receive; /* wr_id of the posted receive, or 0 */
  int failed;
};

struct pair {
  struct end ends[2];
  uint32_t psn;
  int failed, lost, reset;
};

extern struct pair pairs[2];
extern struct ibv_context* context;
extern uint64_t next_id;

/* Paces a loop that waits: busy for 300 us, then sleeping. As impl/verbs/patience.hpp, or the two
 * would wait for other times. */
struct pace {
  unsigned looks;
  uint64_t start;
};

void fail(const char* what) __attribute__((noreturn));
uint64_t now_ns(void);
/* 0: the time is over. */
int again(struct pace* pace, uint64_t limit_ms);

void open_device(const char* name);
void map_buffers(const struct bare_header* header);
void restore_buffers(void);
/* Compares all that is mapped with what it was at first; does not stop where they differ. */
void compare_buffers(void);
void fill(uint64_t address, uint64_t length, uint8_t seed);
void protect(uint64_t address, uint64_t length, uint8_t option);

/* ibv_poll_cq(3), waiting for the first that is no ghost; 0 when the time is over. */
int await(struct ibv_cq* cq, struct ibv_wc* wc, int most, uint64_t limit_ms);
/* IBV_QPS_UNKNOWN of one that was destroyed. */
int state_of(struct end* end);
/* 0: a read of no bytes succeeded. */
int read_nothing(struct end* end);
int send_nothing(struct end* from, struct end* to);
/* Takes receives' completions; the status of the last, BARE_NONE if there was none. */
int complete_receive(struct end* end, int wait);
int live(const struct pair* pair);
int make_pair(struct pair* pair, struct ibv_pd* first, struct ibv_pd* second);
int reconnect(struct pair* pair);
void release_pair(struct pair* pair);
