// Why a call may be refused, said a second time.
#pragma once

#include "specs/theorems/reasons_transfer.hpp"

namespace mrproof::specs {

/// The second opinion on refusals: when each rule of a failure allows its result.
template <class D>
struct Reasons {
  using Bit = typename D::Bit;
  using C = Choice<D>;
  using F = Facts<D>;
  using P = Permitted<D>;
  using Flags = typename D::Flags;
  using Reason = std::optional<Bit>;

  static Bit none(typename D::Address a) { return a == D::address(0); }
  static Bit strange_bits(const C& c) {
    return (c.call.access | c.state.defined) != c.state.defined;
  }
  static Bit changes(const C& c, std::uint32_t what) { return P::has(c.call.flags, what); }

  /// What the region is to be.
  struct Wanted {
    Flags access;
    typename D::Address address, length, first;
    Bit moves;
  };
  static Wanted wanted(const C& c) {
    const auto& call = c.call;
    const auto access = call.access & c.state.defined;
    const auto zero = P::has(access, model::kZeroBased);
    if (call.verb != Verb::rereg_mr)
      return {access, call.address, call.length,
              D::select(zero, D::address(0), call.verb == Verb::reg_mr ? call.address : call.iova),
              D::bit(true)};
    const auto& r = c.state.regions.at(call.mr);
    const Bit moves = changes(c, model::kChangeTranslation);
    const auto size = D::select(r.empty, D::address(0), r.last + D::address(1) - r.first);
    return {D::select(changes(c, model::kChangeAccess), access, r.access),
            D::select(moves, call.address, r.memory), D::select(moves, call.length, size),
            D::select(moves, call.address, r.first), moves};
  }
  static Bit implicit(const Wanted& w) {
    return P::has(w.access, model::kOnDemand) & none(w.address) &
           (w.length + D::address(1) == D::address(0)) & !none(w.length);
  }
  /// Whether bytes are to be pinned or looked at that are not there.
  static Bit absent(const C& c, const Wanted& w, Bit write) {
    const Bit looked_at = w.moves & !none(w.length);
    if (c.call.verb == Verb::reg_dmabuf_mr)
      return looked_at &
             !P::inside(w.address, w.length, D::address(0), D::address(model::kDmabufSize - 1));
    return looked_at & !P::has(w.access, model::kAllocateMr) &
           !P::mapped(c, w.address, w.length, write);
  }
  static Bit hugetlb_alone(const Wanted& w) {
    return P::has(w.access, model::kHugetlb) &
           ((!P::has(w.access, model::kOnDemand)) | implicit(w));
  }
  static Bit not_there_yet(const C& c, const Wanted& w) {
    return (P::has(w.access, model::kOnDemand) | P::has(w.access, model::kMwBind)) &
           absent(c, w, D::bit(true));
  }
  static Bit features_missing(const C& c, const Wanted& w) {
    const auto granted = c.state.can.claimed | c.state.demonstrated_access;
    Bit missing = D::bit(false);
    for (unsigned bit = 0; bit < 32; ++bit)
      if ((model::kFeatureFlags >> bit & 1U) != 0)
        missing = missing | (P::has(w.access, 1U << bit) & !P::has(granted, 1U << bit));
    return missing | (implicit(w) & !P::has(c.state.can.features | c.state.demonstrated_features,
                                            model::kImplicitOnDemand));
  }
  static Bit feature_missing(const C& c, std::uint32_t feature) {
    return !P::has(c.state.can.features | c.state.demonstrated_features, feature);
  }

  static Reason of_registration(const C& c, std::string_view rule) {
    const auto w = wanted(c);
    const auto& call = c.call;
    const auto wraps = [&](typename D::Address first) {
      return (!none(w.length)) & (first + (w.length - D::address(1)) < first);
    };
    if (rule == "refused") return !P::registered(c);
    if (rule == "refused_doubtful") {
      Bit doubt = none(w.length) | strange_bits(c) | hugetlb_alone(w) | not_there_yet(c, w) |
                  wraps(w.first) | wraps(call.iova);
      if (call.verb != Verb::reg_mr)
        doubt = doubt | ((call.address & D::address(4095)) != (call.iova & D::address(4095)));
      if (call.verb != Verb::reg_mr)
        doubt =
            doubt | (((w.access & D::flags(model::kZeroBased)) != D::flags(0)) & !none(call.iova));
      if (call.verb == Verb::reg_dmabuf_mr)
        doubt = doubt |
                ((call.access | D::flags(model::kDmabufAccess)) != D::flags(model::kDmabufAccess));
      return doubt;
    }
    if (rule != "unsupported") return {};
    Bit missing = features_missing(c, w);
    if (call.verb == Verb::reg_mr_ex) missing = missing | feature_missing(c, model::kRegMrEx);
    if (call.verb == Verb::reg_dmabuf_mr) missing = missing | feature_missing(c, model::kDmabufMr);
    return missing;
  }

