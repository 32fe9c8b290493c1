// Conditions on memory windows: allocation, binding, invalidation.
#pragma once

#include "model/conditions/transfer.hpp"

namespace mrproof::model {

/// The window that the call names.
template <class D>
constexpr const Window<D>& the_window(const View<D>& v) {
  return v.state.windows.at(v.call.mw);
}
/// The region that the call names.
template <class D>
constexpr const Region<D>& the_region(const View<D>& v) {
  return v.state.regions.at(v.call.mr);
}

/// Flags that a window can have (ibv_bind_mw(3), DESCRIPTION).
inline constexpr std::uint32_t kWindowAccess =
    kRemoteWrite | kRemoteRead | kRemoteAtomic | kZeroBased;

// ---- binding ----

template <class D>
inline constexpr Condition<D> window_type_fits{
    "window_type_fits", "the verb is the one for windows of this type",
    "bind_mw.type_2_by_post_send o10-37.2.34 o10-37.2.35", About::situation, [](const View<D>& v) {
      return the_window(v).two == D::bit(v.call.verb == Verb::post_bind_mw);
    }};

template <class D>
inline constexpr Condition<D> bind_region_same_pd{
    "bind_region_same_pd", "window and region are in one PD", "C10-72 verbs_h.bind_mw_pd",
    About::situation, [](const View<D>& v) { return the_window(v).pd == the_region(v).pd; }};

template <class D>
inline constexpr Condition<D> bind_qp_same_pd{
    "bind_qp_same_pd", "a type 2 window is bound through a queue pair of its PD", "C10-72",
    About::situation,
    [](const View<D>& v) { return (!the_window(v).two) | (the_window(v).pd == requester(v).pd); }};

template <class D>
inline constexpr Condition<D> bind_qp_of_pd{
    "bind_qp_of_pd", "the queue pair of the bind is in the window's PD", "gap.bind_other_pd_qp",
    About::situation, [](const View<D>& v) { return the_window(v).pd == requester(v).pd; }};

/// Whether nothing is asked of the region: the bind unbinds.
template <class D>
constexpr typename D::Bit unbinds(const View<D>& v) {
  return v.call.length == D::address(0);
}

template <class D>
inline constexpr Condition<D> bind_right{
    "bind_right", "the region has MW_BIND", "reg_mr.mw_bind C10-73", About::situation,
    [](const View<D>& v) { return unbinds(v) | has<D>(the_region(v).access, kMwBind); }};

template <class D>
inline constexpr Condition<D> bind_has_local_write{
    "bind_has_local_write", "a window for remote writes or atomics is on a region with LOCAL_WRITE",
    "bind_mw.remote_write_needs_local_write bind_mw.remote_atomic_needs_local_write C10-74",
    About::situation, [](const View<D>& v) {
      return unbinds(v) | implies(has_any<D>(v.call.access, kRemoteWrite | kRemoteAtomic),
                                  has<D>(the_region(v).access, kLocalWrite));
    }};

template <class D>
inline constexpr Condition<D> bind_in_bounds{
    "bind_in_bounds", "the window lies inside the region", "C10-75", About::situation,
    [](const View<D>& v) {
      const auto& r = the_region(v);
      return unbinds(v) | ((!r.empty) & within<D>(v.call.address, v.call.length, r.first, r.last));
    }};

template <class D>
inline constexpr Condition<D> bind_region_not_null{
    "bind_region_not_null", "the region is no null region", "null_mr.no_bind gap.null_mr_refusal",
    About::situation, [](const View<D>& v) { return !the_region(v).null; }};

template <class D>
inline constexpr Condition<D> window_free{
    "window_free", "a type 2 window is not bound when it is bound", "o10-37.2.30", About::situation,
    [](const View<D>& v) { return !(the_window(v).two & the_window(v).bound); }};

template <class D>
inline constexpr Condition<D> bind_not_empty{
    "bind_not_empty", "a type 2 window is not unbound by a bind of length zero", "o10-37.2.40",
    About::situation, [](const View<D>& v) { return !(the_window(v).two & unbinds(v)); }};

template <class D>
inline constexpr Condition<D> zero_based_of_type_two{
    "zero_based_of_type_two", "a zero-based window is of type 2",
    "o10-36.2.2 gap.zero_based_type_1", About::situation,
    [](const View<D>& v) { return the_window(v).two | !has<D>(v.call.access, kZeroBased); }};

template <class D>
inline constexpr Condition<D> window_access_known{
    "window_access_known", "the window's flags are among those that the page names",
    "bind_mw.access_known gap.bind_access_unknown", About::situation,
    [](const View<D>& v) { return (v.call.access & ~D::flags(kWindowAccess)) == D::flags(0); }};

template <class D>
inline constexpr Condition<D> window_access_available{
    "window_access_available", "a window for atomics is asked for where there are atomics",
    "reg_mr.remote_atomic_optional", About::situation, [](const View<D>& v) {
      const auto atomics = has<D>(v.state.can.claimed | v.state.proven, kRemoteAtomic);
      return atomics | !has<D>(v.call.access, kRemoteAtomic);
    }};

template <class D>
inline constexpr Condition<D> key_index_kept{
    "key_index_kept",
    "the key wanted for a type 2 window differs from its key in the low byte only",
    "inc_rkey.keeps_index o10-37.2.32 gap.type_2_key_index", About::situation,
    [](const View<D>& v) {
      return (!the_window(v).two) | (key_index<D>(v.call.rkey) == key_index<D>(the_window(v).rkey));
    }};

template <class D>
inline constexpr Condition<D> key_byte_changes{
    "key_byte_changes", "the key wanted for a type 2 window is not the one it has",
    "inc_rkey.differs gap.type_2_same_key gap.type_2_key_after_invalidate", About::situation,
    [](const View<D>& v) { return (!the_window(v).two) | (v.call.rkey != the_window(v).rkey); }};

template <class D>
inline constexpr Condition<D> bind_region_plain{
    "bind_region_plain", "the region is addressed as memory is", "gap.bind_on_zero_based_mr",
    About::situation, [](const View<D>& v) { return the_region(v).first == the_region(v).memory; }};

template <class D>
inline constexpr Condition<D> bind_region_seen{
    "bind_region_seen", "the region's memory is the program's own and was not unmapped",
    "harness.seen_memory gap.memory_unmapped_later", About::situation,
    [](const View<D>& v) { return !(the_region(v).unseen | the_region(v).gone); }};

template <class D>
inline constexpr Condition<D> no_other_type_window_here{
    "no_other_type_window_here", "no type 2A window is bound through the queue pair",
    "o10-2.2.5 gap.destroy_with_windows", About::situation, [](const View<D>& v) {
      return (!windows_are_2a<D>(v)) | all<D>(v.state.windows, [&](const Window<D>& w) {
               return !(w.live & w.two & w.bound & (w.qp == D::small(v.call.qp)));
             });
    }};

// ---- invalidation: `qp` is the queue pair that invalidates ----

/// Whether some live type 2 window has the key, and `each` holds for it.
template <class D, class Each>
constexpr typename D::Bit named_window(const View<D>& v, Each&& each) {
  return any<D>(v.state.windows, [&](const Window<D>& w) {
    return w.live & w.two & (w.rkey == v.call.rkey) & each(w);
  });
}

/// The queue pair that invalidates: for send_with_inv the receiving one.
template <class D>
constexpr std::uint8_t invalidating_qp(const View<D>& v) {
  return v.call.verb == Verb::send_with_inv ? peer_of(v.call.qp) : v.call.qp;
}

template <class D>
inline constexpr Condition<D> invalidates_window{
    "invalidates_window", "the key is that of a type 2 window",
    "o10-37.2.13 o10-37.2.26 9.4.1.1.3 gap.remote_invalidate_of_mr", About::situation,
    [](const View<D>& v) { return named_window<D>(v, [](const auto&) { return D::bit(true); }); }};

template <class D>
inline constexpr Condition<D> invalidates_bound{
    "invalidates_bound", "the window is bound", "gap.invalidate_free_window", About::situation,
    [](const View<D>& v) { return named_window<D>(v, [](const auto& w) { return w.bound; }); }};

template <class D>
inline constexpr Condition<D> invalidates_same_pd{
    "invalidates_same_pd", "the window is in the PD of the queue pair that invalidates it",
    "9.4.1.1.3 C10-72", About::situation, [](const View<D>& v) {
      const auto pd = v.state.qps.at(invalidating_qp(v)).pd;
      return all<D>(v.state.windows, [&](const Window<D>& w) {
        return implies(w.live & w.two & (w.rkey == v.call.rkey), w.pd == pd);
      });
    }};

template <class D>
inline constexpr Condition<D> invalidates_own{
    "invalidates_own", "the window, if bound, was bound through the queue pair that invalidates it",
    "9.4.1.1.3 o10-37.2.43 gap.invalidate_through_other_qp", About::situation,
    [](const View<D>& v) {
      const auto qp = D::small(invalidating_qp(v));
      return all<D>(v.state.windows, [&](const Window<D>& w) {
        return implies(w.live & w.two & w.bound & (w.rkey == v.call.rkey), w.qp == qp);
      });
    }};

template <class D>
inline constexpr Condition<D> invalidated_defined{
    "invalidated_defined", "it is known whether the window with the key is bound",
    "gap.window_after_qp_error", About::situation, [](const View<D>& v) {
      return all<D>(v.state.windows, [&](const Window<D>& w) {
        return !(w.live & w.undefined & (w.rkey == v.call.rkey));
      });
    }};

// ---- observation ----

template <class D>
inline constexpr Condition<D> window_key_distinct{
    "window_key_distinct",
    "no live window or region that grants remote access has a key of the new window's index",
    "alloc_mw.rkey_names_mw o10-37.2.32", About::observation, [](const View<D>& v) {
      const auto index = key_index<D>(v.result.rkey);
      return all<D>(v.state.regions,
                    [&](const Region<D>& r) {
                      const auto remote = r.live & has_any<D>(r.access, kRemoteRights) & (!r.null);
                      return implies(remote, key_index<D>(r.rkey) != index);
                    }) &
             all<D>(v.state.windows, [&](const Window<D>& w) {
               return implies(w.live & !w.undefined, key_index<D>(w.rkey) != index);
             });
    }};

template <class D>
inline constexpr Condition<D> bind_key_right{
    "bind_key_right",
    "a type 1 window has a key that nothing else has and that is not its old one; "
    "a type 2 window has the key that was wanted",
    "bind_mw.rkey_new alloc_mw.bind_changes_key post_send.bind_rkey C10-68 gap.unbind_key",
    About::observation, [](const View<D>& v) {
      const auto wanted = v.result.rkey == v.call.rkey;
      return D::select(the_window(v).two, wanted,
                       unbinds(v) | rkey_unused<D>(v.state, v.result.rkey));
    }};

}  // namespace mrproof::model
