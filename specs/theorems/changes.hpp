// What calls change, and what they leave alone.
#pragma once

#include <string_view>
#include <utility>

#include "specs/theorems/invariants.hpp"

namespace mrproof::specs {

/// The facts about changes.
template <class D>
struct ChangeFacts {
  using T = Taken<D>;
  using F = Facts<D>;
  using Bit = typename D::Bit;
  using S = State<D>;

  /// Whether all fields of the states whose path `counts` are equal.
  template <class Counts>
  static Bit same(const S& a, const S& b, Counts&& counts) {
    Bit equal = D::bit(true);
    state_fields(
        [&](const std::string& path, const auto& x, const auto& y) {
          if (counts(path)) equal = equal & (x == y);
        },
        a, b);
    return equal;
  }
  static auto all_but(std::string prefix, std::string also = "-", std::string third = "-") {
    return [prefix = std::move(prefix), also = std::move(also),
            third = std::move(third)](const std::string& path) {
      return !path.starts_with(prefix) && !path.starts_with(also) && !path.starts_with(third);
    };
  }
  static std::string region_path(const T& t) { return slot_path("mr", t.call.mr); }
  static std::string window_path(const T& t) { return slot_path("mw", t.call.mw); }

  /// Whether the region is what the call asks it to be: re-registration keeps what it does not
  /// change.
  static Bit is_as_asked(const T& t) {
    const auto& c = t.call;
    const auto& old = t.before.regions.at(c.mr);
    const auto& now = t.after.regions.at(c.mr);
    const auto moved = (c.flags & D::flags(1)) != D::flags(0);
    const auto to_pd = (c.flags & D::flags(2)) != D::flags(0);
    const auto changed = (c.flags & D::flags(4)) != D::flags(0);
    const auto known = c.access & t.before.defined;
    const auto shared = D::flags(model::kShared);
    const auto access = D::select(changed, known, old.access);
    const auto range = (now.first == c.address) & (now.memory == c.address) &
                       (now.empty == (c.length == D::address(0))) &
                       (now.last + D::address(1) - now.first == c.length) & !now.unmapped;
    // Keys for numbers that wrap around are in doubt.
    const auto doubt =
        moved & (c.length != D::address(0)) & (c.address + (c.length - D::address(1)) < c.address);
    const auto kept = (now.first == old.first) & (now.memory == old.memory) &
                      (now.empty == old.empty) & (old.empty | (now.last == old.last)) &
                      (now.unmapped == old.unmapped);
    return now.live & (now.pd == D::select(to_pd, D::slot(c.pd), old.pd)) &
           (now.access == D::select(moved, access & ~shared, access)) &
           D::select(moved, range, kept) & (now.lkey == t.result.lkey) &
           (now.rkey == t.result.rkey) & (now.old_lkey == old.lkey) & (now.old_rkey == old.rkey) &
           (now.undefined == doubt) & (now.null == old.null) &
           (now.outside_buffers == old.outside_buffers);
  }

  /// The five codes of ibv_rereg_mr(3), and the vendor's errno: each leads to one state.
  static void rereg_result_decides(const T& t, F& facts) {
    if (t.call.verb != Verb::rereg_mr) return;
    const auto path = region_path(t);
    const auto& now = t.after.regions.at(t.call.mr);
    const Bit rest =
        same(t.before, t.after, all_but(path, "demonstrated_features", "demonstrated_access"));
    const Bit learnt = same(t.before, t.after, all_but(path, "mw", "demonstrated_features")) |
                       same(t.before, t.after, all_but(path, "mw", "-"));
    if (t.result.outcome == Outcome::ok) {
      facts.add("done", is_as_asked(t));
      return;
    }
    const auto is = [&](std::uint32_t code) { return t.result.error == D::key(code); };
    const Bit errno_value = t.result.error < D::key(4096);
    const Bit kept = is(model::kErrInput) | is(model::kErrDontForkNew);
    const Bit spoilt = is(model::kErrCmd) | is(model::kErrCmdAndDoForkNew) | errno_value;
    const Bit renewed = is(model::kErrDoForkOld);
    facts.add("a code", kept | spoilt | renewed);
    facts.add("kept", implies(kept, same(t.before, t.after, all_but("-"))));
    facts.add("spoilt", implies(spoilt, now.live & now.undefined & rest &
                                            same(t.before, t.after, all_but(path + "undefined"))));
    facts.add("renewed", implies(renewed, is_as_asked(t)));
    (void)learnt;
  }

