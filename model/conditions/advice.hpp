// Conditions on ibv_advise_mr().
#pragma once

#include "model/conditions/registration.hpp"

namespace mrproof::model {

/// Whether each region that is advised on satisfies the predicate.
template <class D> constexpr auto each_advised(const View<D>& v, auto&& predicate) {
  return v.each_element(0, [&](auto& t) { return t.regions(predicate); });
}
/// Whether the elements' bytes are there for the advice: to be written where it says so.
template <class D> constexpr auto advised_memory_there(const View<D>& v) {
  return v.each_element(
      0, [&](auto& t) { return t.memory_there(v.call.option == kPrefetchWrite); });
}

// What decides.
MRPROOF_SITUATION(advised_defined, "the regions are ones that may still be used",
    "rereg_mr.cmd_unusable", each_advised(v, [](auto& r) { return !r.undefined; }));
MRPROOF_SITUATION(advised_ordinary,
    "the regions were registered without HUGETLB: the pages are ordinary ones",
    "reg_mr.hugetlb_promise", each_advised(v, [](auto& r) { return !has<D>(r.access, kHugetlb); }));
MRPROOF_SITUATION(advice_known, "the advice is one of the three that the page names",
    "advise_mr.advice_known", v.call.option <= kPrefetchNoFault);
MRPROOF_SITUATION(advice_flags_known, "flags is 0 or FLUSH", "advise_mr.flags_known",
    (v.call.flags & ~kAdviseFlush) == 0);
MRPROOF_SITUATION_ON(kAboutElements | kAboutOnDemand, advised_key_live,
    "a live region has each lkey", "advise_mr.efault_key advise_mr.enoent",
    v.each_element(0, [](auto& t) { return t.key_is_live(); }));
MRPROOF_SITUATION_ON(kAboutDomains | kAboutOnDemand, advised_same_pd,
    "the regions are in the PD given", "advise_mr.same_pd",
    each_advised(v, [&](auto& r) { return r.pd == v.call.pd; }));
MRPROOF_SITUATION_ON(kAboutOnDemand, advised_in_bounds,
    "with FLUSH each range lies inside its region",
    "advise_mr.efault_range advise_mr.any_range gap.advise_postponed_error",
    (!has<D>(v.call.flags, kAdviseFlush)) |
        v.each_element(0, [](auto& t) { return t.in_bounds(); }));
MRPROOF_SITUATION(advised_in_bounds_now, "each range lies inside its region",
    "advise_mr.efault_range advise_mr.any_range",
    v.each_element(0, [](auto& t) { return t.in_bounds(); }));
MRPROOF_SITUATION_ON(kAboutOnDemand, advised_on_demand, "the regions are paged on demand",
    "advise_mr.prefetch_on_demand gap.advise_not_on_demand",
    v.each_element(kOnDemand, [](auto& t) { return t.right_granted(); }));
MRPROOF_SITUATION_ON(kAboutOnDemand, advised_writable,
    "regions that are fetched for writing have LOCAL_WRITE",
    "advise_mr.eperm_read_only advise_mr.efault_key",
    (v.call.option != kPrefetchWrite) |
        v.each_element(kLocalWrite, [](auto& t) { return t.right_granted(); }));
MRPROOF_SITUATION_ON(kAboutOnDemand, advised_mapped,
    "with FLUSH, and unless nothing is to be faulted in, all pages are mapped",
    "advise_mr.flush advise_mr.efault_range gap.advise_postponed_error",
    (v.call.option == kPrefetchNoFault) | (!has<D>(v.call.flags, kAdviseFlush)) |
        advised_memory_there(v));
MRPROOF_SITUATION(advised_mapped_now, "all pages are part of the process's address space",
    "advise_mr.efault_range gap.advise_no_fault_absent", advised_memory_there(v));
MRPROOF_SITUATION(advised_something, "no element is empty", "gap.advise_length_zero",
    (v.call.length != 0) & ((v.call.elements == 1) | (v.call.second.length != 0)));

// What is seen.
MRPROOF_OBSERVATION(says_not_supported,
    "the error is EOPNOTSUPP (ENOTSUP is the same number), or ENOSYS",
    "advise_mr.eopnotsupp advise_mr.enotsup", (v.result.error == 95) | (v.result.error == 38));
MRPROOF_OBSERVATION(says_fault, "the error is EFAULT",
    "advise_mr.efault_range advise_mr.efault_key", v.result.error == 14);
MRPROOF_OBSERVATION(says_invalid, "the error is EINVAL",
    "advise_mr.einval_pd advise_mr.einval_flags advise_mr.einval_not_mr", v.result.error == 22);
MRPROOF_OBSERVATION(says_not_permitted, "the error is EPERM",
    "advise_mr.eperm_scope advise_mr.eperm_read_only", v.result.error == 1);
MRPROOF_OBSERVATION(says_no_entry, "the error is ENOENT", "advise_mr.enoent", v.result.error == 2);

}  // namespace mrproof::model
