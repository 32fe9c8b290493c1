// Calls in one line each, for the tests of the simulated device.
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
inline PlainCall pd_call(Verb verb, std::uint8_t pd) {
  PlainCall call;
  call.verb = verb;
  call.pd = pd;
  return call;
}

/// query_qp or connect.
inline PlainCall qp_call(Verb verb, std::uint8_t qp) {
  PlainCall call;
  call.verb = verb;
  call.qp = qp;
  return call;
}

/// reg_mr; the range's key is not used.
inline PlainCall reg_mr(std::uint8_t mr, std::uint8_t pd, const Range& range,
                        std::uint32_t access) {
  PlainCall call;
  call.verb = Verb::reg_mr;
  call.mr = mr;
  call.pd = pd;
  call.address = Plain::address(range.address);
  call.length = Plain::address(range.length);
  call.access = Plain::flags(access);
  return call;
}

/// dereg_mr.
inline PlainCall dereg_mr(std::uint8_t mr) {
  PlainCall call;
  call.verb = Verb::dereg_mr;
  call.mr = mr;
  return call;
}

/// One of the registrations that take an iova; the range's key is not used.
inline PlainCall reg_at(Verb verb, std::uint8_t mr, std::uint8_t pd, const Range& range,
                        std::uint64_t iova, std::uint32_t access) {
  PlainCall call = reg_mr(mr, pd, range, access);
  call.verb = verb;
  call.iova = Plain::address(iova);
  return call;
}

/// alloc_null_mr.
inline PlainCall null_mr(std::uint8_t mr, std::uint8_t pd) {
  PlainCall call = pd_call(Verb::alloc_null_mr, pd);
  call.mr = mr;
  return call;
}

/// rereg_mr; the range's key is not used.
inline PlainCall rereg_mr(std::uint8_t mr, std::uint32_t changes, std::uint8_t pd,
                          const Range& range, std::uint32_t access) {
  PlainCall call = reg_mr(mr, pd, range, access);
  call.verb = Verb::rereg_mr;
  call.flags = Plain::flags(changes);
  return call;
}

/// advise_mr of one element.
inline PlainCall advise_mr(std::uint8_t pd, std::uint8_t advice, std::uint32_t flags,
                           const Range& range) {
  PlainCall call = pd_call(Verb::advise_mr, pd);
  call.option = advice;
  call.flags = Plain::flags(flags);
  call.lkey = Plain::key(range.key);
  call.address = Plain::address(range.address);
  call.length = Plain::address(range.length);
  return call;
}

/// alloc_mw.
inline PlainCall alloc_mw(std::uint8_t mw, std::uint8_t pd, model::WindowType type) {
  PlainCall call = pd_call(Verb::alloc_mw, pd);
  call.mw = mw;
  call.option = type;
  return call;
}

/// dealloc_mw.
inline PlainCall dealloc_mw(std::uint8_t mw) {
  PlainCall call;
  call.verb = Verb::dealloc_mw;
  call.mw = mw;
  return call;
}

/// bind_mw, and post_bind_mw with the wanted key; the range's key is not used.
inline PlainCall bind(Verb verb, std::uint8_t qp, std::uint8_t mw, std::uint8_t mr,
                      const Range& range, std::uint32_t access, std::uint64_t wanted = 0) {
  PlainCall call;
  call.verb = verb;
  call.qp = qp;
  call.mw = mw;
  call.mr = mr;
  call.address = Plain::address(range.address);
  call.length = Plain::address(range.length);
  call.access = Plain::flags(access);
  call.rkey = Plain::key(wanted);
  return call;
}

/// protect.
inline PlainCall protect(std::uint64_t address, std::uint64_t length, model::Protection how) {
  PlainCall call;
  call.verb = Verb::protect;
  call.address = Plain::address(address);
  call.length = Plain::address(length);
  call.option = how;
  return call;
}

/// post_recv and send; rdma_write and rdma_read with the remote key and address.
inline PlainCall work(Verb verb, std::uint8_t qp, const Range& local, std::uint64_t rkey = 0,
                      std::uint64_t remote = 0) {
  PlainCall call;
  call.verb = verb;
  call.qp = qp;
  call.lkey = Plain::key(local.key);
  call.address = Plain::address(local.address);
  call.length = Plain::address(local.length);
  call.rkey = Plain::key(rkey);
  call.remote = Plain::address(remote);
  return call;
}

/// The work request with a second element.
inline PlainCall with_second(PlainCall call, const Range& second) {
  call.elements = 2;
  call.second = {Plain::key(second.key), Plain::address(second.address),
                 Plain::address(second.length)};
  return call;
}

/// local_inv.
inline PlainCall local_inv(std::uint8_t qp, std::uint64_t key) {
  PlainCall call = qp_call(Verb::local_inv, qp);
  call.rkey = Plain::key(key);
  return call;
}

/// An atomic operation at {key, remote}, its result going to the local range.
inline PlainCall atomic(Verb verb, std::uint8_t qp, const Range& local, std::uint64_t rkey,
                        std::uint64_t remote, std::uint64_t operand, std::uint64_t swap = 0) {
  PlainCall call = work(verb, qp, local, rkey, remote);
  call.operand = Plain::address(operand);
  call.swap = Plain::address(swap);
  return call;
}

/// fill.
inline PlainCall fill(std::uint64_t address, std::uint64_t length, std::uint8_t seed) {
  PlainCall call;
  call.verb = Verb::fill;
  call.address = Plain::address(address);
  call.length = Plain::address(length);
  call.seed = seed;
  return call;
}

}  // namespace mrproof::impl::testing
