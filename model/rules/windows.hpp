// Rules of memory windows: allocation, both ways of binding, local invalidation.
#pragma once

#include "model/conditions/windows.hpp"
#include "model/rules/remote.hpp"

namespace mrproof::model {

/// The rules of alloc_mw, dealloc_mw, bind_mw, post_bind_mw and local_inv.
template <class D>
struct WindowRules {
  using T = Term<D>;
  using S = State<D>;
  using V = View<D>;
  using C = CommonRules<D>;
  using E = TransferEffects<D>;
  using R = RemoteRules<D>;

  // ---- effects ----

  static void allocate(const V& v, S& after) {
    Window<D> w;
    w.live = D::bit(true);
    w.two = D::bit(v.call.option == kTypeTwo);
    w.pd = D::small(v.call.pd);
    w.rkey = v.result.rkey;
    after.windows.at(v.call.mw) = w;
    after.shown = after.shown | features_needed<D>(v);
  }
  static void deallocate(const V& v, S& after) {
    auto& w = after.windows.at(v.call.mw);
    w.live = w.bound = w.undefined = D::bit(false);
  }
  static void bind(const V& v, S& after) {
    const Region<D>& r = the_region(v);
    const auto zero_based = has<D>(v.call.access, kZeroBased);
    Window<D> w = the_window(v);
    w.bound = !unbinds(v);
    w.region = D::small(v.call.mr);
    w.qp = D::small(v.call.qp);
    w.access = v.call.access;
    w.first = D::select(zero_based, D::address(0), v.call.address);
    w.last = w.first + v.call.length - D::address(1);
    w.memory = r.memory + (v.call.address - r.first);
    w.old_rkey = w.rkey;
    w.rkey = v.result.rkey;
    // Nothing says what the key is if its index was not the window's.
    w.undefined = !key_index_kept<D>.holds(v);
    after.windows.at(v.call.mw) = w;
  }
  /// Nothing says whether a window that was bound still is.
  static void bind_fails(const V& v, S& after) {
    E::requester_fails(v, after);
    auto& w = after.windows.at(v.call.mw);
    w.undefined = w.undefined | w.bound;
  }

  // ---- terms ----

  static constexpr auto kAllocated = hold<D>(list<D>(&window_key_distinct<D>));
  static constexpr auto kVerbMissing = fail<D>(list<D>(&verb_available<D>));

  static constexpr auto kReady = list<D>(&qp_ready<D>);
  static constexpr auto kBindable =
      list<D>(&window_type_fits<D>, &bind_region_same_pd<D>, &bind_qp_same_pd<D>, &bind_right<D>,
              &bind_has_local_write<D>, &bind_in_bounds<D>, &bind_region_not_null<D>,
              &window_free<D>, &bind_not_empty<D>);
  static constexpr auto kBindDoubts = list<D>(
      &zero_based_of_type_two<D>, &window_access_known<D>, &bind_qp_of_pd<D>,
      &window_access_available<D>, &key_index_kept<D>, &key_byte_changes<D>, &bind_region_plain<D>);
  static constexpr auto kNamed = list<D>(&invalidates_window<D>, &invalidates_same_pd<D>);
  static constexpr auto kNamedDoubts = list<D>(&invalidates_bound<D>, &invalidates_own<D>);

  static constexpr auto kBound =
      hold<D>(kReady, kBindable, R::kQuiet, R::kPeerQuiet, list<D>(&bind_key_right<D>));
  static constexpr auto kBindReasons = fail<D>(kBindable, kBindDoubts);
  static constexpr auto kBindRefusals = fail<D>(kReady, kBindable, kBindDoubts);

  static constexpr auto kInvalidated = hold<D>(kReady, kNamed, R::kQuiet, R::kPeerQuiet);
  static constexpr auto kInvalidateReasons = fail<D>(kNamed, kNamedDoubts);
  static constexpr auto kInvalidateRefusals = fail<D>(kReady, kNamed, kNamedDoubts);

