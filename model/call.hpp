// Calls that a program makes and results that it sees.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/domain.hpp"

namespace mrproof::model {

/// What is called. A data-path verb is one work request: posted, and its completion waited for.
/// {element} is a scatter/gather element: lkey, address, length; there are one or two of them.
enum class Verb : std::uint8_t {
  alloc_pd,             ///< pd = ibv_alloc_pd()
  dealloc_pd,           ///< ibv_dealloc_pd(pd)
  reg_mr,               ///< mr = ibv_reg_mr(pd, address, length, access)
  reg_mr_iova,          ///< mr = ibv_reg_mr_iova(pd, address, length, iova, access)
  reg_mr_ex,            ///< mr = ibv_reg_mr_ex(pd, {address, length, iova, access})
  reg_dmabuf_mr,        ///< mr = ibv_reg_dmabuf_mr(pd, offset `address`, length, iova, access)
  alloc_null_mr,        ///< mr = ibv_alloc_null_mr(pd)
  reg_shared_mr,        ///< mr = shared registration of `source` in pd (dialect mlnx-exp)
  rereg_mr,             ///< ibv_rereg_mr(mr, flags, pd, address, length, access)
  dereg_mr,             ///< ibv_dereg_mr(mr)
  advise_mr,            ///< ibv_advise_mr(pd, option (Advice), flags, {element})
  alloc_mw,             ///< mw = ibv_alloc_mw(pd, option (WindowType))
  dealloc_mw,           ///< ibv_dealloc_mw(mw)
  bind_mw,              ///< ibv_bind_mw(qp, mw, {mr, address, length, access})
  post_bind_mw,         ///< IBV_WR_BIND_MW on qp: mw, new key `rkey`, {mr, address, length, access}
  local_inv,            ///< IBV_WR_LOCAL_INV on qp of `rkey`
  post_recv,            ///< ibv_post_recv(qp, {element})
  send,                 ///< IBV_WR_SEND on qp from {element}; ends with both completions
  send_with_inv,        ///< the same with IBV_WR_SEND_WITH_INV of `rkey`
  rdma_write,           ///< IBV_WR_RDMA_WRITE from {element} to {rkey, remote}
  rdma_write_with_imm,  ///< the same with IBV_WR_RDMA_WRITE_WITH_IMM: consumes a receive
  rdma_read,            ///< IBV_WR_RDMA_READ to {element} from {rkey, remote}
  atomic_fetch_and_add,  ///< on the 8 bytes at {rkey, remote} by `operand`; old value to {element}
  atomic_cmp_and_swp,    ///< the same: `swap` replaces the value if it equals `operand`
  query_qp,              ///< ibv_query_qp(qp): the state and the rights
  modify_qp,             ///< ibv_modify_qp(qp): `access` is what its peer may ask for
  connect,               ///< qp and its peer are brought to RTS again, queues empty
  destroy_qp,            ///< ibv_destroy_qp(qp)
  fill,     ///< the program itself writes `length` bytes of pattern `seed` at `address`
  protect,  ///< whole pages are unmapped, mapped, or made read-only: option (Protection)
};
inline constexpr std::size_t kVerbs = 30;
inline constexpr std::array<std::string_view, kVerbs> kVerbNames{"alloc_pd", "dealloc_pd", "reg_mr",
    "reg_mr_iova", "reg_mr_ex", "reg_dmabuf_mr", "alloc_null_mr", "reg_shared_mr", "rereg_mr",
    "dereg_mr", "advise_mr", "alloc_mw", "dealloc_mw", "bind_mw", "post_bind_mw", "local_inv",
    "post_recv", "send", "send_with_inv", "rdma_write", "rdma_write_with_imm", "rdma_read",
    "atomic_fetch_and_add", "atomic_cmp_and_swp", "query_qp", "modify_qp", "connect",
    "destroy_qp", "fill", "protect"};

/// How a call ended: `ok` (for a work request: IBV_WC_SUCCESS), `refused` (NULL or an errno from
/// the call itself), or the work completion's error status, named as enum ibv_wc_status.
enum class Outcome : std::uint8_t {
  ok,
  refused,
  loc_len_err,
  loc_qp_op_err,
  loc_prot_err,
  wr_flush_err,
  loc_access_err,
  rem_inv_req_err,
  rem_access_err,
  rem_op_err,
  retry_exc_err,
  rnr_retry_exc_err,
  other_err,  ///< any other status
  none,       ///< no completion (of a receive that stays posted)
  mw_bind_err,
  /// Over iWARP: the work request failed, or was sent and then refused, and the connection ended.
  terminated,
};
inline constexpr std::size_t kOutcomes = 16;
/// Names as traces print them; `ok` is printed as SUCCESS for work requests.
inline constexpr std::array<std::string_view, kOutcomes> kOutcomeNames{"ok", "refused",
    "LOC_LEN_ERR", "LOC_QP_OP_ERR", "LOC_PROT_ERR", "WR_FLUSH_ERR", "LOC_ACCESS_ERR",
    "REM_INV_REQ_ERR", "REM_ACCESS_ERR", "REM_OP_ERR", "RETRY_EXC_ERR", "RNR_RETRY_EXC_ERR",
    "OTHER_ERR", "none", "MW_BIND_ERR", "TERMINATED"};

/// Whether the verb is a work request of a send queue: its `ok` is a completion with
/// IBV_WC_SUCCESS.
constexpr bool is_transfer(Verb verb) {
  return (verb >= Verb::bind_mw && verb <= Verb::local_inv) ||
         (verb >= Verb::send && verb <= Verb::atomic_cmp_and_swp);
}
/// Whether the verb is a send, with or without invalidation.
constexpr bool is_send(Verb verb) { return verb == Verb::send || verb == Verb::send_with_inv; }
/// Whether the work request is over for its queue pair when its bytes were handed to a connection
/// that acknowledges nothing (RFC 5040, 5.2 and 5.4).
constexpr bool is_sent_only(Verb verb) {
  return is_send(verb) || verb == Verb::rdma_write || verb == Verb::rdma_write_with_imm;
}
/// Whether a request of the verb may be posted inline (ibv_post_send(3)).
constexpr bool takes_inline(Verb verb) { return is_sent_only(verb); }
/// Whether the verb is one of the two atomic operations.
constexpr bool is_atomic(Verb verb) {
  return verb == Verb::atomic_fetch_and_add || verb == Verb::atomic_cmp_and_swp;
}
/// Whether the verb goes to memory at the other end by {rkey, remote}.
constexpr bool is_remote(Verb v) { return v >= Verb::rdma_write && v <= Verb::atomic_cmp_and_swp; }
/// Whether the verb binds a memory window.
constexpr bool is_bind(Verb verb) { return verb == Verb::bind_mw || verb == Verb::post_bind_mw; }
/// Whether the verb's `ok` makes the region in slot `mr`.
constexpr bool makes_region(Verb v) { return v >= Verb::reg_mr && v <= Verb::reg_shared_mr; }
/// Whether the verb takes {element}s.
constexpr bool has_elements(Verb verb) {
  return verb == Verb::advise_mr || (verb >= Verb::post_recv && verb <= Verb::atomic_cmp_and_swp);
}
/// States of a queue pair that the model tells apart (ibv_modify_qp(3)).
enum class QpState : std::uint8_t { unknown, rts, err, other };
inline constexpr std::array<std::string_view, 4> kQpStateNames{"unknown", "RTS", "ERR", "OTHER"};

/// `option` of alloc_mw: enum ibv_mw_type (ibv_alloc_mw(3)).
enum WindowType : std::uint8_t { kTypeOne = 1, kTypeTwo = 2 };

/// `option` of advise_mr: enum ib_uverbs_advise_mr_advice (ibv_advise_mr(3)); other values are not
/// defined.
enum Advice : std::uint8_t { kPrefetch = 0, kPrefetchWrite = 1, kPrefetchNoFault = 2 };
/// `flags` of advise_mr (ibv_advise_mr(3)).
inline constexpr std::uint32_t kAdviseFlush = 1;

/// `flags` of a work request of a send queue: how it is asked for (ibv_post_send(3), send_flags).
enum RequestForm : std::uint32_t {
  kUnsignaled = 1U << 0,  ///< without IBV_SEND_SIGNALED: a success has no completion
  kFenced = 1U << 1,      ///< IBV_SEND_FENCE
  kSolicited = 1U << 2,   ///< IBV_SEND_SOLICITED
  kLinked = 1U << 3,      ///< posted in one list with the request behind it
  kInline = 1U << 4,      ///< IBV_SEND_INLINE: its bytes are taken along when it is posted
};
/// Bytes that a request takes along at most: queue pairs are asked for as many (max_inline_data).
inline constexpr std::uint32_t kInlineBytes = 32;

/// `flags` of rereg_mr (ibv_rereg_mr(3)).
enum Change : std::uint32_t { kChangeTranslation = 1, kChangePd = 2, kChangeAccess = 4 };
inline constexpr std::uint32_t kChanges = kChangeTranslation | kChangePd | kChangeAccess;

/// `error` of a refused rereg_mr in dialect linux: enum ibv_rereg_mr_err_code, as 32 bits.
inline constexpr std::uint32_t kErrInput = ~0U, kErrDontForkNew = ~1U, kErrDoForkOld = ~2U,
                               kErrCmd = ~3U, kErrCmdAndDoForkNew = ~4U;

/// `option` of protect: what becomes of the pages.
enum Protection : std::uint8_t {
  kNoPages = 0,     ///< unmapped; their bytes are lost
  kReadPages = 1,   ///< read-only
  kWritePages = 2,  ///< readable and writable again; pages that were unmapped hold zeros
};

/// How much of a call it is: all of it, or one end of one that other calls overlap.
enum class Part : std::uint8_t {
  whole,       ///< made, and its end waited for
  posted,      ///< posted, it is in flight from now on; or no work request, and begun in a thread
  completion,  ///< the completion of the request in flight with this label; or the call's return
};
/// Requests in flight and calls that overlap have labels from 1 on: 'a' to 'z' in traces.
inline constexpr std::uint8_t kMostLabels = 26;
/// The longest delay before a call: a second.
inline constexpr std::uint32_t kMostDelay = 1'000'000;

/// Whether calls of the verb can overlap each other: threads of their own make them. Work requests
/// overlap others when they are in flight.
constexpr bool may_overlap(Verb verb) {
  return !is_transfer(verb) && verb != Verb::post_recv && verb < Verb::fill &&
         verb != Verb::connect;
}

/// A scatter/gather element.
template <class D> struct Element {
  typename D::Key lkey{};
  typename D::Address address{}, length{};
};

/// One call with its arguments. Slots, options and counts are plain numbers in every domain; values
/// are the domain's. Fields that a verb does not have keep their zero value.
template <class D> struct Call {
  Verb verb = Verb::fill;
  std::uint32_t pd = 0;       ///< slot: alloc_pd's target, else the argument
  std::uint32_t mr = 0;       ///< slot: target of registrations, else the argument
  std::uint32_t mw = 0;       ///< slot: alloc_mw's target, else the argument
  std::uint32_t qp = 0;       ///< slot; its peer is qp ^ 1
  std::uint32_t source = 0;   ///< slot of the region that reg_shared_mr shares
  std::uint8_t option = 0;    ///< WindowType, Advice or Protection
  std::uint8_t seed = 0;      ///< fill's pattern
  std::uint8_t elements = 1;  ///< scatter/gather elements: 1, or 2 with `second`
  Part part = Part::whole;
  std::uint8_t label = 0;  ///< of a request in flight, or of the thread; 0 if `part` is the whole
  /// Microseconds that the program sleeps before the call: where requests in flight are then is a
  /// matter of it. Of a call that overlaps others, after the moment at which they begin, or after
  /// the return of the one that it follows. No result depends on it.
  std::uint32_t delay = 0;
  /// Label of the call that overlaps others behind which the same thread makes this one, if that
  /// one succeeds; 0: it is the first of its thread.
  std::uint8_t follows = 0;
  typename D::Flags access{};
  typename D::Flags flags{};      ///< Change flags, advise_mr's, or a request's RequestForm
  typename D::Address address{};  ///< of memory; of the first element as its key sees it
  typename D::Address length{};   ///< bytes
  typename D::Key lkey{};         ///< of the first element
  Element<D> second{};
  typename D::Key rkey{};                 ///< remote key; to be invalidated; wanted by post_bind_mw
  typename D::Address remote{};           ///< remote address
  typename D::Address iova{};             ///< hca_va of ibv_reg_mr_iova(3)
  typename D::Address operand{}, swap{};  ///< compare_add and swap of an atomic operation
};

/// Whether the call overlaps others of its kind: it is begun, or it returns.
constexpr bool is_overlapping(const auto& call) {
  return call.part != Part::whole && !is_transfer(call.verb);
}

/// What the caller saw. Fields that a verb does not give keep their zero value.
template <class D> struct Result {
  Outcome outcome = Outcome::ok;
  typename D::Key error{};   ///< return code or errno of a refusal, 0 if none was given
  typename D::Key reason{};  ///< errno beside a return code that is none (rereg_mr)
  typename D::Key lkey{};    ///< of a region made or re-registered
  typename D::Key rkey{};    ///< of the same, of a window allocated or bound
  /// wr_id, qp_num and (on success) opcode as posted; of a receive also what its send came with
  typename D::Bit completion_matches{};
  typename D::Small qp_state{}, peer_state{};  ///< QpState after the call; unknown: not asked
  typename D::Small own_receive{};   ///< Outcome of the receive posted on qp (none: stays)
  typename D::Small peer_receive{};  ///< Outcome of the receive posted on the peer
  typename D::Address received{};    ///< byte_len of the peer's successful receive
  typename D::Flags rights{};        ///< of query_qp: kPairRights told, and kRightsTold; else 0
};

}  // namespace mrproof::model