  static Bit pages_lost(const C& c, const Wanted& w) {
    const auto& r = c.state.regions.at(c.call.mr);
    const Bit anew = changes(c, model::kChangeAccess) & P::has(w.access, model::kLocalWrite) &
                     !(w.moves | r.outside_buffers | r.empty);
    return r.unmapped | (anew & !P::mapped(c, r.memory, w.length, D::bit(true)));
  }
  /// What the page is silent about.
  static Bit silent(const C& c, const Wanted& w) {
    const auto& r = c.state.regions.at(c.call.mr);
    Bit doubtful = D::bit(false);
    for (const Window<D>& window : c.state.windows)
      doubtful = doubtful | (window.live & window.bound & window.undefined &
                             (window.region == D::slot(c.call.mr)));
    const Bit nothing = !(changes(c, 1) | changes(c, 2) | changes(c, 4));
    const Bit no_range = w.moves & (none(c.call.address) | none(c.call.length));
    return nothing | no_range | not_there_yet(c, w) | pages_lost(c, w) | doubtful |
           r.outside_buffers | none(w.length);
  }
  static Bit changes_missing(const C& c) {
    return (changes(c, 1) & feature_missing(c, model::kReregTranslation)) |
           (changes(c, 2) & feature_missing(c, model::kReregPd)) |
           (changes(c, 4) & feature_missing(c, model::kReregAccess));
  }
  static Reason of_reregistration(const C& c, std::string_view rule) {
    const auto w = wanted(c);
    const auto& r = c.state.regions.at(c.call.mr);
    const Bit strange = D::flags(7) < c.call.flags;
    const Bit sound = P::renewed(c);
    const Bit unused_access = (!changes(c, 4)) & (c.call.access != D::flags(0));
    const Bit no_range = w.moves & (none(c.call.address) | none(c.call.length));
    const Bit nothing = !(changes(c, 1) | changes(c, 2) | changes(c, 4));
    if (rule == "err_input") return strange | !P::rights(w.access) | strange_bits(c);
    if (rule == "err_input_doubtful") return unused_access | nothing | no_range | r.outside_buffers;
    if (rule == "err_dont_fork_new" || rule == "err_cmd_and_do_fork_new")
      return absent(c, w, D::bit(false)) & !P::has(w.access, model::kOnDemand);
    if (rule == "err_do_fork_old") return sound & pages_lost(c, w);
    if (rule == "err_cmd" || rule == "refused") return !(sound & P::unbound(c));
    if (rule == "err_cmd_doubtful")
      return unused_access | strange_bits(c) | hugetlb_alone(w) | silent(c, w);
    if (rule == "ok_while_bound") return sound & !P::unbound(c);
    if (rule == "unsupported") return changes_missing(c) | features_missing(c, w);
    if (rule == "refused_peer_memory") return P::has(r.access, model::kPeerMemory);
    const auto listed = D::flags(model::kLocalWrite | model::kRemoteWrite | model::kRemoteRead |
                                 model::kAllocateMr);
    if (rule == "refused_doubtful")
      return silent(c, w) | (changes(c, 4) & ((c.call.access | listed) != listed));
    return {};
  }

  /// Of an element that is not empty: whether a region answers to its key, whether one does that
  /// is wanting.
  template <class Wanting>
  static Bit advised(const C& c, bool key, Wanting&& wanting) {
    Bit found = D::bit(false);
    for (const auto& e : TransferReasons<D>::elements(c)) {
      Bit some = D::bit(false);
      Bit bad = D::bit(false);
      for (const Region<D>& r : c.state.regions) {
        some = some | (r.live & (r.lkey == e.lkey));
        bad = bad | (r.live & (r.lkey == e.lkey) & wanting(r, e));
      }
      found = found | ((!none(e.length)) & (bad | (key ? !some : D::bit(false))));
    }
    return found;
  }
  static Reason of_advice(const C& c, std::string_view rule) {
    using E = model::Element<D>;
    const bool write = c.call.option == model::kPrefetchWrite;
    const auto elsewhere = [&](const Region<D>& r, const E&) { return r.pd != D::slot(c.call.pd); };
    const auto read_only = [&](const Region<D>& r, const E&) {
      return D::bit(write) & !P::has(r.access, model::kLocalWrite);
    };
    const auto faulty = [&](const Region<D>& r, const E& e) {
      const Bit inside = r.null | ((!r.empty) & P::inside(e.address, e.length, r.first, r.last));
      const Bit there =
          r.outside_buffers | P::paged(c, r, r.memory + (e.address - r.first), e.length, write);
      return (!inside) | (!there) | read_only(r, e);
    };
    const auto neither = [](const Region<D>&, const E&) { return D::bit(false); };
    if (rule == "not_supported") return D::bit(c.call.option > 2);
    if (rule == "fault") return advised(c, true, faulty);
    if (rule == "invalid")
      return advised(c, true, elsewhere) | (D::flags(model::kAdviseFlush) < c.call.flags);
    if (rule == "not_permitted") return advised(c, false, elsewhere) | advised(c, false, read_only);
    if (rule == "no_entry") return advised(c, true, elsewhere) | advised(c, true, neither);
    if (rule == "unsupported") return feature_missing(c, model::kAdviseMr);
    if (rule != "refused_doubtful") return {};
    Bit empty = D::bit(false);
    for (const auto& e : TransferReasons<D>::elements(c)) empty = empty | none(e.length);
    return empty | advised(c, false, [](const Region<D>& r, const E&) {
             return !P::has(r.access, model::kOnDemand);
           });
  }

