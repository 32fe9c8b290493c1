#include "impl/verbs/request.hpp"

#include "impl/verbs/arguments.hpp"

namespace mrproof::impl {
namespace {

using model::Outcome;
using model::Plain;
using model::Verb;

struct Operation {
  ibv_wr_opcode request;
  ibv_wc_opcode completion;
};

Operation operation(Verb verb) {
  switch (verb) {
    case Verb::bind_mw:
    case Verb::post_bind_mw: return {IBV_WR_BIND_MW, IBV_WC_BIND_MW};
    case Verb::local_inv: return {IBV_WR_LOCAL_INV, IBV_WC_LOCAL_INV};
    case Verb::send_with_inv: return {IBV_WR_SEND_WITH_INV, IBV_WC_SEND};
    case Verb::rdma_write: return {IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE};
    case Verb::rdma_write_with_imm: return {IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WC_RDMA_WRITE};
    case Verb::rdma_read: return {IBV_WR_RDMA_READ, IBV_WC_RDMA_READ};
    case Verb::atomic_fetch_and_add: return {IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WC_FETCH_ADD};
    case Verb::atomic_cmp_and_swp: return {IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WC_COMP_SWAP};
    default: return {IBV_WR_SEND, IBV_WC_SEND};
  }
}

std::uint32_t key(Plain::Key value) { return static_cast<std::uint32_t>(value.value()); }

/// Immediate data: another value for each request, none that a driver would leave there by chance.
/// The multiplier is odd, so that no two of the 2^32 last ids give the same.
std::uint32_t immediate(std::uint64_t id) { return static_cast<std::uint32_t>(id * 0x9e3779b9U); }

void set_remote(const model::Call<Plain>& call, ibv_send_wr& work) {
  if (model::is_atomic(call.verb)) {
    work.wr.atomic.remote_addr = call.remote.value();
    work.wr.atomic.rkey = key(call.rkey);
    work.wr.atomic.compare_add = call.operand.value();
    work.wr.atomic.swap = call.swap.value();
  } else {
    work.wr.rdma.remote_addr = call.remote.value();
    work.wr.rdma.rkey = key(call.rkey);
  }
}

}  // namespace

bool Delivery::matches(const ibv_wc& completion) const {
  if (completion.opcode != opcode) return false;
  if ((completion.wc_flags & (IBV_WC_WITH_IMM | IBV_WC_WITH_INV)) != flags) return false;
  if (flags == IBV_WC_WITH_IMM) return completion.imm_data == value;
  return flags != IBV_WC_WITH_INV || completion.invalidated_rkey == value;
}

Request::Request(const model::Call<Plain>& call, std::uint64_t id)
    : completion(operation(call.verb).completion),
      delivers(model::is_send(call.verb) || call.verb == Verb::rdma_write_with_imm) {
  work.wr_id = id;
  work.opcode = operation(call.verb).request;
  const auto form = static_cast<std::uint32_t>(call.flags.value());
  if ((form & model::kUnsignaled) == 0) work.send_flags |= IBV_SEND_SIGNALED;
  if ((form & model::kFenced) != 0) work.send_flags |= IBV_SEND_FENCE;
  if ((form & model::kSolicited) != 0) work.send_flags |= IBV_SEND_SOLICITED;
  if ((form & model::kInline) != 0) work.send_flags |= IBV_SEND_INLINE;
  if (model::has_elements(call.verb)) {
    elements = elements_of(call);
    work.sg_list = elements.data();
    work.num_sge = call.elements;
  }
  if (model::is_remote(call.verb)) set_remote(call, work);
  if (call.verb == Verb::rdma_write_with_imm) {
    work.imm_data = immediate(id);
    delivery = {IBV_WC_RECV_RDMA_WITH_IMM, IBV_WC_WITH_IMM, work.imm_data};
  }
  if (call.verb == Verb::local_inv) work.invalidate_rkey = key(call.rkey);
  if (call.verb == Verb::send_with_inv) {
    work.invalidate_rkey = key(call.rkey);
    delivery = {IBV_WC_RECV, IBV_WC_WITH_INV, work.invalidate_rkey};
  }
}

Outcome outcome_of(ibv_wc_status status) {
  switch (status) {
    case IBV_WC_SUCCESS: return Outcome::ok;
    case IBV_WC_LOC_LEN_ERR: return Outcome::loc_len_err;
    case IBV_WC_LOC_QP_OP_ERR: return Outcome::loc_qp_op_err;
    case IBV_WC_LOC_PROT_ERR: return Outcome::loc_prot_err;
    case IBV_WC_WR_FLUSH_ERR: return Outcome::wr_flush_err;
    case IBV_WC_MW_BIND_ERR: return Outcome::mw_bind_err;
    case IBV_WC_LOC_ACCESS_ERR: return Outcome::loc_access_err;
    case IBV_WC_REM_INV_REQ_ERR: return Outcome::rem_inv_req_err;
    case IBV_WC_REM_ACCESS_ERR: return Outcome::rem_access_err;
    case IBV_WC_REM_OP_ERR: return Outcome::rem_op_err;
    case IBV_WC_RETRY_EXC_ERR: return Outcome::retry_exc_err;
    case IBV_WC_RNR_RETRY_EXC_ERR: return Outcome::rnr_retry_exc_err;
    default: return Outcome::other_err;
  }
}

}  // namespace mrproof::impl
