// Conditions on ibv_rereg_mr() alone.
#pragma once

#include "model/conditions/registration.hpp"

namespace mrproof::model {

/// What an MR stays, whatever new flags say.
inline constexpr std::uint32_t kKind =
    kZeroBased | kOnDemand | kHugetlb | kAllocateMr | kPeerMemory;
/// Flags that the vendor page names.
inline constexpr std::uint32_t kExperimentalAccess =
    kLocalWrite | kRemoteWrite | kRemoteRead | kAllocateMr;

// Preconditions.
MRPROOF_SITUATION(new_pd_live, "the PD that the MR is to move to is live", "rereg_mr.pd_new",
    implies(has<D>(v.call.flags, kChangePd), v.pd().live));
MRPROOF_SITUATION(translation_plain,
    "what is translated is plain memory, and is not addressed by offsets after",
    "gap.rereg_zero_based gap.rereg_of_other_kinds",
    (!asked(v).moves) |
        !(has_any<D>(asked(v).access, kZeroBased | kAllocateMr) | v.region().outside_buffers |
            of_wide_memory(v)));
MRPROOF_SITUATION(kind_kept,
    "new access flags leave the MR what it is: zero-based or not, on demand or not",
    "gap.rereg_kind", (asked(v).access & kKind) == (v.region().access & kKind));

/// Whether the region's memory, if the change pins it anew, is there.
template <class D> constexpr auto can_be_pinned_anew(const View<D>& v) {
  const auto a = asked(v);
  const auto anew = has<D>(v.call.flags, kChangeAccess) & has<D>(a.access, kLocalWrite) &
                    !(a.moves | v.region().outside_buffers | v.region().empty);
  return implies(anew, paged_in(v.state, a.address, a.length, true));
}
/// Whether the kind of change is not asked for, or was granted before.
template <class D> constexpr auto grants_change(const View<D>& v, Change change, Feature feature) {
  return implies(has<D>(v.call.flags, change),
      has<D>(v.state.promised_features(), feature));
}

// What decides.
MRPROOF_SITUATION(changes_known, "flags has no bit but the three that the page names",
    "rereg_mr.flags_known gap.rereg_unknown_flags", (v.call.flags & ~kChanges) == 0);
MRPROOF_SITUATION(changes_something, "flags says what is to change", "gap.rereg_no_flags",
    has_any<D>(v.call.flags, kChanges));
MRPROOF_SITUATION(translation_given, "a change of translation comes with an address and a length",
    "gap.rereg_no_range",
    implies(
        has<D>(v.call.flags, kChangeTranslation), (v.call.address != 0) & (v.call.length != 0)));
MRPROOF_SITUATION(access_only_with_flag, "access is 0 where CHANGE_ACCESS is not set",
    "gap.rereg_access_without_flag", has<D>(v.call.flags, kChangeAccess) | (v.call.access == 0));
MRPROOF_SITUATION(mr_plain, "the MR is of the program's own memory", "gap.rereg_of_other_kinds",
    !v.region().outside_buffers);
MRPROOF_SITUATION(experimental_access,
    "the access flags asked for are those that the vendor page names",
    "rereg_exp.access_known gap.exp_access_list",
    (!has<D>(v.call.flags, kChangeAccess)) | ((v.call.access & ~kExperimentalAccess) == 0));
MRPROOF_SITUATION(old_memory_there,
    "the MR's memory has not been taken away under it, as far as the access asked for goes",
    "gap.memory_unmapped_later", (!v.region().unmapped) & can_be_pinned_anew(v));
MRPROOF_SITUATION(changes_available, "every kind of change asked for has been granted before",
    "gap.rereg_unsupported",
    grants_change(v, kChangeTranslation, kReregTranslation) &
        grants_change(v, kChangePd, kReregPd) & grants_change(v, kChangeAccess, kReregAccess));

// What is seen: the five codes, and an errno beside them.
MRPROOF_OBSERVATION(code_input, "the code is IBV_REREG_MR_ERR_INPUT", "rereg_mr.input_when",
    v.result.error == kErrInput);
MRPROOF_OBSERVATION(code_dont_fork_new, "the code is IBV_REREG_MR_ERR_DONT_FORK_NEW",
    "rereg_mr.dont_fork_new_when", v.result.error == kErrDontForkNew);
MRPROOF_OBSERVATION(code_do_fork_old, "the code is IBV_REREG_MR_ERR_DO_FORK_OLD",
    "rereg_mr.do_fork_old_when", v.result.error == kErrDoForkOld);
MRPROOF_OBSERVATION(
    code_cmd, "the code is IBV_REREG_MR_ERR_CMD", "rereg_mr.cmd_when", v.result.error == kErrCmd);
MRPROOF_OBSERVATION(code_cmd_and_do_fork_new, "the code is IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW",
    "rereg_mr.cmd_do_fork_when", v.result.error == kErrCmdAndDoForkNew);
MRPROOF_OBSERVATION(reason_of_resources,
    "errno beside the code says that resources ran out (ENOMEM or EAGAIN)",
    "harness.no_resources gap.rereg_errno", says_resources(v.result.reason));

}  // namespace mrproof::model
