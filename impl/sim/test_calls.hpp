// Calls in one line each, for the tests of the simulated device.
#pragma once

#include <cstdint>

#include "model/access.hpp"
#include "model/call.hpp"
#include "model/layout.hpp"

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
