// Calls in one line each, for the tests of devices.
#pragma once

#include <cstdint>

#include "model/access.hpp"
#include "model/call.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::impl::testing {

using model::Plain;
using model::Verb;
using PlainCall = model::Call<Plain>;

/// A range of memory and the key that names it.
struct Range {
  std::uint64_t key = 0;
  std::uint64_t address = 0;
  std::uint64_t length = 0;
};

/// The address at `offset` of buffer `index`.
constexpr std::uint64_t in_buffer(std::size_t index, std::uint64_t offset = 0) {
  return model::buffer_address(index) + offset;
}

/// alloc_pd or dealloc_pd.
inline PlainCall pd_call(Verb verb, std::uint32_t pd) { return {.verb = verb, .pd = pd}; }

/// query_qp, connect or destroy_qp.
inline PlainCall qp_call(Verb verb, std::uint32_t qp) { return {.verb = verb, .qp = qp}; }

/// reg_mr; the range's key is not used.
inline PlainCall reg_mr(std::uint32_t mr, std::uint32_t pd, const Range& range,
                        std::uint32_t access) {
  return {.verb = Verb::reg_mr,
          .pd = pd,
          .mr = mr,
          .access = Plain::flags(access),
          .address = Plain::address(range.address),
          .length = Plain::address(range.length)};
}

/// dereg_mr.
inline PlainCall dereg_mr(std::uint32_t mr) { return {.verb = Verb::dereg_mr, .mr = mr}; }

/// One of the registrations that take an iova; the range's key is not used.
inline PlainCall reg_at(Verb verb, std::uint32_t mr, std::uint32_t pd, const Range& range,
                        std::uint64_t iova, std::uint32_t access) {
  PlainCall call = reg_mr(mr, pd, range, access);
  call.verb = verb;
  call.iova = Plain::address(iova);
  return call;
}

/// rereg_mr; the range's key is not used.
inline PlainCall rereg_mr(std::uint32_t mr, std::uint32_t changes, std::uint32_t pd,
                          const Range& range, std::uint32_t access) {
  PlainCall call = reg_mr(mr, pd, range, access);
  call.verb = Verb::rereg_mr;
  call.flags = Plain::flags(changes);
  return call;
}

/// post_recv and send; rdma_write and rdma_read with the remote key and address.
inline PlainCall work(Verb verb, std::uint32_t qp, const Range& local, std::uint64_t rkey = 0,
                      std::uint64_t remote = 0) {
  return {.verb = verb,
          .qp = qp,
          .address = Plain::address(local.address),
          .length = Plain::address(local.length),
          .lkey = Plain::key(local.key),
          .rkey = Plain::key(rkey),
          .remote = Plain::address(remote)};
}

/// advise_mr of one element.
inline PlainCall advise_mr(std::uint32_t pd, std::uint8_t advice, std::uint32_t flags,
                           const Range& range) {
  PlainCall call = work(Verb::advise_mr, 0, range);
  call.pd = pd;
  call.option = advice;
  call.flags = Plain::flags(flags);
  return call;
}

/// alloc_mw.
inline PlainCall alloc_mw(std::uint32_t mw, std::uint32_t pd, model::WindowType type) {
  return {.verb = Verb::alloc_mw, .pd = pd, .mw = mw, .option = type};
}

/// dealloc_mw.
inline PlainCall dealloc_mw(std::uint32_t mw) { return {.verb = Verb::dealloc_mw, .mw = mw}; }

/// bind_mw, and post_bind_mw with the wanted key; the range's key is not used.
inline PlainCall bind(Verb verb, std::uint32_t qp, std::uint32_t mw, std::uint32_t mr,
                      const Range& range, std::uint32_t access, std::uint64_t wanted = 0) {
  PlainCall call = reg_mr(mr, 0, range, access);
  call.verb = verb;
  call.qp = qp;
  call.mw = mw;
  call.rkey = Plain::key(wanted);
  return call;
}

/// protect.
inline PlainCall protect(std::uint64_t address, std::uint64_t length, model::Protection how) {
  return {.verb = Verb::protect,
          .option = how,
          .address = Plain::address(address),
          .length = Plain::address(length)};
}

/// local_inv.
inline PlainCall local_inv(std::uint32_t qp, std::uint64_t key) {
  return {.verb = Verb::local_inv, .qp = qp, .rkey = Plain::key(key)};
}

/// An atomic operation at {key, remote}, its result going to the local range.
inline PlainCall atomic(Verb verb, std::uint32_t qp, const Range& local, std::uint64_t rkey,
                        std::uint64_t remote, std::uint64_t operand, std::uint64_t swap = 0) {
  PlainCall call = work(verb, qp, local, rkey, remote);
  call.operand = Plain::address(operand);
  call.swap = Plain::address(swap);
  return call;
}

/// fill.
inline PlainCall fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed) {
  return {.verb = Verb::fill,
          .seed = seed,
          .address = Plain::address(address),
          .length = Plain::address(length)};
}

}  // namespace mrproof::impl::testing
