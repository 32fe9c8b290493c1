// What is so after a success: for each verb what its page promises.
#pragma once

#include "specs/theorems/changes.hpp"
#include "specs/theorems/wide.hpp"

namespace mrproof::specs {

/// The facts about successes.
template <class D>
struct SuccessFacts {
  using T = Taken<D>;
  using F = Facts<D>;
  using Bit = typename D::Bit;

  static void region_is_as_asked(const T& t, F& facts) {
    const auto& c = t.call;
    if (!model::makes_region(c.verb) || t.result.outcome != Outcome::ok) return;
    const auto& r = t.after.regions.at(c.mr);
    facts.add("keys", r.live & (r.lkey == t.result.lkey) & (r.rkey == t.result.rkey) &
                          (r.pd == D::slot(c.pd)));
    const auto zero_key = D::key(0);
    facts.add("no older keys", (r.old_lkey == zero_key) & (r.old_rkey == zero_key));
    const auto none = D::address(0);
    if (c.verb != Verb::reg_shared_mr)
      facts.add("no lost pages",
                (!r.unmapped) & (r.unmapped_first == none) & (r.unmapped_last == none));
    if (c.verb == Verb::alloc_null_mr) {
      facts.add("null", r.null & (r.first == none) & (r.last == ~none));
      facts.add("nowhere", (r.memory == none) & !(r.empty | r.undefined | r.outside_buffers));
      return;
    }
    facts.add("access", (!r.null) & (r.access == (c.access & t.before.defined)));
    const auto zero = (r.access & D::flags(model::kZeroBased)) != D::flags(0);
    if (c.verb == Verb::reg_shared_mr) {
      const auto& source = t.before.regions.at(c.source);
      facts.add("memory", (r.memory == source.memory) & (r.empty == source.empty) &
                              (r.last - r.first == source.last - source.first));
      facts.add("address", r.first == D::select(zero, D::address(0), source.memory));
      facts.add("doubt", r.undefined == ((!r.empty) & (r.last < r.first)));
      facts.add("lost pages", (r.unmapped == source.unmapped) &
                                  (r.unmapped_first == source.unmapped_first) &
                                  (r.unmapped_last == source.unmapped_last));
      return;
    }
    const auto iova = c.verb == Verb::reg_mr ? c.address : c.iova;
    facts.add("memory", r.memory == c.address);
    facts.add("address", r.first == D::select(zero, D::address(0), iova));
    facts.add("length", (r.last - r.first == c.length - D::address(1)) &
                            (r.empty == (c.length == D::address(0))));
    facts.add("seen", r.outside_buffers == (D::bit(c.verb == Verb::reg_dmabuf_mr) |
                                            model::has<D>(r.access, model::kAllocateMr)));
    const auto straight = [&](typename D::Address first) {
      return (c.length == none) | ends_by(first, c.length, ~none);
    };
    const auto two_bases = zero & (c.iova != none) & D::bit(c.verb != Verb::reg_mr);
    facts.add("doubt", r.undefined == (two_bases | !(straight(r.first) & straight(c.iova))));
  }

