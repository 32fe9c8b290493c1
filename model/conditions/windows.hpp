// Conditions on memory windows: allocation, binding, invalidation.
#pragma once

#include "model/conditions/transfer.hpp"

namespace mrproof::model {

/// Flags that a window can have (ibv_bind_mw(3), DESCRIPTION).
inline constexpr std::uint32_t kWindowAccess =
    kRemoteWrite | kRemoteRead | kRemoteAtomic | kZeroBased;

/// Whether nothing is asked of the region: the bind unbinds.
template <class D> constexpr auto unbinds(const View<D>& v) { return v.call.length == 0; }
/// Whether a live type 2 window is bound through the queue pair that the call names.
template <class D> constexpr auto bound_through_qp(const View<D>& v) {
  const auto qp = D::slot(v.call.qp);
  return any<D>(v.state.windows, ThroughQp{qp},
      [&](auto& w) { return w.live & w.two & w.bound & (w.qp == qp); });
}
/// Whether the caller chooses the low byte of the window's key.
template <class D> constexpr auto wants_key(const View<D>& v) {
  return v.window().two & (v.call.verb == Verb::post_bind_mw);
}

// Binding: what makes it sound.
MRPROOF_SITUATION(window_type_fits, "the verb is the one for windows of this type",
    "bind_mw.type_2_by_post_send o10-37.2.34 o10-37.2.35",
    v.window().two == (v.call.verb == Verb::post_bind_mw));
MRPROOF_SITUATION_ON(kAboutDomains, bind_region_same_pd, "window and region are in one PD",
    "C10-72 verbs_h.bind_mw_pd", v.window().pd == v.region().pd);
MRPROOF_SITUATION_ON(kAboutPairs | kAboutDomains, bind_qp_same_pd,
    "a type 2 window is bound through a queue pair of its PD", "C10-72",
    (!v.window().two) | (v.window().pd == v.qp().pd));
MRPROOF_SITUATION(bind_right, "the region has MW_BIND", "reg_mr.mw_bind C10-73",
    unbinds(v) | has<D>(v.region().access, kMwBind));
MRPROOF_SITUATION(bind_has_local_write,
    "a window for remote writes or atomics is on a region with LOCAL_WRITE",
    "bind_mw.remote_write_needs_local_write bind_mw.remote_atomic_needs_local_write C10-74",
    unbinds(v) | writes_locally_too<D>(v.call.access, v.region().access));
MRPROOF_SITUATION(bind_in_bounds, "the window lies inside the region", "C10-75",
    unbinds(v) | ((!v.region().empty) &
                     within<D>(v.call.address, v.call.length, v.region().first, v.region().last)));
MRPROOF_SITUATION(bind_region_not_null, "the region is no null region",
    "null_mr.no_bind gap.null_mr_refusal", !v.region().null);
MRPROOF_SITUATION(window_free, "a type 2 window is not bound when it is bound", "o10-37.2.30",
    !(v.window().two & v.window().bound));
MRPROOF_SITUATION(bind_not_empty, "a type 2 window is not unbound by a bind of length zero",
    "o10-37.2.40", !(v.window().two & unbinds(v)));

// Binding: where the pages leave a doubt.
MRPROOF_SITUATION(bind_qp_of_pd, "the queue pair of the bind is in the window's PD",
    "gap.bind_other_pd_qp", v.window().pd == v.qp().pd);
MRPROOF_SITUATION(zero_based_of_type_two, "a zero-based window is of type 2",
    "o10-36.2.2 gap.zero_based_type_1", v.window().two | !has<D>(v.call.access, kZeroBased));
MRPROOF_SITUATION(window_access_known, "the window's flags are among those that the page names",
    "bind_mw.access_known gap.bind_access_unknown", (v.call.access & ~kWindowAccess) == 0);
MRPROOF_SITUATION(window_access_available,
    "a window for atomics is asked for where there are atomics",
    "reg_mr.remote_atomic_optional gap.bind_atomics_unclaimed",
    has<D>(v.state.promised_access(), kRemoteAtomic) |
        !has<D>(v.call.access, kRemoteAtomic));
MRPROOF_SITUATION(key_index_kept,
    "the key wanted for a type 2 window differs from its key in the low byte only",
    "inc_rkey.keeps_index o10-37.2.32 gap.type_2_key_index",
    (!wants_key(v)) | (key_index(v.call.rkey) == key_index(v.window().rkey)));
MRPROOF_SITUATION(key_byte_changes, "the key wanted for a type 2 window is not the one it has",
    "inc_rkey.differs gap.type_2_same_key gap.type_2_key_after_invalidate",
    (!wants_key(v)) | (v.call.rkey != v.window().rkey));
MRPROOF_SITUATION(bind_region_plain, "the region is addressed as memory is",
    "gap.bind_on_zero_based_mr", v.region().first == v.region().memory);
MRPROOF_SITUATION(bind_region_seen, "the region's memory is the program's own and was not unmapped",
    "harness.seen_memory gap.memory_unmapped_later",
    !(v.region().outside_buffers | v.region().unmapped));
MRPROOF_SITUATION(no_other_type_window_here, "no type 2A window is bound through the queue pair",
    "o10-2.2.5 gap.destroy_with_windows", (!windows_are_2a(v)) | !bound_through_qp(v));

/// Whether some live type 2 window has the key that is to be invalidated, and the predicate holds
/// for it.
template <class D> constexpr auto named_window(const View<D>& v, auto&& predicate) {
  return any<D>(v.state.windows, WithRkey{v.call.rkey},
      [&](auto& w) { return w.live & w.two & is_named(v.state, v.call, w) & predicate(w); });
}

// Invalidation.
MRPROOF_SITUATION(invalidates_window, "the key is that of a type 2 window",
    "o10-37.2.13 o10-37.2.26 9.4.1.1.3 gap.remote_invalidate_of_mr",
    named_window(v, [](const auto&) { return D::bit(true); }));
MRPROOF_SITUATION(invalidates_bound, "the window is bound", "gap.invalidate_free_window",
    named_window(v, [](auto& w) { return w.bound; }));
MRPROOF_SITUATION_ON(kAboutDomains, invalidates_same_pd,
    "the window is in the PD of the queue pair that invalidates it", "9.4.1.1.3 C10-72",
    !named_window(v, [&](auto& w) { return w.pd != v.state.qps.at(invalidating_qp(v.call)).pd; }));
MRPROOF_SITUATION(invalidates_own,
    "the window, if bound, was bound through the queue pair that invalidates it",
    "9.4.1.1.3 o10-37.2.43 gap.invalidate_through_other_qp",
    !named_window(v, [&](auto& w) { return w.bound & (w.qp != invalidating_qp(v.call)); }));
MRPROOF_SITUATION(invalidated_defined, "it is known whether the window with the key is bound",
    "gap.window_after_qp_error", all<D>(v.state.windows, WithRkey{v.call.rkey}, [&](auto& w) {
      return !(w.live & w.undefined & is_named(v.state, v.call, w));
    }));

/// Whether the owner of no other window can give it the key: of a type 2 window's the low byte is
/// chosen.
template <class D> constexpr auto key_out_of_reach(const View<D>& v) {
  return all<D>(v.state.windows, WithRkey{v.result.rkey}, [&](auto& w) {
    const auto chosen = (&w != &v.window()) & w.live & (w.two | w.bound) & (!w.undefined) &
                        of_one_device(v.state, w.pd, v.window().pd);
    return implies(chosen, key_index(w.rkey) != key_index(v.result.rkey));
  });
}

// What is seen.
MRPROOF_OBSERVATION_ON(kAboutOtherKeys | kAboutElements, window_key_distinct,
    "no live window or region that grants remote access has a key of the new window's index",
    "alloc_mw.rkey_names_mw o10-37.2.32",
    no_rkey(v.state, D::slot(v.call.pd), v.result.rkey, [&](auto key) {
      return key_index(key) == key_index(v.result.rkey);
    }));
MRPROOF_OBSERVATION_ON(kAboutElements, bind_key_right,
    "a type 1 window has a key that nothing else has or can choose and that is not its old one; "
    "a type 2 window has the key that was wanted",
    "bind_mw.rkey_new alloc_mw.bind_changes_key post_send.bind_rkey C10-68 gap.unbind_key",
    D::select(v.window().two, v.result.rkey == v.call.rkey,
        unbinds(v) | (no_rkey(v.state, v.window().pd, v.result.rkey, [&](auto key) {
          return key == v.result.rkey;
        }) & key_out_of_reach(v))));

}  // namespace mrproof::model