  static void advice_changes_nothing(const T& t, F& facts) {
    if (t.call.verb != Verb::advise_mr) return;
    facts.add("state", same(t.before, t.after, all_but("demonstrated_features")));
    facts.add("bytes", D::bit(t.transfer == nullptr));
  }

  static void refusal_changes_nothing(const T& t, F& facts) {
    if (t.result.outcome != Outcome::refused || t.call.verb == Verb::rereg_mr) return;
    facts.add("state", same(t.before, t.after, all_but("-")));
    facts.add("bytes", D::bit(t.transfer == nullptr));
  }

  /// Which fields a call of the verb may change.
  static bool may_change(const T& t, const std::string& path) {
    const auto& c = t.call;
    const auto under = [&](const std::string& prefix) { return path.starts_with(prefix); };
    const auto ends = [&](std::string_view end) { return path.ends_with(end); };
    const bool region = under(region_path(t));
    const bool learns = path == "demonstrated_features" || path == "demonstrated_access";
    if (model::makes_region(c.verb)) return region || learns;
    if (model::is_transfer(c.verb) || c.verb == Verb::connect || c.verb == Verb::destroy_qp) {
      if (model::is_bind(c.verb) && under(window_path(t))) return true;
      if (under("mw")) return ends(".undefined") || ends(".bound");
      if (under("qp"))
        return ends(".state") || ends(".posted") || ends(".live") ||
               (c.verb == Verb::connect && ends(".access"));
      return path == "demonstrated_features";
    }
    switch (c.verb) {
      case Verb::alloc_pd: return under(slot_path("pd", c.pd));
      case Verb::dealloc_pd:
        return under(slot_path("pd", c.pd)) || ends(".undefined") ||
               (under("qp") && (ends(".live") || ends(".posted")));
      case Verb::rereg_mr: return region || learns || (under("mw") && ends(".undefined"));
      case Verb::dereg_mr: return path == region_path(t) + "live" || ends(".bound");
      case Verb::alloc_mw: return under(window_path(t)) || path == "demonstrated_features";
      case Verb::dealloc_mw: return under(window_path(t));
      case Verb::advise_mr: return path == "demonstrated_features";
      case Verb::modify_qp:
        return path == slot_path("qp", c.qp) + "access" || path == "demonstrated_features";
      case Verb::post_recv: return under(slot_path("qp", c.qp));
      case Verb::protect:
        return under("buf") ||
               (under("mr") && (ends(".undefined") || path.find(".unmapped") != std::string::npos));
      default: return false;
    }
  }
  static void others_stay(const T& t, F& facts) {
    facts.add("others", same(t.before, t.after,
                             [&](const std::string& path) { return !may_change(t, path); }));
  }

  /// What a case must be able to rely on: doubt is never taken back by anything but the end of the
  /// object.
  static void doubt_stays(const T& t, F& facts) {
    for (std::size_t i = 0; i < D::kRegions; ++i) {
      const auto& a = t.before.regions.at(i);
      const auto& b = t.after.regions.at(i);
      facts.add(named("mr", i), implies(a.live & a.undefined & b.live, b.undefined));
    }
    for (std::size_t i = 0; i < D::kWindows; ++i) {
      const auto& a = t.before.windows.at(i);
      const auto& b = t.after.windows.at(i);
      facts.add(named("mw", i), implies(a.live & a.undefined & b.live, b.undefined));
    }
  }

  static void knowledge_stays(const T& t, F& facts) {
    facts.add("demonstrated_access",
              (t.before.demonstrated_access & ~t.after.demonstrated_access) == D::flags(0));
    facts.add("demonstrated_features",
              (t.before.demonstrated_features & ~t.after.demonstrated_features) == D::flags(0));
  }
};

}  // namespace mrproof::specs
