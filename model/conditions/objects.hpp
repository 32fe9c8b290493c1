// Conditions on protection domains, handles, and what the device has: shared by many verbs.
#pragma once

#include "model/rule.hpp"

namespace mrproof::model {

// Preconditions: what the caller must not do.
MRPROOF_SITUATION(pd_slot_free, "the handle names no live PD", "harness.one_object", !v.pd().live);
MRPROOF_SITUATION(pd_live, "the PD has been allocated and not deallocated",
    "alloc_pd.alloc alloc_pd.dealloc", v.pd().live);
MRPROOF_SITUATION(
    mr_slot_free, "the handle names no live MR", "harness.one_object", !v.region().live);
MRPROOF_SITUATION(
    mr_live, "the MR has been registered and not deregistered", "reg_mr.dereg", v.region().live);
MRPROOF_SITUATION(mr_defined, "the MR is one that may still be used, not only deregistered",
    "rereg_mr.cmd_unusable rereg_mr.cmd_do_fork_unusable gap.iova_wraps "
    "gap.zero_based_with_iova gap.dealloc_pd_used",
    !v.region().undefined);
MRPROOF_SITUATION(
    mr_not_null, "the MR is no null MR", "null_mr.no_rereg gap.null_mr_refusal", !v.region().null);
MRPROOF_SITUATION(
    mw_slot_free, "the handle names no live MW", "harness.one_object", !v.window().live);
MRPROOF_SITUATION(mw_live, "the MW has been allocated and not deallocated",
    "alloc_mw.dealloc_unbinds", v.window().live);
MRPROOF_SITUATION(mw_defined, "it is known whether the MW is bound",
    "gap.window_after_qp_error gap.failed_bind_old_binding gap.rereg_with_windows",
    !v.window().undefined);
MRPROOF_SITUATION(qp_live, "the queue pair exists", "create_qp.destroy", v.qp().live);
MRPROOF_SITUATION(pair_live, "both queue pairs of the connection exist", "create_qp.destroy",
    v.qp().live& v.peer().live);
MRPROOF_SITUATION(store_in_buffer, "the bytes stored lie in mapped, writable memory of one buffer",
    "memory.unmapped memory.read_only", paged_in(v.state, v.call.address, v.call.length, true));

/// Whether all objects that the call names belong to one process.
template <class D> constexpr auto names_one_process(const View<D>& v) {
  const auto pd = D::slot(v.call.pd);
  switch (v.call.verb) {
    case Verb::rereg_mr:
      return implies(has<D>(v.call.flags, kChangePd), of_one_process(v.state, v.region().pd, pd));
    case Verb::reg_shared_mr: return of_one_process(v.state, v.source().pd, pd);
    case Verb::bind_mw:
    case Verb::post_bind_mw:
      return of_one_process(v.state, v.qp().pd, v.window().pd) &
             of_one_process(v.state, v.qp().pd, v.region().pd);
    default: return D::bit(true);  // names one object, or is made at both ends
  }
}
MRPROOF_SITUATION(one_process,
    "the objects that the call names belong to one process: handles are good there only",
    "user_verbs.other_process harness.process_of_pd", names_one_process(v));

/// Whether some buffer holds the range, and no hole but one of just that range.
template <class D> constexpr auto only_hole(const View<D>& v) {
  const auto last = v.call.address + v.call.length - 1;
  return any<D>(v.state.buffers, [&](auto& b) {
    const auto same = (b.hole_first == v.call.address) & (b.hole_last == last);
    return within<D>(v.call.address, v.call.length, b.first, b.last) & (same | !b.hole);
  });
}

// Preconditions of protect.
MRPROOF_SITUATION(pages_whole,
    "the range is whole pages of one buffer, and that buffer's only hole if it has one",
    "memory.whole_pages harness.one_hole",
    (((v.call.address | v.call.length) & 4095) == 0) & only_hole(v));
MRPROOF_SITUATION(pages_there, "pages that are made read-only are mapped", "memory.protect_mapped",
    (v.call.option != kReadPages) | paged_in(v.state, v.call.address, v.call.length, false));

/// Whether none of the objects is live and in the PD that the call names.
template <class D> constexpr auto none_in_pd(const View<D>& v, const auto& objects) {
  const auto pd = D::slot(v.call.pd);
  return all<D>(
      objects, InPd{pd}, [&](auto& object) { return !(object.live & (object.pd == pd)); });
}
/// Whether no bound window is on the region, of those of which that is known, or is not.
template <class D> constexpr auto no_window_on_it(const View<D>& v, bool doubtful) {
  const auto region = D::slot(v.call.mr);
  return all<D>(v.state.windows, OnRegion{region}, [&](auto& w) {
    return !(w.live & w.bound & (w.undefined == doubtful) & (w.region == region));
  });
}
/// The Feature flags of which the call needs one; all-ones where it needs none.
template <class D> constexpr typename D::Flags features_needed(const View<D>& v) {
  const auto two = kMwType2A | kMwType2B;
  switch (v.call.verb) {
    case Verb::reg_mr_ex: return kRegMrEx;
    case Verb::reg_dmabuf_mr: return kDmabufMr;
    case Verb::alloc_null_mr: return kNullMr;
    case Verb::advise_mr: return kAdviseMr;
    case Verb::modify_qp: return kModifyRights;
    case Verb::alloc_mw: return v.call.option == kTypeOne ? kMwType1 : two;
    case Verb::local_inv:
    case Verb::send_with_inv: return kMemoryExtensions | two;
    case Verb::atomic_fetch_and_add:
    case Verb::atomic_cmp_and_swp: return kAtomics;
    default: return ~0U;
  }
}

// What decides.
MRPROOF_SITUATION_ON(kAboutDomains, pd_unused, "no MR, MW or QP belongs to the PD",
    "alloc_pd.dealloc_used gap.dealloc_pd_used",
    none_in_pd(v, v.state.regions) & none_in_pd(v, v.state.windows) & none_in_pd(v, v.state.qps));
MRPROOF_SITUATION(no_bound_window, "no memory window is bound to the MR",
    "reg_mr.dereg_bound_window gap.dereg_of_bound_mr gap.rereg_with_windows",
    no_window_on_it(v, false));
MRPROOF_SITUATION(no_doubtful_window,
    "no memory window of which it is not known may be bound to the MR",
    "gap.window_after_qp_error gap.failed_bind_old_binding gap.rereg_with_windows",
    no_window_on_it(v, true));
MRPROOF_SITUATION(verb_available, "the device claims what the verb needs, or has granted it before",
    "query_device.device_cap_flags query_device.atomic_cap query_device_ex.odp_implicit",
    (features_needed(v) == ~0U) |
        ((features_needed(v) & v.state.promised_features()) != 0));

/// Whether no live region that grants remote access, and no window, of the device of `pd` has a key
/// that is `taken`, of those with the index of `key`.
template <class D>
constexpr auto no_rkey(const State<D>& s, const typename D::Slot& pd, const typename D::Key& key,
    auto&& taken) {
  return all<D>(s.regions, WithRkey{key}, [&](auto& r) {
    return !(r.live & has_any<D>(r.access, kRemoteRights) & (!r.null) & taken(r.rkey) &
             of_one_device(s, r.pd, pd));
  }) & all<D>(s.windows, WithRkey{key}, [&](auto& w) {
    return !(w.live & (!w.undefined) & taken(w.rkey) & of_one_device(s, w.pd, pd));
  });
}
/// Whether the number can be an errno; whether it is ENOMEM or EAGAIN.
constexpr auto is_errno(auto error) { return (error != 0) & (error < 4096); }
constexpr auto says_resources(auto error) { return (error == 12) | (error == 11); }

// What is seen.
MRPROOF_OBSERVATION(errno_value, "the failure is reported as a positive errno value",
    "reg_mr.dereg_returns alloc_pd.dealloc_returns post_send.returns rereg_exp.returns_errno",
    is_errno(v.result.error));
MRPROOF_OBSERVATION(errno_set, "errno says why NULL was returned",
    "reg_mr.errno_set alloc_pd.returns_pd gap.errno_after_null", is_errno(v.result.error));
MRPROOF_OBSERVATION(errno_of_resources, "the errno says that resources ran out (ENOMEM or EAGAIN)",
    "harness.no_resources query_device.upper_limits", says_resources(v.result.error));

}  // namespace mrproof::model