  static Reason of_other(const C& c, std::string_view rule) {
    const auto& call = c.call;
    if (call.verb == Verb::reg_shared_mr) {
      const auto access = call.access & c.state.defined;
      const Wanted w{access, D::address(1), D::address(1), D::address(0), D::bit(false)};
      if (rule == "refused") return !P::shared(c);
      if (rule == "refused_doubtful") return strange_bits(c);
      if (rule == "unsupported")
        return features_missing(c, {access, call.address, call.length, w.first, w.moves});
    }
    if (call.verb == Verb::dealloc_pd && rule.starts_with("refused")) {
      Bit used = D::bit(false);
      const auto pd = D::slot(call.pd);
      for (const auto& r : c.state.regions) used = used | (r.live & (r.pd == pd));
      for (const auto& w : c.state.windows) used = used | (w.live & (w.pd == pd));
      for (const auto& q : c.state.qps) used = used | (q.live & (q.pd == pd));
      return used;
    }
    if (call.verb == Verb::destroy_qp && rule == "refused_elsewhere") {
      Bit used = D::bit(false);
      for (const auto& w : c.state.windows)
        used = used | (w.live & w.two & w.bound & (w.qp == D::slot(call.qp)));
      const auto features = c.state.can.features;
      return used & P::has(features, model::kMwType2A) & !P::has(features, model::kMwType2B);
    }
    if (call.verb == Verb::alloc_null_mr && rule == "unsupported")
      return feature_missing(c, model::kNullMr);
    if (call.verb == Verb::modify_qp && rule == "refused")
      return c.state.qps.at(call.qp).state != D::small(model::QpState::rts);
    if (call.verb == Verb::modify_qp && rule == "unsupported")
      return feature_missing(c, model::kModifyRights);
    if (call.verb == Verb::alloc_mw && rule == "unsupported")
      return call.option == model::kTypeOne
                 ? feature_missing(c, model::kMwType1)
                 : feature_missing(c, model::kMwType2A) & feature_missing(c, model::kMwType2B);
    return {};
  }

  static Reason of(const C& c, std::string_view rule) {
    const auto verb = c.call.verb;
    if (verb == Verb::rereg_mr) return of_reregistration(c, rule);
    if (verb == Verb::advise_mr) return of_advice(c, rule);
    if (verb == Verb::post_recv && rule != "refused") return {};
    if (model::is_transfer(verb) || verb == Verb::post_recv) return TransferReasons<D>::of(c, rule);
    if (model::makes_region(verb) && verb != Verb::reg_shared_mr && verb != Verb::alloc_null_mr)
      return of_registration(c, rule);
    return of_other(c, rule);
  }

  static void failure_exactly_when_there_is_reason(const C& c, F& facts) {
    // A region that is open to nobody may have an open one's key by chance; where an atomic
    // operation would meet it in memory, nobody asks.
    Bit alone = D::bit(true);
    if (model::is_atomic(c.call.verb))
      for (const Region<D>& r : c.state.regions)
        alone = alone & (is_open(r) | !TransferReasons<D>::answers(c, r));
    for (const auto& a : c.rules)
      if (const auto reason = of(c, a.rule->name)) exactly(c, a, *reason, alone, facts);
  }
  static void exactly(const C& c, const Allowed<D>& a, const Bit& reason, const Bit& alone,
                      F& facts) {
    const std::string name = a.rule->name;
    for (const auto& [in_case, so] : P::cases(c))
      facts.add(name + " always" + in_case, a.situation, {alone, so, reason});
    if (a.reasons.empty()) facts.add(name + " only", reason, {alone, a.situation});
    // Reason by reason: all at once they are a question of seconds.
    for (const auto& each : a.reasons)
      facts.add(name + " only " + each.of, reason, {alone, a.situation, each.holds});
  }
};

}  // namespace mrproof::specs
