// Rules of memory windows: alloc_mw, dealloc_mw, bind_mw, post_bind_mw, local_inv.
#pragma once

#include "model/conditions/windows.hpp"
#include "model/rules/remote.hpp"

namespace mrproof::model {

/// The rules of windows.
template <class D> struct WindowRules {
  using S = State<D>;
  using V = View<D>;
  using C = CommonRules<D>;
  using E = TransferEffects<D>;
  using R = Rule<D>;
  using enum Outcome;
  using Shared = RemoteRules<D>;

  static void allocate(const V& v, S& after) {
    Window<D> w;
    w.live = true;
    w.two = v.call.option == kTypeTwo;
    w.pd = v.call.pd;
    w.rkey = v.result.rkey;
    after.windows.put(v.call.mw, w);
    after.demonstrated_features = after.demonstrated_features | features_needed(v);
  }
  static void deallocate(const V& v, S& after) {
    after.windows.change(v.call.mw, [](auto& w) { w.live = w.bound = w.undefined = false; });
  }
  static void bind(const V& v, S& after) {
    const auto zero_based = has<D>(v.call.access, kZeroBased);
    Window<D> w = v.window();
    w.bound = !unbinds(v);
    w.region = v.call.mr;
    w.qp = v.call.qp;
    w.access = v.call.access;
    w.first = D::select(zero_based, D::address(0), v.call.address);
    w.last = w.first + v.call.length - 1;
    w.memory = v.region().memory + (v.call.address - v.region().first);
    w.old_rkey = w.rkey;
    w.rkey = v.result.rkey;
    // Nothing says what the key is if its index was not the window's.
    w.undefined = !key_index_kept<D>.holds(v);
    after.windows.put(v.call.mw, w);
  }
  /// Nothing says whether a window that was bound still is.
  static void bind_fails(const V& v, S& after) {
    E::requester_fails(v, after);
    after.windows.change(v.call.mw, [](auto& w) { w.undefined = w.undefined | w.bound; });
  }

  static constexpr auto kBindable = list<D, window_type_fits<D>, bind_region_same_pd<D>,
      bind_qp_same_pd<D>, bind_right<D>, bind_has_local_write<D>, bind_in_bounds<D>,
      bind_region_not_null<D>, window_free<D>, bind_not_empty<D>>;
  static constexpr auto kBindDoubts =
      list<D, zero_based_of_type_two<D>, window_access_known<D>, bind_qp_of_pd<D>,
          window_access_available<D>, key_index_kept<D>, key_byte_changes<D>, bind_region_plain<D>>;
  static constexpr auto kNamed = list<D, invalidates_window<D>, invalidates_same_pd<D>>;
  static constexpr auto kNamedDoubts = list<D, invalidates_bound<D>, invalidates_own<D>>;
  static constexpr auto kBound =
      hold<D, qp_ready<D>, kBindable, Shared::kQuiet, peer_receive_stays<D>, bind_key_right<D>>;
  static constexpr auto kInvalidated =
      hold<D, qp_ready<D>, kNamed, Shared::kQuiet, peer_receive_stays<D>>;

  /// A bind or an invalidation that fails: one row for each status it may end with.
  static constexpr auto failures(
      typename R::Terms why, typename R::Terms why_refused, typename R::Effect effect) {
    const auto failed = [&](const char* name, Outcome status) {
      return R{name, status, Shared::kLocalError, why}.with(effect, "gap.failed_bind_status");
    };
    return std::array{failed("mw_bind_err", mw_bind_err), failed("loc_prot_err", loc_prot_err),
        failed("loc_access_err", loc_access_err), failed("loc_qp_op_err", loc_qp_op_err),
        Shared::kFlushed, R{"refused", refused, C::kErrnoValue, why_refused}.with(Shared::kEarly),
        C::kNoResources};
  }

  static constexpr R kAlloc[] = {R{"ok", ok, hold<D, window_key_distinct<D>>}.with(allocate),
      C::unsupported(C::kErrnoSet, fail<D, verb_available<D>>), C::kNoResources};
  static constexpr R kDealloc[] = {R{"ok", ok}.with(deallocate), C::kNoResources};
  static constexpr auto kBind =
      join<R>(R{"ok", ok, kBound}.with(bind,
                  "gap.zero_based_type_1 gap.bind_access_unknown gap.bind_atomics_unclaimed "
                  "gap.bind_other_pd_qp "
                  "gap.type_2_same_key gap.bind_on_zero_based_mr gap.type_2_key_index"),
          failures(fail<D, kBindable, kBindDoubts>, fail<D, qp_ready<D>, kBindable, kBindDoubts>,
              bind_fails));
  static constexpr auto kInvalidate =
      join<R>(R{"ok", ok, kInvalidated}.with(
                  E::invalidate, "gap.invalidate_free_window gap.invalidate_through_other_qp"),
          failures(fail<D, kNamed, kNamedDoubts>, fail<D, qp_ready<D>, kNamed, kNamedDoubts>,
              E::requester_fails));

  static constexpr auto kBindDuty = list<D, qp_live<D>, end_is_seen<D>, inline_sound<D>, mw_live<D>,
      mw_defined<D>,
      mr_live<D>, mr_defined<D>, bind_region_seen<D>, one_process<D>>;
  static constexpr VerbRules<D> kVerbs[] = {
      of_table<D, kAlloc>(Verb::alloc_mw, list<D, pd_live<D>, mw_slot_free<D>>),
      of_table<D, kDealloc>(Verb::dealloc_mw, list<D, mw_live<D>>),
      of_table<D, kBind>(Verb::bind_mw, kBindDuty),
      of_table<D, kBind>(Verb::post_bind_mw, kBindDuty),
      of_table<D, kInvalidate>(
          Verb::local_inv,
          list<D, qp_live<D>, end_is_seen<D>, inline_sound<D>, verb_available<D>,
              invalidated_defined<D>>)};
};

}  // namespace mrproof::model