  static constexpr const char* kStatus = "gap.failed_bind_status";
  static constexpr const char* kBindGaps =
      "gap.zero_based_type_1 gap.bind_access_unknown gap.bind_other_pd_qp gap.type_2_same_key "
      "gap.bind_on_zero_based_mr gap.type_2_key_index";
  static constexpr const char* kFreeGap =
      "gap.invalidate_free_window gap.invalidate_through_other_qp";

  // ---- rules ----

  static constexpr Rule<D> kAlloc[] = {{"ok", Outcome::ok, kAllocated, {}, allocate, nullptr},
                                       {"unsupported", Outcome::refused, C::kErrnoSet, kVerbMissing,
                                        nullptr, nullptr, Weight::unsupported},
                                       C::kNoResources};
  static constexpr Rule<D> kDealloc[] = {{"ok", Outcome::ok, {}, {}, deallocate, nullptr},
                                         C::kNoResources};

  /// A failed bind or invalidation: one row for each status it may end with.
  static constexpr Rule<D> failed(const char* name, Outcome status, std::span<const T> reasons,
                                  void (*effect)(const V&, S&)) {
    return {name, status, R::kLocalError, reasons, effect, nullptr, Weight::verdict, kStatus};
  }

  static constexpr Rule<D> kBind[] = {
      {"ok", Outcome::ok, kBound, {}, bind, nullptr, Weight::verdict, kBindGaps},
      failed("mw_bind_err", Outcome::mw_bind_err, kBindReasons, bind_fails),
      failed("loc_prot_err", Outcome::loc_prot_err, kBindReasons, bind_fails),
      failed("loc_access_err", Outcome::loc_access_err, kBindReasons, bind_fails),
      failed("loc_qp_op_err", Outcome::loc_qp_op_err, kBindReasons, bind_fails),
      R::kFlushed,
      {"refused", Outcome::refused, C::kErrnoValue, kBindRefusals, nullptr, nullptr,
       Weight::verdict, R::kEarly},
      C::kNoResources};

  static constexpr Rule<D> kInvalidate[] = {
      {"ok", Outcome::ok, kInvalidated, {}, E::invalidate, nullptr, Weight::verdict, kFreeGap},
      failed("mw_bind_err", Outcome::mw_bind_err, kInvalidateReasons, E::requester_fails),
      failed("loc_prot_err", Outcome::loc_prot_err, kInvalidateReasons, E::requester_fails),
      failed("loc_access_err", Outcome::loc_access_err, kInvalidateReasons, E::requester_fails),
      failed("loc_qp_op_err", Outcome::loc_qp_op_err, kInvalidateReasons, E::requester_fails),
      R::kFlushed,
      {"refused", Outcome::refused, C::kErrnoValue, kInvalidateRefusals, nullptr, nullptr,
       Weight::verdict, R::kEarly},
      C::kNoResources};

  static constexpr const Condition<D>* kAllocDuty[] = {&pd_live<D>, &mw_slot_free<D>};
  static constexpr const Condition<D>* kDeallocDuty[] = {&mw_live<D>};
  static constexpr const Condition<D>* kBindDuty[] = {
      &qp_live<D>, &mw_live<D>, &mw_defined<D>, &mr_live<D>, &mr_defined<D>, &bind_region_seen<D>};
  static constexpr const Condition<D>* kInvalidateDuty[] = {&qp_live<D>, &verb_available<D>,
                                                            &invalidated_defined<D>};

  static constexpr VerbRules<D> kVerbs[] = {
      {Verb::alloc_mw, kAlloc, kAllocDuty},
      {Verb::dealloc_mw, kDealloc, kDeallocDuty},
      {Verb::bind_mw, kBind, kBindDuty},
      {Verb::post_bind_mw, kBind, kBindDuty},
      {Verb::local_inv, kInvalidate, kInvalidateDuty},
  };
};

}  // namespace mrproof::model