  static void window_is_as_asked(const T& t, F& facts) {
    const auto& c = t.call;
    if (t.result.outcome != Outcome::ok) return;
    if (c.verb == Verb::alloc_mw) {
      const auto& w = t.after.windows.at(c.mw);
      facts.add("allocated", w.live & !w.bound & !w.undefined & (w.rkey == t.result.rkey) &
                                 (w.pd == D::slot(c.pd)) &
                                 (w.two == D::bit(c.option == model::kTypeTwo)));
      const auto none = D::address(0);
      facts.add("nothing older", (w.first == none) & (w.last == none) & (w.memory == none) &
                                     (w.access == D::flags(0)) & (w.old_rkey == D::key(0)) &
                                     (w.region == D::slot(0)) & (w.qp == D::slot(0)));
    }
    if (!model::is_bind(c.verb)) return;
    const auto& w = t.after.windows.at(c.mw);
    const auto& r = t.before.regions.at(c.mr);
    const auto zero = (c.access & D::flags(model::kZeroBased)) != D::flags(0);
    facts.add("bound", w.live & (w.bound == (c.length != D::address(0))));
    facts.add("where", (w.region == D::slot(c.mr)) & (w.qp == D::slot(c.qp)) &
                           (w.access == c.access) & (w.rkey == t.result.rkey));
    facts.add("range", (w.first == D::select(zero, D::address(0), c.address)) &
                           (w.last - w.first == c.length - D::address(1)) &
                           (w.memory - r.memory == c.address - r.first));
    facts.add("type", w.two == D::bit(c.verb == Verb::post_bind_mw));
    facts.add("key", implies(w.two, w.rkey == c.rkey));
    facts.add("older key", w.old_rkey == t.before.windows.at(c.mw).rkey);
  }

  static void window_is_known(const T& t, F& facts) {
    if (!model::is_bind(t.call.verb) || t.result.outcome != Outcome::ok) return;
    const auto& w = t.before.windows.at(t.call.mw);
    const auto index = D::key(0xffffff00U);
    const auto kept = (!w.two) | ((w.rkey & index) == (t.call.rkey & index));
    facts.add("window", t.after.windows.at(t.call.mw).undefined == !kept);
  }

  /// Objects that are freed are gone, and what hung on them with them.
  static void freed_is_gone(const T& t, F& facts) {
    const auto& c = t.call;
    if (t.result.outcome != Outcome::ok) return;
    if (c.verb == Verb::alloc_pd) facts.add("pd", t.after.pds.at(c.pd).live);
    if (c.verb == Verb::dealloc_pd) facts.add("pd", !t.after.pds.at(c.pd).live);
    if (c.verb == Verb::dereg_mr) {
      facts.add("mr", !t.after.regions.at(c.mr).live);
      for (std::size_t i = 0; i < D::kWindows; ++i)
        facts.add(named("mw", i), implies(t.after.windows.at(i).live & t.after.windows.at(i).bound,
                                          t.after.windows.at(i).region != D::slot(c.mr)));
    }
    if (c.verb == Verb::dealloc_mw) {
      const auto& w = t.after.windows.at(c.mw);
      facts.add("mw", !(w.live | w.bound | w.undefined));
    }
    if (c.verb == Verb::destroy_qp) {
      const auto& q = t.after.qps.at(c.qp);
      facts.add("qp", (!(q.live | q.posted)) & (q.state == D::small(model::QpState::err)));
      const auto& peer = t.after.qps.at(model::peer_of(c.qp));
      const auto ended = (peer.state == D::small(model::QpState::err)) & !peer.posted;
      facts.add("connection", implies(model::is_iwarp(t.before), ended));
    }
  }

  static void queue_pair_is_as_asked(const T& t, F& facts) {
    const auto& c = t.call;
    if (t.result.outcome != Outcome::ok) return;
    const auto rts = D::small(model::QpState::rts);
    if (c.verb == Verb::post_recv) {
      const auto& q = t.after.qps.at(c.qp);
      const auto& e = q.elements;
      facts.add("posted", q.posted == (q.state == rts));
      facts.add("first", (e.at(0).lkey == c.lkey) & (e.at(0).address == c.address) &
                             (e.at(0).length == c.length));
      facts.add("second", q.two == D::bit(c.elements == 2));
      if (c.elements == 2)
        facts.add("second element", (e.at(1).lkey == c.second.lkey) &
                                        (e.at(1).address == c.second.address) &
                                        (e.at(1).length == c.second.length));
    }
    if (c.verb == Verb::connect)
      for (const std::uint32_t end : {c.qp, model::peer_of(c.qp)}) {
        const auto& q = t.after.qps.at(end);
        facts.add(named("qp", end), q.live & (q.state == rts) & !q.posted &
                                         (q.access == D::flags(model::kPairRights)));
      }
    if (c.verb == Verb::modify_qp) facts.add("rights", t.after.qps.at(c.qp).access == c.access);
    // Nothing says what becomes of windows that were bound through a pair that failed.
    if (c.verb != Verb::connect && c.verb != Verb::destroy_qp) return;
    for (std::size_t i = 0; i < D::kWindows; ++i) {
      const auto& w = t.before.windows.at(i);
      const auto here = w.live & w.bound & w.two & (w.qp == D::slot(c.qp));
      facts.add(named("mw", i), implies(here, t.after.windows.at(i).undefined));
    }
  }

