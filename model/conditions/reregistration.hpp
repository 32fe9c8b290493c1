// Conditions on ibv_rereg_mr() alone.
#pragma once

#include "model/conditions/registration.hpp"

namespace mrproof::model {

// ---- duties ----

template <class D>
inline constexpr Condition<D> new_pd_live{
    "new_pd_live", "the PD that the MR is to move to is live", "rereg_mr.pd_new", About::situation,
    [](const View<D>& v) {
      return implies(has<D>(v.call.flags, kChangePd), v.state.pds.at(v.call.pd).live);
    }};

template <class D>
inline constexpr Condition<D> translation_plain{
    "translation_plain",
    "what is translated is plain memory, and is not addressed by offsets after",
    "gap.rereg_zero_based gap.rereg_of_other_kinds", About::situation, [](const View<D>& v) {
      const auto a = asked<D>(v);
      return (!a.moves) | !(has_any<D>(a.access, kZeroBased | kAllocateMr) |
                            v.state.regions.at(v.call.mr).unseen);
    }};

template <class D>
inline constexpr Condition<D> kind_kept{
    "kind_kept", "new access flags leave the MR what it is: zero-based or not, on demand or not",
    "gap.rereg_kind", About::situation, [](const View<D>& v) {
      const auto kind = D::flags(kZeroBased | kOnDemand | kHugetlb | kAllocateMr | kPeerMemory);
      return (asked<D>(v).access & kind) == (v.state.regions.at(v.call.mr).access & kind);
    }};

// ---- situation ----

template <class D>
inline constexpr Condition<D> changes_known{
    "changes_known", "flags has no bit but the three that the page names",
    "rereg_mr.flags_known gap.rereg_unknown_flags", About::situation,
    [](const View<D>& v) { return (v.call.flags & ~D::flags(kChanges)) == D::flags(0); }};

template <class D>
inline constexpr Condition<D> changes_something{
    "changes_something", "flags says what is to change", "gap.rereg_no_flags", About::situation,
    [](const View<D>& v) { return has_any<D>(v.call.flags, kChanges); }};

template <class D>
inline constexpr Condition<D> translation_given{
    "translation_given", "a change of translation comes with an address and a length",
    "gap.rereg_no_range", About::situation, [](const View<D>& v) {
      return implies(has<D>(v.call.flags, kChangeTranslation),
                     (v.call.address != D::address(0)) & (v.call.length != D::address(0)));
    }};

template <class D>
inline constexpr Condition<D> access_only_with_flag{
    "access_only_with_flag", "access is 0 where CHANGE_ACCESS is not set",
    "gap.rereg_access_without_flag", About::situation, [](const View<D>& v) {
      return has<D>(v.call.flags, kChangeAccess) | (v.call.access == D::flags(0));
    }};

template <class D>
inline constexpr Condition<D> mr_plain{
    "mr_plain", "the MR is of the program's own memory", "gap.rereg_of_other_kinds",
    About::situation, [](const View<D>& v) { return !v.state.regions.at(v.call.mr).unseen; }};

template <class D>
inline constexpr Condition<D> experimental_access{
    "experimental_access", "the access flags asked for are those that the vendor page names",
    "rereg_exp.access_known gap.exp_access_list", About::situation, [](const View<D>& v) {
      constexpr std::uint32_t kNamed = kLocalWrite | kRemoteWrite | kRemoteRead | kAllocateMr;
      return (!has<D>(v.call.flags, kChangeAccess)) |
             ((v.call.access & ~D::flags(kNamed)) == D::flags(0));
    }};

template <class D>
inline constexpr Condition<D> old_memory_there{
    "old_memory_there",
    "the MR's memory has not been taken away under it, as far as the access asked for goes",
    "gap.memory_unmapped_later", About::situation, [](const View<D>& v) {
      const Region<D>& r = v.state.regions.at(v.call.mr);
      const auto a = asked<D>(v);
      const auto pinned_anew = has<D>(v.call.flags, kChangeAccess) & has<D>(a.access, kLocalWrite) &
                               !(a.moves | r.unseen | r.empty);
      return (!r.gone) & implies(pinned_anew, paged_in<D>(v.state, a.address, a.length, true));
    }};

template <class D>
inline constexpr Condition<D> changes_available{
    "changes_available", "every kind of change asked for has been granted before",
    "gap.rereg_unsupported", About::situation, [](const View<D>& v) {
      const auto shown = v.state.can.features | v.state.shown;
      const auto there = [&](std::uint32_t change, std::uint32_t feature) {
        return implies(has<D>(v.call.flags, change), has<D>(shown, feature));
      };
      return there(kChangeTranslation, kReregTranslation) & there(kChangePd, kReregPd) &
             there(kChangeAccess, kReregAccess);
    }};

// ---- observation: the five codes ----

template <class D>
inline constexpr Condition<D> code_input{
    "code_input", "the code is IBV_REREG_MR_ERR_INPUT", "rereg_mr.input_when", About::observation,
    [](const View<D>& v) { return v.result.error == D::key(kErrInput); }};

template <class D>
inline constexpr Condition<D> code_dont_fork_new{
    "code_dont_fork_new", "the code is IBV_REREG_MR_ERR_DONT_FORK_NEW",
    "rereg_mr.dont_fork_new_when", About::observation,
    [](const View<D>& v) { return v.result.error == D::key(kErrDontForkNew); }};

template <class D>
inline constexpr Condition<D> code_do_fork_old{
    "code_do_fork_old", "the code is IBV_REREG_MR_ERR_DO_FORK_OLD", "rereg_mr.do_fork_old_when",
    About::observation, [](const View<D>& v) { return v.result.error == D::key(kErrDoForkOld); }};

template <class D>
inline constexpr Condition<D> code_cmd{
    "code_cmd", "the code is IBV_REREG_MR_ERR_CMD", "rereg_mr.cmd_when", About::observation,
    [](const View<D>& v) { return v.result.error == D::key(kErrCmd); }};

template <class D>
inline constexpr Condition<D> code_cmd_and_do_fork_new{
    "code_cmd_and_do_fork_new", "the code is IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW",
    "rereg_mr.cmd_do_fork_when", About::observation,
    [](const View<D>& v) { return v.result.error == D::key(kErrCmdAndDoForkNew); }};

template <class D>
inline constexpr Condition<D> reason_of_resources{
    "reason_of_resources", "errno beside the code says that resources ran out (ENOMEM or EAGAIN)",
    "harness.no_resources gap.rereg_errno", About::observation,
    [](const View<D>& v) { return says_resources<D>(v.result.reason); }};

}  // namespace mrproof::model
