// What a call looks like in a trace: its arguments, in order. Printer and parser both follow this,
// so that each undoes the other.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "model/call.hpp"

namespace mrproof::model {

/// An argument of a call; most fill the field of Call that has their name.
enum class Argument : std::uint8_t {
  none,
  pd,
  mr,
  mw,
  qp,
  source,
  address,
  offset,  ///< Call::address as a plain number: in a dma-buf
  length,
  stretch,  ///< Call::length of a range that has to lie in one buffer
  iova,
  access,
  changes,       ///< Call::flags of rereg_mr
  advise_flags,  ///< Call::flags of advise_mr
  advice,        ///< Call::option of advise_mr
  window_type,   ///< Call::option of alloc_mw
  protection,    ///< Call::option of protect
  elements,      ///< "LKEY, ADDRESS, LENGTH", and " + " before the second element
  rkey,
  remote,
  operand,
  swap,
  seed,
};

/// How error messages name them.
inline constexpr std::array<std::string_view, static_cast<std::size_t>(Argument::seed) + 1>
    kArgumentNames{"", "pdN", "mrN", "mwN", "qpN", "mrN", "ADDRESS", "OFFSET", "LENGTH", "LENGTH",
        "IOVA", "ACCESS", "CHANGES", "FLAGS", "ADVICE", "TYPE", "PROTECTION",
        "LKEY, ADDRESS, LENGTH [+ LKEY, ADDRESS, LENGTH]", "KEY", "REMOTE", "OPERAND", "SWAP",
        "SEED"};

/// "TARGET = verb(ARGUMENT, ...)"; arguments end at the first none.
struct Form {
  Argument target = Argument::none;
  std::array<Argument, 7> arguments{};
};

/// The form of a verb's calls.
constexpr Form form_of(Verb verb) {
  using enum Argument;
  switch (verb) {
    case Verb::alloc_pd: return {pd, {}};
    case Verb::dealloc_pd: return {none, {pd}};
    case Verb::reg_mr: return {mr, {pd, address, length, access}};
    case Verb::reg_mr_iova:
    case Verb::reg_mr_ex: return {mr, {pd, address, length, iova, access}};
    case Verb::reg_dmabuf_mr: return {mr, {pd, offset, length, iova, access}};
    case Verb::alloc_null_mr: return {mr, {pd}};
    case Verb::reg_shared_mr: return {mr, {pd, source, access}};
    case Verb::rereg_mr: return {none, {mr, changes, pd, address, length, access}};
    case Verb::dereg_mr: return {none, {mr}};
    case Verb::advise_mr: return {none, {pd, advice, advise_flags, elements}};
    case Verb::alloc_mw: return {mw, {pd, window_type}};
    case Verb::dealloc_mw: return {none, {mw}};
    case Verb::bind_mw: return {none, {qp, mw, mr, address, length, access}};
    case Verb::post_bind_mw: return {none, {qp, mw, rkey, mr, address, length, access}};
    case Verb::local_inv: return {none, {qp, rkey}};
    case Verb::post_recv:
    case Verb::send: return {none, {qp, elements}};
    case Verb::send_with_inv: return {none, {qp, elements, rkey}};
    case Verb::rdma_write:
    case Verb::rdma_write_with_imm:
    case Verb::rdma_read: return {none, {qp, elements, rkey, remote}};
    case Verb::atomic_fetch_and_add: return {none, {qp, elements, rkey, remote, operand}};
    case Verb::atomic_cmp_and_swp: return {none, {qp, elements, rkey, remote, operand, swap}};
    case Verb::modify_qp: return {none, {qp, access}};
    case Verb::query_qp:
    case Verb::connect:
    case Verb::destroy_qp: return {none, {qp}};
    case Verb::fill: return {none, {address, stretch, seed}};
    case Verb::protect: return {none, {address, stretch, protection}};
  }
  return {};
}

/// What a trace says of a request that is in flight from now on, or of a call that has begun.
constexpr std::string_view begun_word(Verb verb) { return is_transfer(verb) ? "posted" : "begun"; }

/// Whether the call connects the pair of a request in flight anew: then the request has no
/// completion.
constexpr bool abandons(const auto& call, const auto& request) {
  return call.verb == Verb::connect && call.qp / 2U == request.qp / 2U;
}

}  // namespace mrproof::model