  /// At either end: whatever takes a pair to ERR leaves its windows in doubt.
  static void windows_go_with_their_pair(const T& t, F& facts) {
    for (const std::uint32_t end : {t.call.qp, model::peer_of(t.call.qp)}) {
      const Bit stopped = (t.before.qps.at(end).state == D::small(model::QpState::rts)) &
                          (t.after.qps.at(end).state == D::small(model::QpState::err));
      for (std::size_t i = 0; i < D::kWindows; ++i) {
        const auto& w = t.before.windows.at(i);
        const auto here = w.live & w.bound & w.two & (w.qp == D::slot(end));
        facts.add(named("mw", i) + named(" qp", end),
                  implies(stopped & here,
                          t.after.windows.at(i).undefined | !t.after.windows.at(i).bound));
      }
    }
  }

  /// Work requests that fail take their queue pairs to ERR, and the windows bound through them
  /// into doubt.
  static void failure_stops_the_pair(const T& t, F& facts) {
    const auto status = t.result.outcome;
    if (!model::is_transfer(t.call.verb)) return;
    windows_go_with_their_pair(t, facts);
    if (status == Outcome::ok || status == Outcome::refused || status == Outcome::wr_flush_err)
      return;
    const auto err = D::small(model::QpState::err);
    const auto& q = t.after.qps.at(t.call.qp);
    facts.add("requester", (q.state == err) & !q.posted);
    const bool both = status == Outcome::rem_access_err || status == Outcome::rem_inv_req_err ||
                      status == Outcome::rem_op_err || status == Outcome::terminated;
    const auto& p = t.after.qps.at(model::peer_of(t.call.qp));
    if (both) facts.add("responder", (p.state == err) & !p.posted);
    for (std::size_t i = 0; i < D::kWindows; ++i) {
      const auto& w = t.before.windows.at(i);
      const auto here = w.live & w.bound & w.two & (w.qp == D::slot(t.call.qp));
      facts.add(named("mw", i), implies(here, t.after.windows.at(i).undefined));
    }
    if (model::is_bind(t.call.verb)) {
      const auto& w = t.before.windows.at(t.call.mw);
      facts.add("rebound", implies(w.bound, t.after.windows.at(t.call.mw).undefined));
    }
  }

  /// Pages that a program unmaps are missing in its buffer, and gone from regions that hold them.
  static void pages_are_as_asked(const T& t, F& facts) {
    const auto& c = t.call;
    if (c.verb != Verb::protect || t.result.outcome != Outcome::ok) return;
    const auto last = c.address + c.length - D::address(1);
    for (std::size_t i = 0; i < D::kBuffers; ++i) {
      const auto& a = t.before.buffers.at(i);
      const auto& b = t.after.buffers.at(i);
      const auto here = (a.first <= c.address) & (last <= a.last);
      const auto lost = D::bit(c.option != model::kWritePages);
      facts.add(
          named("buf", i),
          implies(here, (b.hole == lost) & (b.read_only == D::bit(c.option == model::kReadPages)) &
                            (b.hole_first == c.address) & (b.hole_last == last)));
    }
    if (c.option != model::kNoPages) return;
    for (std::size_t i = 0; i < D::kRegions; ++i) {
      const auto& a = t.before.regions.at(i);
      const auto& b = t.after.regions.at(i);
      const auto byte = a.memory + t.offset;
      const auto touched = a.live & !(a.empty | a.outside_buffers | a.null) & !a.undefined &
                           !model::has<D>(a.access, model::kOnDemand) &
                           (t.offset <= a.last - a.first) & (c.address <= byte) & (byte <= last);
      facts.add(named("mr", i),
                implies(touched, b.undefined | (b.unmapped & (b.unmapped_first <= byte) &
                                                (byte <= b.unmapped_last))));
      facts.add(named("mr", i) + " kept", implies(a.live & a.unmapped, b.unmapped));
      const auto again = (a.unmapped_first <= c.address) & (last <= a.unmapped_last);
      facts.add(named("mr", i) + " again",
                implies(a.live & a.unmapped & again, b.undefined == a.undefined));
    }
  }

