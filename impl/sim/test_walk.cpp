#include "impl/sim/test_walk.hpp"

#include <algorithm>

namespace mrproof::impl::testing {
namespace {

using model::Outcome;

constexpr std::uint32_t kRights = model::kLocalWrite | model::kRemoteWrite | model::kRemoteRead;
constexpr std::uint32_t kFullRights = kRights | model::kRemoteAtomic | model::kMwBind;
/// The protection domains of the queue pairs of the standard setup.
constexpr std::array<std::uint8_t, 4> kQpDomains{0, 0, 0, 1};

}  // namespace

// One random number a statement: the order of evaluation of arguments is the compiler's.

void RandomCalls::restart() {
  pds_ = {true, true, false, false};
  qps_ = {true, true, true, true};
  failed_ = kNone;
  regions_ = {};
  windows_ = {};
  past_.clear();
  for (auto& pages : pages_) pages.fill(model::kWritePages);
  planned_.clear();
  // A protection domain comes free only before there is much in it.
  if (one_in(10)) planned_ = {pd_call(Verb::dealloc_pd, 1), qp_call(Verb::destroy_qp, 3)};
  if (one_in(10)) {
    PlainCall move = reg_mr(0, 0, {}, 0);
    move.verb = Verb::rereg_mr;
    move.flags = Plain::flags(model::kChangePd);
    planned_ = {pd_call(Verb::dealloc_pd, 2), move,
                reg_mr(0, 2, {0, in_buffer(0), 64}, kFullRights), pd_call(Verb::alloc_pd, 2)};
  }
}

std::uint8_t RandomCalls::any_qp() {
  for (int tries = 0; tries < 20; ++tries)
    if (const auto qp = static_cast<std::uint8_t>(below(4)); qps_.at(qp)) return qp;
  return static_cast<std::uint8_t>(std::find(qps_.begin(), qps_.end(), true) - qps_.begin());
}

std::uint8_t RandomCalls::any_region() { return static_cast<std::uint8_t>(below(regions_.size())); }

std::uint8_t RandomCalls::any_window() { return static_cast<std::uint8_t>(below(windows_.size())); }

PlainCall RandomCalls::next() {
  if (!planned_.empty()) {
    const PlainCall call = planned_.back();
    planned_.pop_back();
    return call;
  }
  // Without these, most calls would meet dead keys and failed queue pairs.
  const bool pair_lives = failed_ != kNone && qps_.at(failed_) && qps_.at(failed_ ^ 1U);
  if (pair_lives && !one_in(8)) return qp_call(Verb::connect, failed_);
  if (one_in(2))
    for (std::uint8_t slot = 0; slot < regions_.size(); ++slot)
      if (!regions_.at(slot).live) return register_at(slot);
  switch (below(16)) {
    case 0:
    case 1:
    case 2: return on_objects();
    case 3:
    case 4: return bind(any_window());
    case 5: return one_in(3) ? advise() : invalidate();
    case 6:
    case 7:
    case 8: return post_recv();
    default: return transfer();
  }
}

PlainCall RandomCalls::on_objects() {
  const std::uint8_t slot = any_region();
  const bool live = regions_.at(slot).live;
  switch (below(12)) {
    case 0: return on_pds();
    case 1: {
      const std::uint8_t qp = any_qp();
      return qp_call(one_in(4) ? Verb::destroy_qp : Verb::query_qp, qp);
    }
    case 2:
    case 3:
    case 9: return protect();
    case 4:
    case 5:
    case 6:
    case 7: return live ? reregister(slot) : register_at(slot);
    case 8: {
      const std::uint8_t window = any_window();
      return windows_.at(window).live ? dealloc_mw(window) : bind(window);
    }
    default: return live ? dereg_mr(slot) : register_at(slot);
  }
}

PlainCall RandomCalls::on_pds() {
  const auto pd = static_cast<std::uint8_t>(below(4));
  return pd_call(pds_.at(pd) ? Verb::dealloc_pd : Verb::alloc_pd, pd);
}

PlainCall RandomCalls::register_at(std::uint8_t slot) {
  static constexpr Verb kVerbs[] = {Verb::reg_mr_iova, Verb::reg_mr_ex, Verb::reg_dmabuf_mr,
                                    Verb::alloc_null_mr};
  std::uint32_t access = one_in(2) ? kFullRights : static_cast<std::uint32_t>(below(32));
  if (one_in(6)) access |= model::kZeroBased;
  if (one_in(5)) access |= model::kOnDemand;
  const std::size_t buffer = below(4);
  Range range{0, in_buffer(buffer, below(3) * 64), 64 + below(2) * 5000};
  if (buffer == 3 && one_in(2)) range.length = 9000;
  std::uint8_t pd = static_cast<std::uint8_t>(below(2));
  if (one_in(6)) pd = static_cast<std::uint8_t>(2 + below(2));
  if (!pds_.at(pd)) pd = pds_[0] ? 0 : 1;
  if (!pds_.at(pd)) return qp_call(Verb::query_qp, any_qp());
  PlainCall call = reg_mr(slot, pd, range, access);
  if (one_in(3)) {
    call.verb = kVerbs[below(4)];
    const std::uint64_t offset = range.address % kPageSize;
    const std::uint64_t base = one_in(2) ? 0 : 0x10000 + offset;
    call.iova = Plain::address(base);
  }
  if (call.verb == Verb::reg_dmabuf_mr) {
    call.address = Plain::address(range.address % kPageSize);
    const std::uint32_t more = one_in(8) ? model::kMwBind : 0U;
    call.access = Plain::flags((access & (kRights | model::kRemoteAtomic)) | more);
  }
  if (one_in(8)) spoil_registration(call);
  return call;
}

/// Makes the registration wrong, or at least unusual, in one respect.
void RandomCalls::spoil_registration(PlainCall& call) {
  const auto add = [&](std::uint32_t flag) { call.access = call.access | Plain::flags(flag); };
  switch (below(8)) {
    case 0: return add(model::kRelaxedOrdering);
    case 1: return add(1U << 12);
    case 2: return add(model::kHugetlb);
    case 3: return add(model::kMwBind);
    case 4: call.length = Plain::address(call.length.value() + (1ULL << 32)); return;
    case 5: call.length = Plain::address(call.length.value() + 2 * kPageSize); return;
    case 6:
      call.iova = Plain::address(call.iova.value() + 1);
      if (one_in(2)) call.iova = Plain::address(call.address.value() % kPageSize - kPageSize);
      return;
    default:
      call.verb = Verb::reg_mr;
      call.address = Plain::address(0);
      call.length = Plain::address(~std::uint64_t{0});
      call.access = Plain::flags(kRights | model::kOnDemand);
  }
}

PlainCall RandomCalls::reregister(std::uint8_t slot) {
  const std::size_t buffer = below(4);
  PlainCall call = reg_mr(slot, static_cast<std::uint8_t>(below(4)), {}, 0);
  call.verb = Verb::rereg_mr;
  auto flags = static_cast<std::uint32_t>(below(8));
  if (!pds_.at(call.pd)) flags &= ~model::kChangePd;
  if (one_in(20)) flags |= 8;
  call.flags = Plain::flags(flags);
  if ((flags & model::kChangeTranslation) != 0) {
    call.address = Plain::address(in_buffer(buffer, below(3) * 64));
    call.length = Plain::address(64 + below(2) * 5000 + below(8) / 7 * kPageSize);
  }
  if ((flags & model::kChangeAccess) != 0 || one_in(12))
    call.access = Plain::flags(one_in(2) ? kFullRights : below(32));
  return call;
}

PlainCall RandomCalls::advise() {
  Range target = range();
  for (const Region& region : regions_)
    if (region.live && (region.access & model::kOnDemand) != 0) target = region.range;
  vary(target);
  PlainCall call = work(Verb::advise_mr, 0, target);
  call.pd = kQpDomains.at(any_qp());
  for (const Region& region : regions_)
    if (region.live && region.range.key == target.key && !one_in(6)) call.pd = region.pd;
  if (!pds_.at(call.pd)) return qp_call(Verb::query_qp, any_qp());
  call.option = static_cast<std::uint8_t>(below(20) / 6);  // 3: no such advice
  call.flags = Plain::flags(below(2));
  return call;
}

PlainCall RandomCalls::protect() {
  const std::uint64_t page = below(4);
  PlainCall call;
  call.verb = Verb::protect;
  call.address = Plain::address(in_buffer(3, page * kPageSize));
  call.length = Plain::address(kPageSize);
  call.option = static_cast<std::uint8_t>(below(4) * 2 / 3);
  if (one_in(2)) call.option = model::kWritePages;
  if (call.option == model::kNoPages && one_in(2)) {
    PlainCall again = call;
    again.option = model::kWritePages;
    planned_.push_back(again);
  }
  return call;
}

/// Binds the window, or makes it first.
PlainCall RandomCalls::bind(std::uint8_t slot) {
  Window& window = windows_.at(slot);
  if (!window.live) {
    const bool two = one_in(2);
    std::uint8_t pd = static_cast<std::uint8_t>(one_in(6) ? 2 + below(2) : one_in(5));
    if (!pds_.at(pd)) pd = pds_[0] ? 0 : 1;
    if (!pds_.at(pd)) return qp_call(Verb::query_qp, any_qp());
    if (pd >= 2) planned_.push_back(pd_call(Verb::dealloc_pd, pd));
    return alloc_mw(slot, pd, two ? model::kTypeTwo : model::kTypeOne);
  }
  PlainCall call;
  call.verb = window.two ? Verb::post_bind_mw : Verb::bind_mw;
  call.mw = slot;
  call.qp = any_qp();
  if (qps_[3] && window.pd == 1) call.qp = 3;
  call.mr = any_region();
  for (std::uint8_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_.at(i);
    const bool fits = region.live && region.pd == window.pd && !region.null &&
                      (region.access & model::kMwBind) != 0;
    if (fits && !one_in(3)) call.mr = i;
  }
  const Region& region = regions_.at(call.mr);
  if (!region.live) return qp_call(Verb::query_qp, call.qp);
  const std::uint64_t offset = below(2) * 8;
  call.address = Plain::address(region.range.address + offset);
  call.length = Plain::address(std::min<std::uint64_t>(region.range.length - offset, 48));
  call.access = Plain::flags((below(8) << 1U) + (window.two ? below(4) / 3 * 32 : 0));
  call.rkey = Plain::key((window.range.key & 0xffffff00U) | ((window.range.key + 1) & 0xffU));
  if (one_in(3)) spoil_bind(call);
  return call;
}

/// Makes the bind wrong in one respect.
void RandomCalls::spoil_bind(PlainCall& call) {
  const Region& region = regions_.at(call.mr);
  const Window& window = windows_.at(call.mw);
  switch (below(10)) {
    case 0: call.length = Plain::address(region.range.length - 8 * below(2) + 1); return;
    case 1: call.address = Plain::address(0 - std::uint64_t{4}); return;
    case 2: call.address = Plain::address(region.range.address + region.range.length); return;
    case 3:
      call.access = call.access | Plain::flags(one_in(2) ? model::kLocalWrite : model::kZeroBased);
      return;
    case 4:
    case 5: call.length = Plain::address(0); return;
    case 6:
      call.rkey = Plain::key(one_in(2) ? window.range.key : window.range.key ^ 0x10000U);
      return;
    case 7: call.verb = window.two ? Verb::bind_mw : Verb::post_bind_mw; return;
    default: call.qp = any_qp();
  }
}

PlainCall RandomCalls::invalidate() {
  const Window& window = windows_.at(any_window());
  const Region& region = regions_.at(any_region());
  PlainCall call = qp_call(Verb::local_inv, window.qp);
  call.rkey = Plain::key(one_in(6) ? region.range.key : window.range.key);
  if (!qps_.at(call.qp) || one_in(6)) call.qp = any_qp();
  return call;
}

/// The whole of some region, live or dead, or a part, or now and then something near it.
Range RandomCalls::range() {
  Range range = regions_.at(any_region()).range;
  if (one_in(12)) range = windows_.at(any_window()).range;
  if (one_in(12)) range = past_range();
  vary(range);
  return range;
}

/// The same of a region, or something that once was a region's or window's.
Range RandomCalls::remote_range() {
  Range range = regions_.at(any_region()).range;
  if (one_in(6)) range = past_range();
  vary(range);
  return range;
}

/// What a key meant not long ago.
Range RandomCalls::past_range() {
  const std::uint64_t recent = std::min<std::uint64_t>(past_.size(), 4);
  return recent == 0 ? Range{} : past_[past_.size() - 1 - below(recent)];
}

/// Aims the call at a bound window, by a queue pair that may use it, from memory that will do.
void RandomCalls::aim_at_window(PlainCall& call) {
  const Window& window = windows_.at(any_window());
  const bool past = one_in(6);
  if (!past && !window.bound) return;
  Range range = past ? past_range() : window.range;
  if (one_in(3)) vary(range);
  const bool atomic = model::is_atomic(call.verb);
  call.rkey = Plain::key(range.key);
  call.remote = Plain::address(range.address);
  if (qps_.at(window.qp ^ 1U) && !one_in(4)) call.qp = window.qp ^ 1U;
  for (const Region& region : regions_) {
    if (!region.live || region.null || region.pd != kQpDomains.at(call.qp)) continue;
    call.lkey = Plain::key(region.range.key);
    call.address = Plain::address(region.range.address);
    call.length = Plain::address(atomic ? 8 : std::min<std::uint64_t>(range.length, 0xffffffffU));
  }
}

void RandomCalls::vary(Range& range) {
  switch (below(24)) {
    case 0: ++range.length; break;
    case 1: --range.address; break;
    case 2: range.address += 1ULL << 32; break;
    case 3: range.address = 0 - std::uint64_t{4}; break;
    case 4: range.length = 0; break;
    case 5: range.key ^= 0x40; break;
    case 6:
    case 7:
    case 8: range.length = std::min<std::uint64_t>(range.length, 48); break;
    default: break;
  }
  range.length = std::min<std::uint64_t>(range.length, 16384);
}

PlainCall RandomCalls::post_recv() {
  const std::uint8_t qp = any_qp();
  PlainCall call = work(Verb::post_recv, qp, range());
  add_element(call);
  return call;
}

PlainCall RandomCalls::transfer() {
  static constexpr Verb kVerbs[] = {Verb::send,
                                    Verb::rdma_write,
                                    Verb::rdma_read,
                                    Verb::rdma_write_with_imm,
                                    Verb::send_with_inv,
                                    Verb::rdma_write,
                                    Verb::atomic_fetch_and_add,
                                    Verb::atomic_cmp_and_swp};
  const Verb verb = kVerbs[below(8)];
  const std::uint8_t qp = any_qp();
  Range local = range();
  Range remote = remote_range();
  if (!one_in(8)) local.length = std::min(local.length, remote.length);
  const bool atomic = model::is_atomic(verb);
  if (atomic) local.length = 8;
  if (atomic && one_in(6)) remote.address += 1 + below(7);
  PlainCall call = work(verb, qp, local, remote.key, remote.address);
  if (model::is_remote(verb) && one_in(2)) aim_at_window(call);
  const Window& window = windows_.at(any_window());
  if (verb == Verb::send_with_inv) {
    call.rkey = Plain::key(window.range.key);
    if (qps_.at(window.qp ^ 1U) && !one_in(4)) call.qp = window.qp ^ 1U;
    call.length = Plain::address(std::min<std::uint64_t>(local.length, 8));
    planned_.push_back(call);
    return work(Verb::post_recv, qps_.at(call.qp ^ 1U) ? call.qp ^ 1U : call.qp, range());
  }
  if (atomic) {
    call.operand = Plain::address(one_in(2) ? 0xffffffffU : random_());
    call.swap = Plain::address(random_());
  } else {
    add_element(call);
  }
  return call;
}

/// Splits the element in two, or adds one, in a quarter of the calls.
void RandomCalls::add_element(PlainCall& call) {
  if (!one_in(4)) return;
  const Range more = range();
  call.elements = 2;
  call.second = {Plain::key(more.key), Plain::address(more.address),
                 Plain::address(std::min<std::uint64_t>(more.length, 16))};
  call.length = Plain::address(std::min<std::uint64_t>(call.length.value(), 32));
}

void RandomCalls::note(const PlainCall& call, const model::Result<Plain>& result) {
  if (call.verb == Verb::connect) failed_ = kNone;
  if (result.qp_state.value() == static_cast<std::uint64_t>(model::QpState::err)) failed_ = call.qp;
  note_region(call, result);
  note_window(call, result);
  if (result.outcome != Outcome::ok) return;
  if (call.verb == Verb::alloc_pd || call.verb == Verb::dealloc_pd)
    pds_.at(call.pd) = call.verb == Verb::alloc_pd;
  if (call.verb == Verb::dealloc_pd)  // a fault let it through: its queue pairs are gone
    for (std::size_t qp = 0; qp < qps_.size(); ++qp)
      if (kQpDomains.at(qp) == call.pd) qps_.at(qp) = false;
  if (call.verb == Verb::destroy_qp) qps_.at(call.qp) = false;
  if (call.verb != Verb::protect) return;
  auto& page = pages_[3].at((call.address.value() - in_buffer(3)) / kPageSize);
  if (page != model::kNoPages || call.option == model::kWritePages) page = call.option;
}

void RandomCalls::note_region(const PlainCall& call, const model::Result<Plain>& result) {
  const bool made = model::makes_region(call.verb);
  if (!made && call.verb != Verb::rereg_mr && call.verb != Verb::dereg_mr) return;
  if (result.outcome != Outcome::ok) return;
  Region& region = regions_.at(call.mr);
  if (call.verb == Verb::dereg_mr) {
    region.live = false;
    past_.push_back(region.range);
    return;
  }
  const std::uint32_t flags =
      made ? model::kChanges : static_cast<std::uint32_t>(call.flags.value());
  if (made)
    region = {};
  else
    past_.push_back(region.range);
  region.live = true;
  region.null = made ? call.verb == Verb::alloc_null_mr : region.null;
  if ((flags & model::kChangePd) != 0) region.pd = call.pd;
  if ((flags & model::kChangeAccess) != 0)
    region.access = static_cast<std::uint32_t>(call.access.value());
  region.range.key = result.lkey.value();
  if ((flags & model::kChangeTranslation) == 0) return;
  const bool own_base = made && call.verb != Verb::reg_mr;
  region.range.address = own_base ? call.iova.value() : call.address.value();
  if ((region.access & model::kZeroBased) != 0) region.range.address = 0;
  if (region.null || call.address.value() == 0) region.range.address = in_buffer(below(4), 128);
  region.range.length = std::min<std::uint64_t>(call.length.value(), 1ULL << 33);
}

void RandomCalls::note_window(const PlainCall& call, const model::Result<Plain>& result) {
  if (result.outcome != Outcome::ok) return;
  if (call.verb == Verb::alloc_mw) {
    windows_.at(call.mw) = {true, call.option == model::kTypeTwo, false, call.pd,
                            0,    {result.rkey.value(), 0, 0}};
    return;
  }
  Window& window = windows_.at(call.mw < windows_.size() ? call.mw : 0);
  if (call.verb == Verb::dealloc_mw) {
    window.live = window.bound = false;
    past_.push_back(window.range);
  }
  if (!model::is_bind(call.verb)) return;
  past_.push_back(window.range);
  const bool zero_based = (call.access.value() & model::kZeroBased) != 0;
  window.range = {result.rkey.value(), zero_based ? 0 : call.address.value(), call.length.value()};
  window.bound = call.length.value() != 0;
  window.qp = call.qp;
}

}  // namespace mrproof::impl::testing
