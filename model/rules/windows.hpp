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
    after.windows.at(v.call.mw) = w;
  }
  /// Nothing says whether a window that was bound still is.
  static void bind_fails(const V& v, S& after) {
    E::requester_fails(v, after);
    auto& w = after.windows.at(v.call.mw);
    w.undefined = w.undefined | w.bound;
  }

  // ---- terms ----

  static constexpr T kAllocated[] = {{&window_key_distinct<D>, true}};
  static constexpr T kVerbMissing[] = {{&verb_available<D>, false}};

  static constexpr T kBound[] = {{&qp_ready<D>, true},
                                 {&window_type_fits<D>, true},
                                 {&bind_region_same_pd<D>, true},
                                 {&bind_qp_same_pd<D>, true},
                                 {&bind_right<D>, true},
                                 {&bind_has_local_write<D>, true},
                                 {&bind_in_bounds<D>, true},
                                 {&bind_region_not_null<D>, true},
                                 {&window_free<D>, true},
                                 {&bind_not_empty<D>, true},
                                 {&zero_based_of_type_two<D>, true},
                                 {&window_access_known<D>, true},
                                 {&key_index_kept<D>, true},
                                 {&completion_matches<D>, true},
                                 {&requester_stays<D>, true},
                                 {&responder_stays<D>, true},
                                 {&own_receive_stays<D>, true},
                                 {&peer_receive_stays<D>, true},
                                 {&bind_key_right<D>, true}};
  static constexpr T kBindReasons[] = {
      {&window_type_fits<D>, false},     {&bind_region_same_pd<D>, false},
      {&bind_qp_same_pd<D>, false},      {&bind_right<D>, false},
      {&bind_has_local_write<D>, false}, {&bind_in_bounds<D>, false},
      {&bind_region_not_null<D>, false}, {&window_free<D>, false},
      {&bind_not_empty<D>, false},       {&zero_based_of_type_two<D>, false},
      {&window_access_known<D>, false},  {&key_index_kept<D>, false},
      {&bind_qp_of_pd<D>, false},        {&key_byte_changes<D>, false},
      {&bind_region_plain<D>, false}};
  static constexpr T kBindRefusals[] = {
      {&qp_ready<D>, false},             {&window_type_fits<D>, false},
      {&bind_region_same_pd<D>, false},  {&bind_qp_same_pd<D>, false},
      {&bind_right<D>, false},           {&bind_has_local_write<D>, false},
      {&bind_in_bounds<D>, false},       {&bind_region_not_null<D>, false},
      {&window_free<D>, false},          {&bind_not_empty<D>, false},
      {&zero_based_of_type_two<D>, false}, {&window_access_known<D>, false},
      {&key_index_kept<D>, false},       {&bind_qp_of_pd<D>, false},
      {&key_byte_changes<D>, false},     {&bind_region_plain<D>, false}};

  static constexpr T kInvalidated[] = {
      {&qp_ready<D>, true},            {&invalidates_window<D>, true},
      {&invalidates_same_pd<D>, true}, {&invalidates_own<D>, true},
      {&completion_matches<D>, true},  {&requester_stays<D>, true},
      {&responder_stays<D>, true},     {&own_receive_stays<D>, true},
      {&peer_receive_stays<D>, true}};
  static constexpr T kInvalidateReasons[] = {{&invalidates_window<D>, false},
                                             {&invalidates_bound<D>, false},
                                             {&invalidates_same_pd<D>, false},
                                             {&invalidates_own<D>, false}};
  static constexpr T kInvalidateRefusals[] = {{&qp_ready<D>, false},
                                              {&invalidates_window<D>, false},
                                              {&invalidates_bound<D>, false},
                                              {&invalidates_same_pd<D>, false},
                                              {&invalidates_own<D>, false}};

  static constexpr const char* kStatus =
      "gap: which local error a failed bind or invalidation ends with, 11.6.2, and whether what the "
      "pages leave open is one";

  // ---- rules ----

  static constexpr Rule<D> kAlloc[] = {
      {"ok", Outcome::ok, kAllocated, {}, allocate, nullptr},
      {"unsupported", Outcome::refused, C::kErrnoSet, kVerbMissing, nullptr, nullptr,
       Weight::unsupported},
      C::kNoResources};
  static constexpr Rule<D> kDealloc[] = {{"ok", Outcome::ok, {}, {}, deallocate, nullptr},
                                         C::kNoResources};

  /// A failed bind or invalidation: one row for each status it may end with.
  static constexpr Rule<D> failed(const char* name, Outcome status, std::span<const T> reasons,
                                  void (*effect)(const V&, S&)) {
    return {name, status, R::kLocalError, reasons, effect, nullptr, Weight::verdict, kStatus};
  }

  static constexpr Rule<D> kBind[] = {
      {"ok", Outcome::ok, kBound, {}, bind, nullptr, Weight::verdict, kStatus},
      failed("mw_bind_err", Outcome::mw_bind_err, kBindReasons, bind_fails),
      failed("loc_prot_err", Outcome::loc_prot_err, kBindReasons, bind_fails),
      failed("loc_access_err", Outcome::loc_access_err, kBindReasons, bind_fails),
      failed("loc_qp_op_err", Outcome::loc_qp_op_err, kBindReasons, bind_fails),
      R::kFlushed,
      {"refused", Outcome::refused, C::kErrnoValue, kBindRefusals, nullptr, nullptr,
       Weight::verdict, R::kEarly},
      C::kNoResources};

  static constexpr Rule<D> kInvalidate[] = {
      {"ok", Outcome::ok, kInvalidated, {}, E::invalidate, nullptr, Weight::verdict, kStatus},
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
  static constexpr const Condition<D>* kBindDuty[] = {&qp_live<D>,   &mw_live<D>,
                                                      &mw_defined<D>, &mr_live<D>,
                                                      &mr_defined<D>, &bind_region_seen<D>};
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