  /// A success shows what the device can do, so that it cannot say later that it cannot.
  static void success_is_remembered(const T& t, F& facts) {
    const bool renewed = std::string_view(t.rule.name) == "err_do_fork_old";
    if ((t.result.outcome != Outcome::ok && !renewed) || t.rule.weight != Weight::verdict) return;
    const auto shows = [&](std::uint32_t features) {
      facts.add("feature", model::has_any<D>(t.after.demonstrated_features, features));
    };
    using namespace model;
    switch (t.call.verb) {
      case Verb::reg_mr_ex: shows(kRegMrEx); break;
      case Verb::reg_dmabuf_mr: shows(kDmabufMr); break;
      case Verb::alloc_null_mr: shows(kNullMr); break;
      case Verb::advise_mr: shows(kAdviseMr); break;
      case Verb::modify_qp: shows(kModifyRights); break;
      case Verb::alloc_mw:
        shows(t.call.option == kTypeOne ? kMwType1 : kMwType2A | kMwType2B);
        break;
      case Verb::send:
      case Verb::rdma_write:
      case Verb::rdma_write_with_imm:
        facts.add("inline", implies(has<D>(t.call.flags, kInline),
                                    has<D>(t.after.demonstrated_features, kInlineData)));
        break;
      case Verb::local_inv: shows(kMemoryExtensions); break;
      case Verb::send_with_inv:
        facts.add("feature", implies(t.result.peer_receive == D::small(Outcome::ok),
                                     has<D>(t.after.demonstrated_features, kMemoryExtensions)));
        break;
      case Verb::atomic_fetch_and_add:
      case Verb::atomic_cmp_and_swp: shows(kAtomics); break;
      default: break;
    }
    if (!makes_region(t.call.verb) && t.call.verb != Verb::rereg_mr) return;
    const auto& r = t.after.regions.at(t.call.mr);
    const auto now = t.call.verb == Verb::alloc_null_mr ? D::flags(0) : r.access;
    facts.add("access", (now & ~t.after.demonstrated_access) == D::flags(0));
    const auto change = [&](const char* of, std::uint32_t flag, std::uint32_t feature) {
      facts.add(of, implies(D::bit(t.call.verb == Verb::rereg_mr) & has<D>(t.call.flags, flag),
                            has<D>(t.after.demonstrated_features, feature)));
    };
    change("translation", kChangeTranslation, kReregTranslation);
    change("domain", kChangePd, kReregPd);
    change("rights", kChangeAccess, kReregAccess);
    const auto all = (t.call.address == D::address(0)) & (t.call.length == ~D::address(0));
    if (makes_region(t.call.verb) && t.call.verb != Verb::alloc_null_mr &&
        t.call.verb != Verb::reg_shared_mr)
      facts.add("implicit", implies(all & has<D>(r.access, kOnDemand),
                                    has<D>(t.after.demonstrated_features, kImplicitOnDemand)));
  }
};

}  // namespace mrproof::specs
