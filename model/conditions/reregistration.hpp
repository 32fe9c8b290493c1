// Conditions on ibv_rereg_mr() alone.
#pragma once

#include "model/conditions/registration.hpp"

namespace mrproof::model {

// ---- duties ----

template <class D>
inline constexpr Condition<D> new_pd_live{
    "new_pd_live", "the PD that the MR is to move to is live", "ibv_rereg_mr(3), DESCRIPTION",
    About::situation, [](const View<D>& v) {
      return implies(has<D>(v.call.flags, kChangePd), v.state.pds.at(v.call.pd).live);
    }};

template <class D>
inline constexpr Condition<D> translation_plain{
    "translation_plain",
    "what is translated is plain memory, and is not addressed by offsets after",
    "gap: ibv_rereg_mr(3) does not say how keys address a zero-based MR after a translation",
    About::situation, [](const View<D>& v) {
      const auto a = asked<D>(v);
      return (!a.moves) | !(has_any<D>(a.access, kZeroBased | kAllocateMr) |
                            v.state.regions.at(v.call.mr).unseen);
    }};

// ---- situation ----

template <class D>
inline constexpr Condition<D> changes_known{
    "changes_known", "flags has no bit but the three that the page names",
    "ibv_rereg_mr(3), DESCRIPTION", About::situation,
    [](const View<D>& v) { return (v.call.flags & ~D::flags(kChanges)) == D::flags(0); }};

template <class D>
inline constexpr Condition<D> changes_something{
    "changes_something", "flags says what is to change", "ibv_rereg_mr(3), DESCRIPTION",
    About::situation, [](const View<D>& v) { return has_any<D>(v.call.flags, kChanges); }};

template <class D>
inline constexpr Condition<D> translation_given{
    "translation_given", "a change of translation comes with an address and a length",
    "ibv_rereg_mr(3), DESCRIPTION; libibverbs", About::situation, [](const View<D>& v) {
      return implies(has<D>(v.call.flags, kChangeTranslation),
                     (v.call.address != D::address(0)) & (v.call.length != D::address(0)));
    }};

template <class D>
inline constexpr Condition<D> access_only_with_flag{
    "access_only_with_flag", "access is 0 where CHANGE_ACCESS is not set",
    "gap: ibv_rereg_mr(3) does not say whether parameters without their flag are ignored",
    About::situation, [](const View<D>& v) {
      return has<D>(v.call.flags, kChangeAccess) | (v.call.access == D::flags(0));
    }};

template <class D>
inline constexpr Condition<D> mr_plain{
    "mr_plain", "the MR is of the program's own memory",
    "gap: ibv_rereg_mr(3) does not say whether MRs of other kinds can be re-registered",
    About::situation, [](const View<D>& v) { return !v.state.regions.at(v.call.mr).unseen; }};

template <class D>
inline constexpr Condition<D> experimental_access{
    "experimental_access", "the access flags asked for are those that the vendor page names",
    "vendor page, access", About::situation, [](const View<D>& v) {
      constexpr std::uint32_t kNamed = kLocalWrite | kRemoteWrite | kRemoteRead | kAllocateMr;
      return (!has<D>(v.call.flags, kChangeAccess)) |
             ((v.call.access & ~D::flags(kNamed)) == D::flags(0));
    }};

template <class D>
inline constexpr Condition<D> old_memory_there{
    "old_memory_there", "the MR's memory has not been unmapped under it",
    "gap: no page says what a region is whose memory was unmapped", About::situation,
    [](const View<D>& v) { return !v.state.regions.at(v.call.mr).gone; }};

template <class D>
inline constexpr Condition<D> changes_available{
    "changes_available", "every kind of change asked for has been granted before",
    "ibv_rereg_mr(3): no capability says whether it is supported", About::situation,
    [](const View<D>& v) {
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
    "code_input", "the code is IBV_REREG_MR_ERR_INPUT", "ibv_rereg_mr(3), RETURN VALUE",
    About::observation, [](const View<D>& v) { return v.result.error == D::key(kErrInput); }};

template <class D>
inline constexpr Condition<D> code_dont_fork_new{
    "code_dont_fork_new", "the code is IBV_REREG_MR_ERR_DONT_FORK_NEW",
    "ibv_rereg_mr(3), RETURN VALUE", About::observation,
    [](const View<D>& v) { return v.result.error == D::key(kErrDontForkNew); }};

template <class D>
inline constexpr Condition<D> code_do_fork_old{
    "code_do_fork_old", "the code is IBV_REREG_MR_ERR_DO_FORK_OLD", "ibv_rereg_mr(3), RETURN VALUE",
    About::observation, [](const View<D>& v) { return v.result.error == D::key(kErrDoForkOld); }};

template <class D>
inline constexpr Condition<D> code_cmd{
    "code_cmd", "the code is IBV_REREG_MR_ERR_CMD", "ibv_rereg_mr(3), RETURN VALUE",
    About::observation, [](const View<D>& v) { return v.result.error == D::key(kErrCmd); }};

template <class D>
inline constexpr Condition<D> code_cmd_and_do_fork_new{
    "code_cmd_and_do_fork_new", "the code is IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW",
    "ibv_rereg_mr(3), RETURN VALUE", About::observation,
    [](const View<D>& v) { return v.result.error == D::key(kErrCmdAndDoForkNew); }};

template <class D>
inline constexpr Condition<D> reason_of_resources{
    "reason_of_resources", "errno beside the code says that resources ran out (ENOMEM or EAGAIN)",
    "errno(3)", About::observation,
    [](const View<D>& v) { return says_resources<D>(v.result.reason); }};

}  // namespace mrproof::model
