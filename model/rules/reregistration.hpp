// Rules of ibv_rereg_mr(): the page's five codes and what the region is after each of them; and of
// the vendor's experimental verb of that name (dialect mlnx-exp).
#pragma once

#include "model/conditions/reregistration.hpp"
#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of rereg_mr.
template <class D> struct ReregistrationRules {
  using S = State<D>;
  using V = View<D>;
  using C = CommonRules<D>;
  using R = Rule<D>;
  using enum Outcome;

  /// The new region is valid.
  static void renew(const V& v, S& after) {
    const auto a = asked(v);
    Region<D> r = v.region();
    r.pd = D::select(has<D>(v.call.flags, kChangePd), D::slot(v.call.pd), r.pd);
    const auto moves = has<D>(v.call.flags, kChangeTranslation);
    r.access = D::select(moves, a.access & ~kShared, a.access);
    r.empty = a.length == 0;
    r.undefined = r.undefined | !keys_range_straight<D>.holds(v);
    r.first = a.first;
    r.last = a.first + a.length - 1;
    r.memory = a.address;
    r.unmapped = r.unmapped & !moves;
    r.old_lkey = r.lkey;
    r.old_rkey = r.rkey;
    r.lkey = v.result.lkey;
    r.rkey = v.result.rkey;
    const auto shows = [&](std::uint32_t change, std::uint32_t feature) {
      return D::select(has<D>(v.call.flags, change), D::flags(feature), D::flags(0));
    };
    after.demonstrated_features = after.demonstrated_features |
                                  shows(kChangeTranslation, kReregTranslation) |
                                  shows(kChangePd, kReregPd) | shows(kChangeAccess, kReregAccess);
    after.regions.put(v.call.mr, r);
    after.demonstrated_access = after.demonstrated_access | a.access;
  }
  /// The same; nothing says what becomes of windows that were bound.
  static void renew_under_windows(const V& v, S& after) {
    renew(v, after);
    const auto region = D::slot(v.call.mr);
    after.windows.change_all(OnRegion{region},
        [&](auto& w) { w.undefined = w.undefined | (w.live & w.bound & (w.region == region)); });
  }
  /// The region should not be used: it may only be deregistered.
  static void spoil(const V& v, S& after) {
    after.regions.change(v.call.mr, [](auto& r) { r.undefined = true; });
  }

  static constexpr auto kSound = list<D, changes_known<D>, remote_write_has_local_write<D>,
      memory_mapped<D>, memory_writable<D>>;
  static constexpr auto kPageSilent = list<D, changes_something<D>, translation_given<D>,
      memory_there_now<D>, old_memory_there<D>, no_doubtful_window<D>, mr_plain<D>>;
  static constexpr auto kLibrarySilent =
      list<D, access_only_with_flag<D>, access_bits_defined<D>, hugetlb_with_on_demand<D>>;

  static constexpr auto kInput = hold<D, code_input<D>>;
  static constexpr auto kCommand = hold<D, code_cmd<D>>;
  static constexpr auto kBound =
      join<Term<D>>(hold<D, kSound, keys_distinct<D>>, fail<D, no_bound_window<D>>);
  static constexpr auto kBadInput =
      fail<D, changes_known<D>, remote_write_has_local_write<D>, access_bits_defined<D>>;
  static constexpr auto kDoubtfulInput =
      fail<D, access_only_with_flag<D>, changes_something<D>, translation_given<D>, mr_plain<D>>;
  static constexpr auto kBadCommand = fail<D, kSound, no_bound_window<D>>;
  static constexpr auto kDoubtfulCommand =
      join<Term<D>>(fail<D, kLibrarySilent, kPageSilent>, hold<D, length_zero<D>>);
  /// The vendor page says that parameters without their flag are ignored.
  static constexpr auto kExperimentalDoubts =
      join<Term<D>>(fail<D, experimental_access<D>, kPageSilent>, hold<D, length_zero<D>>);
  static constexpr auto kRangeMissing = fail<D, memory_mapped<D>>;
  static constexpr auto kMissing = fail<D, changes_available<D>, features_available<D>>;

  static constexpr const char* kIgnored =
      "gap.rereg_access_without_flag gap.rereg_no_flags gap.rereg_no_range "
      "gap.rereg_of_other_kinds";
  static constexpr const char* kWhoChecks = "gap.rereg_input_detected_late";

  static constexpr R kLinux[] = {
      R{"ok", ok, hold<D, kSound, no_bound_window<D>, keys_distinct<D>>}.with(renew, kIgnored),
      R{"ok_while_bound", ok, kBound}.with(renew_under_windows, "gap.rereg_with_windows"),
      R{"err_input", refused, kInput, kBadInput}.with(kWhoChecks),
      R{"err_input_doubtful", refused, kInput, kDoubtfulInput}.with(kIgnored),
      R{"err_dont_fork_new", refused, hold<D, code_dont_fork_new<D>>, kRangeMissing}.with(
          kWhoChecks),
      R{"err_do_fork_old", refused, hold<D, code_do_fork_old<D>, kSound, keys_distinct<D>>,
          fail<D, old_memory_there<D>>}
          .with(renew_under_windows, "gap.memory_unmapped_later"),
      R{"err_cmd", refused, kCommand, kBadCommand}.with(spoil, kWhoChecks),
      R{"err_cmd_doubtful", refused, kCommand, kDoubtfulCommand}.with(spoil, kIgnored),
      R{"err_cmd_and_do_fork_new", refused, hold<D, code_cmd_and_do_fork_new<D>>, kRangeMissing}
          .with(spoil, kWhoChecks),
      C::unsupported(kCommand, kMissing).with(spoil),
      R{"no_resources", refused, hold<D, code_cmd<D>, reason_of_resources<D>>}.with(
          spoil, Weight::inconclusive),
      R{"no_resources_kept", refused, hold<D, code_dont_fork_new<D>, reason_of_resources<D>>}.with(
          Weight::inconclusive)};
  static constexpr R kExperimental[] = {
      R{"ok", ok, hold<D, kSound, no_bound_window<D>, not_peer_memory<D>, keys_distinct<D>>}.with(
          renew),
      R{"refused", refused, C::kErrnoValue, kBadCommand}.with(spoil),
      R{"refused_peer_memory", refused, C::kErrnoValue, fail<D, not_peer_memory<D>>}.with(spoil),
      R{"refused_doubtful", refused, C::kErrnoValue, kExperimentalDoubts}.with(
          spoil, "gap.exp_refusals"),
      C::unsupported(C::kErrnoValue, kMissing).with(spoil), C::kNoResources.with(spoil)};

  static constexpr auto kDuty = list<D, mr_live<D>, mr_defined<D>, mr_not_null<D>, new_pd_live<D>,
      one_process<D>, translation_plain<D>, kind_kept<D>>;
  static constexpr VerbRules<D> kVerbs[] = {of_table<D, kLinux>(Verb::rereg_mr, kDuty)};
  static constexpr VerbRules<D> kExperimentalVerbs[] = {
      of_table<D, kExperimental>(Verb::rereg_mr, kDuty)};
};

}  // namespace mrproof::model
