// Calls that a program makes and results that it sees.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/domain.hpp"

namespace mrproof::model {

/// What is called. A data-path verb is one work request: posted, and its completion waited for.
enum class Verb : std::uint8_t {
  alloc_pd,    ///< pd = ibv_alloc_pd()
  dealloc_pd,  ///< ibv_dealloc_pd(pd)
  reg_mr,      ///< mr = ibv_reg_mr(pd, address, length, access)
  dereg_mr,    ///< ibv_dereg_mr(mr)
  post_recv,   ///< ibv_post_recv(qp, {lkey, address, length})
  send,        ///< IBV_WR_SEND on qp from {lkey, address, length}; ends with both completions
  rdma_write,  ///< IBV_WR_RDMA_WRITE from {lkey, address, length} to {rkey, remote}
  rdma_read,   ///< IBV_WR_RDMA_READ to {lkey, address, length} from {rkey, remote}
  query_qp,    ///< ibv_query_qp(qp): the state
  connect,     ///< qp and its peer are brought to RTS again, queues empty
  fill,        ///< the program itself writes `length` bytes of pattern `seed` at `address`
};
inline constexpr std::size_t kVerbs = 11;
inline constexpr std::array<std::string_view, kVerbs> kVerbNames{
    "alloc_pd",   "dealloc_pd", "reg_mr",   "dereg_mr", "post_recv", "send",
    "rdma_write", "rdma_read",  "query_qp", "connect",  "fill"};

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
};
inline constexpr std::size_t kOutcomes = 14;
/// Names as traces print them; `ok` is printed as SUCCESS for work requests.
inline constexpr std::array<std::string_view, kOutcomes> kOutcomeNames{"ok",
                                                                       "refused",
                                                                       "LOC_LEN_ERR",
                                                                       "LOC_QP_OP_ERR",
                                                                       "LOC_PROT_ERR",
                                                                       "WR_FLUSH_ERR",
                                                                       "LOC_ACCESS_ERR",
                                                                       "REM_INV_REQ_ERR",
                                                                       "REM_ACCESS_ERR",
                                                                       "REM_OP_ERR",
                                                                       "RETRY_EXC_ERR",
                                                                       "RNR_RETRY_EXC_ERR",
                                                                       "OTHER_ERR",
                                                                       "none"};

/// Whether the verb is a work request whose `ok` is a completion with IBV_WC_SUCCESS.
constexpr bool is_transfer(Verb verb) {
  return verb == Verb::send || verb == Verb::rdma_write || verb == Verb::rdma_read;
}

/// States of a queue pair that the model tells apart (ibv_modify_qp(3)).
enum class QpState : std::uint8_t { unknown, rts, err, other };
inline constexpr std::array<std::string_view, 4> kQpStateNames{"unknown", "RTS", "ERR", "OTHER"};

/// One call with its arguments. Slots are plain numbers in every domain; values are the domain's.
template <class D>
struct Call {
  Verb verb = Verb::fill;
  std::uint8_t pd = 0;            ///< slot: alloc_pd's target, reg_mr's and dealloc_pd's argument
  std::uint8_t mr = 0;            ///< slot: reg_mr's target, dereg_mr's argument
  std::uint8_t qp = 0;            ///< slot; its peer is qp ^ 1
  std::uint8_t seed = 0;          ///< fill's pattern
  typename D::Flags access{};     ///< reg_mr
  typename D::Address address{};  ///< local address: virtual, or an offset if ZERO_BASED
  typename D::Address length{};   ///< bytes
  typename D::Key lkey{};         ///< local key of the scatter/gather element
  typename D::Key rkey{};         ///< remote key
  typename D::Address remote{};   ///< remote address
};

/// What the caller saw. Fields that a verb does not give keep their zero value.
template <class D>
struct Result {
  Outcome outcome = Outcome::ok;
  typename D::Key error{};  ///< return code or errno of a refusal, 0 if none was given
  typename D::Key lkey{};   ///< of a registered region
  typename D::Key rkey{};
  typename D::Bit completion_matches{};  ///< wr_id, qp_num and (on success) opcode as posted
  typename D::Small qp_state{};          ///< QpState after the call; unknown: not asked
  typename D::Small peer_state{};
  typename D::Small own_receive{};   ///< Outcome of the receive posted on qp (none: stays)
  typename D::Small peer_receive{};  ///< Outcome of the receive posted on the peer
  typename D::Address received{};    ///< byte_len of the peer's successful receive
};

/// The Outcome as a value of the domain.
template <class D>
constexpr typename D::Small as_small(Outcome outcome) {
  return D::small(static_cast<std::uint64_t>(outcome));
}
template <class D>
constexpr typename D::Small as_small(QpState state) {
  return D::small(static_cast<std::uint64_t>(state));
}

}  // namespace mrproof::model
