// Rules of PDs, of the end of regions, and of what a program does to its own memory: alloc_pd,
// dealloc_pd, dereg_mr, fill, protect.
#pragma once

#include "model/conditions/registration.hpp"

namespace mrproof::model {

/// Rows that many verbs have.
template <class D> struct CommonRules {
  using R = Rule<D>;
  using enum Outcome;
  static constexpr auto kErrnoValue = hold<D, errno_value<D>>;
  static constexpr auto kErrnoSet = hold<D, errno_set<D>>;

  /// Any call may run out of resources; that proves nothing.
  static constexpr R kNoResources =
      R{"no_resources", refused, hold<D, errno_of_resources<D>>}.with(Weight::inconclusive);
  /// What makes an object is not there, or cannot do what is asked.
  static constexpr R unsupported(typename R::Terms seen, typename R::Terms missing) {
    return R{"unsupported", refused, seen, missing}.with(Weight::unsupported);
  }
};

/// The rules of alloc_pd, dealloc_pd, dereg_mr, fill and protect.
template <class D> struct ObjectRules {
  using S = State<D>;
  using V = View<D>;
  using C = CommonRules<D>;
  using R = Rule<D>;
  using enum Outcome;

  static void allocate(const V& v, S& after) {
    after.pds.change(v.call.pd, [](auto& pd) { pd.live = true; });
  }
  static void deallocate(const V& v, S& after) {
    after.pds.change(v.call.pd, [](auto& pd) { pd.live = false; });
  }
  static void deallocate_under_users(const V& v, S& after) {
    const auto pd = D::slot(v.call.pd);
    const auto spoil = [&](auto& o) { o.undefined = o.undefined | (o.live & (o.pd == pd)); };
    deallocate(v, after);
    after.regions.change_all(InPd{pd}, spoil);
    after.windows.change_all(InPd{pd}, spoil);
    after.qps.change_all(InPd{pd}, [&](auto& q) {
      q.live = q.live & (q.pd != pd);
      q.posted = q.posted & q.live;
    });
  }
  static void remove(const V& v, S& after) {
    const auto region = D::slot(v.call.mr);
    after.regions.change(v.call.mr, [](auto& r) { r.live = false; });
    after.windows.change_all(
        OnRegion{region}, [&](auto& w) { w.bound = w.bound & (w.region != region); });
  }
  /// Regions that hold the pages keep them; the program does not see them any more.
  static void lose_pages(const V& v, S& after, typename D::Address last) {
    after.regions.change_all(Everywhere{}, [&](auto& r) {
      const auto end = r.memory + (r.last - r.first);
      const auto touched = (r.memory <= last) & (v.call.address <= end) & (!r.empty);
      const auto holds =
          r.live & touched & !(r.outside_buffers | r.null | has<D>(r.access, kOnDemand));
      // One lost range is followed; with a second one the region may only be deregistered.
      const auto known = (r.unmapped_first <= v.call.address) & (last <= r.unmapped_last);
      r.undefined = r.undefined | (holds & r.unmapped & !known);
      r.unmapped_first = D::select(holds & !r.unmapped, v.call.address, r.unmapped_first);
      r.unmapped_last = D::select(holds & !r.unmapped, last, r.unmapped_last);
      r.unmapped = r.unmapped | holds;
    });
  }
  static void protect(const V& v, S& after) {
    const auto last = v.call.address + v.call.length - 1;
    if (v.call.option == kNoPages) lose_pages(v, after, last);
    for (auto& b : after.buffers) {
      const auto here = (b.first <= v.call.address) & (last <= b.last);
      b.hole = D::select(here, D::bit(v.call.option != kWritePages), b.hole);
      b.read_only = D::select(here, D::bit(v.call.option == kReadPages), b.read_only);
      b.hole_first = D::select(here, v.call.address, b.hole_first);
      b.hole_last = D::select(here, last, b.hole_last);
    }
  }

  static constexpr auto kUsed = fail<D, pd_unused<D>>;
  static constexpr const char* kMayFail = "alloc_pd.dealloc_used gap.dealloc_pd_used";

  static constexpr R kAlloc[] = {R{"ok", ok}.with(allocate), C::kNoResources};
  static constexpr R kDealloc[] = {R{"ok", ok, hold<D, pd_unused<D>>}.with(deallocate),
      R{"ok_while_used", ok, kUsed}.with(deallocate_under_users, kMayFail),
      R{"refused", refused, C::kErrnoValue, kUsed}.with(kMayFail), C::kNoResources};
  static constexpr R kDeregister[] = {R{"ok", ok, hold<D, no_bound_window<D>>}.with(remove),
      R{"refused", refused, C::kErrnoValue, fail<D, no_bound_window<D>>},
      R{"refused_doubtful", refused, C::kErrnoValue, fail<D, no_doubtful_window<D>>}.with(
          "gap.window_after_qp_error gap.failed_bind_old_binding"),
      C::kNoResources};
  static constexpr R kFill[] = {R{"ok", ok}};
  static constexpr R kProtect[] = {R{"ok", ok}.with(protect)};

  static constexpr VerbRules<D> kVerbs[] = {
      of_table<D, kAlloc>(Verb::alloc_pd, list<D, pd_slot_free<D>>),
      of_table<D, kDealloc>(Verb::dealloc_pd, list<D, pd_live<D>>),
      of_table<D, kDeregister>(Verb::dereg_mr, list<D, mr_live<D>>),
      of_table<D, kFill>(Verb::fill, list<D, store_in_buffer<D>>),
      of_table<D, kProtect>(Verb::protect, list<D, pages_whole<D>, pages_there<D>>)};
};

}  // namespace mrproof::model
