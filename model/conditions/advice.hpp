// Conditions on ibv_advise_mr().
#pragma once

#include "model/conditions/registration.hpp"
#include "model/targets.hpp"

namespace mrproof::model {

template <class D>
inline constexpr Condition<D> advised_defined{
    "advised_defined", "the regions are ones that may still be used", "rereg_mr.cmd_unusable",
    About::situation, [](const View<D>& v) {
      return each_element<D>(v, 0, [&](const Target<D>& t) {
        return all<D>(v.state.regions,
                      [&](const Region<D>& r) { return !(answers<D>(r, t) & r.undefined); });
      });
    }};

template <class D>
inline constexpr Condition<D> advice_known{
    "advice_known", "the advice is one of the three that the page names", "advise_mr.advice_known",
    About::situation, [](const View<D>& v) { return D::bit(v.call.option <= kPrefetchNoFault); }};

template <class D>
inline constexpr Condition<D> advice_flags_known{
    "advice_flags_known", "flags is 0 or FLUSH", "advise_mr.flags_known", About::situation,
    [](const View<D>& v) { return (v.call.flags & ~D::flags(kAdviseFlush)) == D::flags(0); }};

template <class D>
inline constexpr Condition<D> advised_key_live{
    "advised_key_live", "a live region has each lkey", "advise_mr.efault_key advise_mr.enoent",
    About::situation, [](const View<D>& v) {
      return each_element<D>(v, 0, [&](const Target<D>& t) { return key_is_live<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> advised_same_pd{
    "advised_same_pd", "the regions are in the PD given", "advise_mr.same_pd", About::situation,
    [](const View<D>& v) {
      return each_element<D>(v, 0, [&](const Target<D>& t) {
        return all<D>(v.state.regions, [&](const Region<D>& r) {
          return implies(answers<D>(r, t), r.pd == D::small(v.call.pd));
        });
      });
    }};

template <class D>
inline constexpr Condition<D> advised_in_bounds{
    "advised_in_bounds", "each range lies inside its region",
    "advise_mr.efault_range advise_mr.any_range", About::situation, [](const View<D>& v) {
      return each_element<D>(v, 0, [&](const Target<D>& t) { return in_bounds<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> advised_on_demand{
    "advised_on_demand", "the regions are paged on demand",
    "advise_mr.prefetch_on_demand gap.advise_not_on_demand", About::situation,
    [](const View<D>& v) {
      return each_element<D>(v, kOnDemand,
                             [&](const Target<D>& t) { return right_granted<D>(v.state, t); });
    }};

template <class D>
inline constexpr Condition<D> advised_writable{
    "advised_writable", "regions that are fetched for writing have LOCAL_WRITE",
    "advise_mr.eperm_read_only advise_mr.efault_key", About::situation, [](const View<D>& v) {
      return D::bit(v.call.option != kPrefetchWrite) |
             each_element<D>(v, kLocalWrite,
                             [&](const Target<D>& t) { return right_granted<D>(v.state, t); });
    }};

/// Whether the elements' bytes are there for the advice: to be written where it says so.
template <class D>
constexpr typename D::Bit advised_memory_there(const View<D>& v) {
  const bool write = v.call.option == kPrefetchWrite;
  return each_element<D>(v, 0,
                         [&](const Target<D>& t) { return memory_there<D>(v.state, t, write); });
}

template <class D>
inline constexpr Condition<D> advised_mapped{
    "advised_mapped", "with FLUSH, and unless nothing is to be faulted in, all pages are mapped",
    "advise_mr.flush advise_mr.efault_range gap.advise_postponed_error", About::situation,
    [](const View<D>& v) {
      return D::bit(v.call.option == kPrefetchNoFault) | (!has<D>(v.call.flags, kAdviseFlush)) |
             advised_memory_there<D>(v);
    }};

template <class D>
inline constexpr Condition<D> advised_mapped_now{
    "advised_mapped_now", "all pages are part of the process's address space",
    "advise_mr.efault_range gap.advise_no_fault_absent", About::situation,
    [](const View<D>& v) { return advised_memory_there<D>(v); }};

template <class D>
inline constexpr Condition<D> advised_something{
    "advised_something", "no element is empty", "gap.advise_length_zero", About::situation,
    [](const View<D>& v) {
      return (v.call.length != D::address(0)) &
             (D::bit(v.call.elements == 1) | (v.call.second.length != D::address(0)));
    }};

// ---- observation ----

template <class D>
inline constexpr Condition<D> says_not_supported{
    "says_not_supported", "the error is EOPNOTSUPP (ENOTSUP is the same number), or ENOSYS",
    "advise_mr.eopnotsupp advise_mr.enotsup", About::observation, [](const View<D>& v) {
      return (v.result.error == D::key(95)) | (v.result.error == D::key(38));
    }};

template <class D>
inline constexpr Condition<D> says_fault{
    "says_fault", "the error is EFAULT", "advise_mr.efault_range advise_mr.efault_key",
    About::observation, [](const View<D>& v) { return v.result.error == D::key(14); }};

template <class D>
inline constexpr Condition<D> says_invalid{
    "says_invalid", "the error is EINVAL",
    "advise_mr.einval_pd advise_mr.einval_flags advise_mr.einval_not_mr", About::observation,
    [](const View<D>& v) { return v.result.error == D::key(22); }};

template <class D>
inline constexpr Condition<D> says_not_permitted{
    "says_not_permitted", "the error is EPERM", "advise_mr.eperm_scope advise_mr.eperm_read_only",
    About::observation, [](const View<D>& v) { return v.result.error == D::key(1); }};

template <class D>
inline constexpr Condition<D> says_no_entry{
    "says_no_entry", "the error is ENOENT", "advise_mr.enoent", About::observation,
    [](const View<D>& v) { return v.result.error == D::key(2); }};

}  // namespace mrproof::model
