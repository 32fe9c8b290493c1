/* What bare_loop replays: the calls of a run's walks, as bare_table wrote them from its journal.
 *
 * Native byte order and layout: the table is written and read in one place. The file is a
 * bare_header, its cases, then the steps of all of them. */
#pragma once

#include <stdint.h>

/* In the order of model::Verb; bare_table.cpp asserts that. */
#define BARE_VERBS(X)                                                                             \
  X(alloc_pd)                                                                                     \
  X(dealloc_pd)                                                                                   \
  X(reg_mr)                                                                                       \
  X(reg_mr_iova) X(reg_mr_ex) X(reg_dmabuf_mr) X(alloc_null_mr) X(reg_shared_mr) X(rereg_mr)      \
      X(dereg_mr) X(advise_mr) X(alloc_mw) X(dealloc_mw) X(bind_mw) X(post_bind_mw) X(local_inv)  \
          X(post_recv) X(send) X(send_with_inv) X(rdma_write) X(rdma_write_with_imm) X(rdma_read) \
              X(atomic_fetch_and_add) X(atomic_cmp_and_swp) X(query_qp) X(connect) X(destroy_qp)  \
                  X(fill) X(protect)

#define BARE_ENUMERATOR(name) BARE_##name,
enum bare_verb { BARE_VERBS(BARE_ENUMERATOR) };

/* Whose key is meant, in the order of KeyName::Kind. */
enum bare_key_kind {
  BARE_KEY_VALUE,
  BARE_KEY_LKEY,
  BARE_KEY_RKEY,
  BARE_KEY_OLD_LKEY,
  BARE_KEY_OLD_RKEY,
  BARE_KEY_WINDOW,
  BARE_KEY_OLD_WINDOW
};

enum { BARE_ABSENT = 0xff, BARE_BUFFERS = 4 };

/* How a step ended: the status of its completion, or one of these. */
enum { BARE_REFUSED = 0xff, BARE_NONE = 0xfe, BARE_OTHER = 0xfd };

struct bare_key {
  uint32_t kind, slot, flip, value;
};

/* Fields as those of model::Call. */
struct bare_step {
  uint8_t verb, pd, mr, mw, qp, option, seed, elements;
  uint32_t access, flags;
  struct bare_key lkey, second_lkey, rkey;
  uint64_t address, length, second_address, second_length, remote, iova, operand, swap;
  uint64_t ended; /* in the run */
};

struct bare_case {
  uint64_t steps;
  uint8_t pd[4];    /* whether it is there at the start */
  uint8_t qp_pd[4]; /* BARE_ABSENT, or the domain */
  uint64_t doubted; /* 1: it ended early, and the next one begins with new pairs */
};

struct bare_header {
  uint64_t cases, steps;
  uint64_t read_after_connect;      /* Plan::read_after_connect */
  uint64_t buffer[BARE_BUFFERS][2]; /* address and bytes */
  /* Of the run: all its time; of that its steps', of that its calls'; and that between cases. */
  uint64_t harness_ns, step_ns, inside_ns, reset_ns;
};
