// Rules of PDs, of the end of regions, and of what a program does to its own memory.
#pragma once

#include "model/conditions/registration.hpp"

namespace mrproof::model {

/// Rows that many verbs have.
template <class D>
struct CommonRules {
  static constexpr auto kErrnoValue = hold<D>(list<D>(&errno_value<D>));
  static constexpr auto kErrnoSet = hold<D>(list<D>(&errno_set<D>));
  static constexpr auto kResources = hold<D>(list<D>(&errno_of_resources<D>));
  /// Any call may run out of resources; that proves nothing.
  static constexpr Rule<D> kNoResources{"no_resources", Outcome::refused, kResources,          {},
                                        nullptr,        nullptr,          Weight::inconclusive};
};

/// The rules of alloc_pd, dealloc_pd, dereg_mr, fill and protect.
template <class D>
struct ObjectRules {
  using S = State<D>;
  using V = View<D>;
  using C = CommonRules<D>;

  // ---- effects ----

  static void allocate(const V& v, S& after) { after.pds.at(v.call.pd).live = D::bit(true); }
  static void deallocate(const V& v, S& after) { after.pds.at(v.call.pd).live = D::bit(false); }
  static void deallocate_under_users(const V& v, S& after) {
    const auto pd = D::small(v.call.pd);
    after.pds.at(v.call.pd).live = D::bit(false);
    for (auto& r : after.regions) r.undefined = r.undefined | (r.live & (r.pd == pd));
    for (auto& w : after.windows) w.undefined = w.undefined | (w.live & (w.pd == pd));
    for (auto& q : after.qps) q.live = q.live & (q.pd != pd);
  }
  static void remove(const V& v, S& after) {
    after.regions.at(v.call.mr).live = D::bit(false);
    for (auto& w : after.windows) w.bound = w.bound & (w.region != D::small(v.call.mr));
  }

  /// Regions that hold the pages keep them; the program does not see them any more.
  static void lose_pages(const V& v, S& after, typename D::Address last) {
    for (auto& r : after.regions) {
      const auto end = r.memory + (r.last - r.first);
      const auto touched = (r.memory <= last) & (v.call.address <= end) & (!r.empty);
      const auto holds = r.live & touched & !(r.unseen | r.null | has<D>(r.access, kOnDemand));
      // One lost range is followed; with a second one elsewhere the region may only be
      // deregistered.
      const auto known = (r.gone_first <= v.call.address) & (last <= r.gone_last);
      r.undefined = r.undefined | (holds & r.gone & !known);
      r.gone_first = D::select(holds & !r.gone, v.call.address, r.gone_first);
      r.gone_last = D::select(holds & !r.gone, last, r.gone_last);
      r.gone = r.gone | holds;
    }
  }
  static void protect(const V& v, S& after) {
    const auto last = v.call.address + v.call.length - D::address(1);
    if (v.call.option == kNoPages) lose_pages(v, after, last);
    for (auto& b : after.buffers) {
      const auto here = (b.first <= v.call.address) & (last <= b.last);
      b.hole = D::select(here, D::bit(v.call.option != kWritePages), b.hole);
      b.read_only = D::select(here, D::bit(v.call.option == kReadPages), b.read_only);
      b.hole_first = D::select(here, v.call.address, b.hole_first);
      b.hole_last = D::select(here, last, b.hole_last);
    }
  }

  // ---- rules ----

  static constexpr auto kUnused = hold<D>(list<D>(&pd_unused<D>));
  static constexpr auto kUsed = fail<D>(list<D>(&pd_unused<D>));
  static constexpr auto kUnbound = hold<D>(list<D>(&no_bound_window<D>));
  static constexpr auto kBound = fail<D>(list<D>(&no_bound_window<D>));
  static constexpr auto kMaybeBound = fail<D>(list<D>(&no_doubtful_window<D>));
  static constexpr const char* kMayFail = "alloc_pd.dealloc_used gap.dealloc_pd_used";
  static constexpr const char* kDoubt = "gap.window_after_qp_error gap.failed_bind_old_binding";

  static constexpr Rule<D> kAlloc[] = {{"ok", Outcome::ok, {}, {}, allocate, nullptr},
                                       C::kNoResources};
  static constexpr Rule<D> kDealloc[] = {{"ok", Outcome::ok, kUnused, {}, deallocate, nullptr},
                                         {"ok_while_used",
                                          Outcome::ok,
                                          kUsed,
                                          {},
                                          deallocate_under_users,
                                          nullptr,
                                          Weight::verdict,
                                          kMayFail},
                                         {"refused", Outcome::refused, C::kErrnoValue, kUsed,
                                          nullptr, nullptr, Weight::verdict, kMayFail},
                                         C::kNoResources};
  static constexpr Rule<D> kDeregister[] = {
      {"ok", Outcome::ok, kUnbound, {}, remove, nullptr},
      {"refused", Outcome::refused, C::kErrnoValue, kBound, nullptr, nullptr},
      {"refused_doubtful", Outcome::refused, C::kErrnoValue, kMaybeBound, nullptr, nullptr,
       Weight::verdict, kDoubt},
      C::kNoResources};
  static constexpr Rule<D> kFill[] = {{"ok", Outcome::ok, {}, {}, nullptr, nullptr}};
  static constexpr Rule<D> kProtect[] = {{"ok", Outcome::ok, {}, {}, protect, nullptr}};

  static constexpr const Condition<D>* kAllocDuty[] = {&pd_slot_free<D>};
  static constexpr const Condition<D>* kDeallocDuty[] = {&pd_live<D>};
  static constexpr const Condition<D>* kDeregisterDuty[] = {&mr_live<D>};
  static constexpr const Condition<D>* kFillDuty[] = {&store_in_buffer<D>};
  static constexpr const Condition<D>* kProtectDuty[] = {&pages_whole<D>, &pages_there<D>};

  static constexpr VerbRules<D> kVerbs[] = {
      {Verb::alloc_pd, kAlloc, kAllocDuty},           {Verb::dealloc_pd, kDealloc, kDeallocDuty},
      {Verb::dereg_mr, kDeregister, kDeregisterDuty}, {Verb::fill, kFill, kFillDuty},
      {Verb::protect, kProtect, kProtectDuty},
  };
};

}  // namespace mrproof::model
