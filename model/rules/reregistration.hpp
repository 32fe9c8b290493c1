// Rules of ibv_rereg_mr(): the page's five codes and what the region is after each of them; and of
// the vendor's experimental verb of that name (dialect mlnx-exp).
#pragma once

#include "model/conditions/reregistration.hpp"
#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of rereg_mr.
template <class D>
struct ReregistrationRules {
  using S = State<D>;
  using V = View<D>;

  // ---- effects ----

  /// The new region is valid.
  static void renew(const V& v, S& after) {
    const auto a = asked<D>(v);
    const auto moves = has<D>(v.call.flags, kChangeTranslation);
    const auto to_pd = has<D>(v.call.flags, kChangePd);
    Region<D> r = v.state.regions.at(v.call.mr);
    r.pd = D::select(to_pd, D::small(v.call.pd), r.pd);
    r.access = D::select(moves, a.access & ~D::flags(kShared), a.access);
    r.empty = a.length == D::address(0);
    r.undefined = r.undefined | !keys_range_straight<D>.holds(v);
    r.first = a.first;
    r.last = a.first + a.length - D::address(1);
    r.memory = a.address;
    r.gone = r.gone & !moves;
    r.old_lkey = r.lkey;
    r.old_rkey = r.rkey;
    r.lkey = v.result.lkey;
    r.rkey = v.result.rkey;
    const auto shows = [&](std::uint32_t change, std::uint32_t feature) {
      return D::select(has<D>(v.call.flags, change), D::flags(feature), D::flags(0));
    };
    after.shown = after.shown | shows(kChangeTranslation, kReregTranslation) |
                  shows(kChangePd, kReregPd) | shows(kChangeAccess, kReregAccess);
    after.regions.at(v.call.mr) = r;
    after.proven = after.proven | a.access;
  }
  /// The same; nothing says what becomes of windows that were bound.
  static void renew_under_windows(const V& v, S& after) {
    renew(v, after);
    for (auto& w : after.windows)
      w.undefined = w.undefined | (w.live & w.bound & (w.region == D::small(v.call.mr)));
  }
  /// The region should not be used: it may only be deregistered.
  static void spoil(const V& v, S& after) { after.regions.at(v.call.mr).undefined = D::bit(true); }

  // ---- terms ----

  static constexpr auto kSound = list<D>(&changes_known<D>, &remote_write_has_local_write<D>,
                                         &memory_mapped<D>, &memory_writable<D>);
  static constexpr auto kUnbound = list<D>(&no_bound_window<D>);
  static constexpr auto kKeys = list<D>(&keys_distinct<D>);
  static constexpr auto kPageSilent =
      list<D>(&changes_something<D>, &translation_given<D>, &memory_there_now<D>,
              &old_memory_there<D>, &no_doubtful_window<D>, &mr_plain<D>);
  static constexpr auto kLibrarySilent =
      list<D>(&access_only_with_flag<D>, &access_bits_defined<D>, &hugetlb_with_on_demand<D>);

  static constexpr auto kOk = hold<D>(kSound, kUnbound, kKeys);
  static constexpr auto kOkBound = join<D>(hold<D>(kSound, kKeys), fail<D>(kUnbound));
  static constexpr auto kInput = hold<D>(list<D>(&code_input<D>));
  static constexpr auto kDontForkNew = hold<D>(list<D>(&code_dont_fork_new<D>));
  static constexpr auto kDoForkOld = hold<D>(list<D>(&code_do_fork_old<D>), kSound, kKeys);
  static constexpr auto kCommand = hold<D>(list<D>(&code_cmd<D>));
  static constexpr auto kCommandAndFork = hold<D>(list<D>(&code_cmd_and_do_fork_new<D>));
  static constexpr auto kResourcesKeep =
      hold<D>(list<D>(&code_dont_fork_new<D>, &reason_of_resources<D>));
  static constexpr auto kResourcesSpoil = hold<D>(list<D>(&code_cmd<D>, &reason_of_resources<D>));
  static constexpr auto kErrno = hold<D>(list<D>(&errno_value<D>));
  static constexpr auto kErrnoResources = hold<D>(list<D>(&errno_of_resources<D>));

  static constexpr auto kBadInput = fail<D>(
      list<D>(&changes_known<D>, &remote_write_has_local_write<D>, &access_bits_defined<D>));
  static constexpr auto kDoubtfulInput = fail<D>(list<D>(
      &access_only_with_flag<D>, &changes_something<D>, &translation_given<D>, &mr_plain<D>));
  static constexpr auto kBadCommand = fail<D>(kSound, kUnbound);
  static constexpr auto kDoubtfulCommand =
      join<D>(fail<D>(kLibrarySilent, kPageSilent), hold<D>(list<D>(&length_zero<D>)));
  /// The vendor page says that parameters without their flag are ignored.
  static constexpr auto kExperimentalDoubts = join<D>(
      fail<D>(list<D>(&experimental_access<D>), kPageSilent), hold<D>(list<D>(&length_zero<D>)));
  static constexpr auto kRangeMissing = fail<D>(list<D>(&memory_mapped<D>));
  static constexpr auto kOldMissing = fail<D>(list<D>(&old_memory_there<D>));
  static constexpr auto kMissing = fail<D>(list<D>(&changes_available<D>, &features_available<D>));
  static constexpr auto kPeer = fail<D>(list<D>(&not_peer_memory<D>));
  static constexpr auto kExperimentalOk =
      hold<D>(kSound, kUnbound, list<D>(&not_peer_memory<D>), kKeys);

  static constexpr const char* kIgnored =
      "gap.rereg_access_without_flag gap.rereg_no_flags gap.rereg_no_range "
      "gap.rereg_of_other_kinds";
  static constexpr const char* kWindows = "gap.rereg_with_windows";
  static constexpr const char* kWhoChecks = "gap.rereg_input_detected_late";

  // ---- rules ----

  static constexpr Rule<D> kLinux[] = {
      {"ok", Outcome::ok, kOk, {}, renew, nullptr, Weight::verdict, kIgnored},
      {"ok_while_bound",
       Outcome::ok,
       kOkBound,
       {},
       renew_under_windows,
       nullptr,
       Weight::verdict,
       kWindows},
      {"err_input", Outcome::refused, kInput, kBadInput, nullptr, nullptr, Weight::verdict,
       kWhoChecks},
      {"err_input_doubtful", Outcome::refused, kInput, kDoubtfulInput, nullptr, nullptr,
       Weight::verdict, kIgnored},
      {"err_dont_fork_new", Outcome::refused, kDontForkNew, kRangeMissing, nullptr, nullptr,
       Weight::verdict, kWhoChecks},
      {"err_do_fork_old", Outcome::refused, kDoForkOld, kOldMissing, renew_under_windows, nullptr,
       Weight::verdict, "gap.memory_unmapped_later"},
      {"err_cmd", Outcome::refused, kCommand, kBadCommand, spoil, nullptr, Weight::verdict,
       kWhoChecks},
      {"err_cmd_doubtful", Outcome::refused, kCommand, kDoubtfulCommand, spoil, nullptr,
       Weight::verdict, kIgnored},
      {"err_cmd_and_do_fork_new", Outcome::refused, kCommandAndFork, kRangeMissing, spoil, nullptr,
       Weight::verdict, kWhoChecks},
      {"unsupported", Outcome::refused, kCommand, kMissing, spoil, nullptr, Weight::unsupported},
      {"no_resources", Outcome::refused, kResourcesSpoil, {}, spoil, nullptr, Weight::inconclusive},
      {"no_resources_kept",
       Outcome::refused,
       kResourcesKeep,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},
  };

  static constexpr Rule<D> kExperimental[] = {
      {"ok", Outcome::ok, kExperimentalOk, {}, renew, nullptr},
      {"refused", Outcome::refused, kErrno, kBadCommand, spoil, nullptr},
      {"refused_peer_memory", Outcome::refused, kErrno, kPeer, spoil, nullptr},
      {"refused_doubtful", Outcome::refused, kErrno, kExperimentalDoubts, spoil, nullptr,
       Weight::verdict, "gap.exp_refusals"},
      {"unsupported", Outcome::refused, kErrno, kMissing, spoil, nullptr, Weight::unsupported},
      {"no_resources", Outcome::refused, kErrnoResources, {}, spoil, nullptr, Weight::inconclusive},
  };

  static constexpr const Condition<D>* kDuty[] = {&mr_live<D>,           &mr_defined<D>,
                                                  &mr_not_null<D>,       &new_pd_live<D>,
                                                  &translation_plain<D>, &kind_kept<D>};

  static constexpr VerbRules<D> kVerbs[] = {{Verb::rereg_mr, kLinux, kDuty}};
  static constexpr VerbRules<D> kExperimentalVerbs[] = {{Verb::rereg_mr, kExperimental, kDuty}};
};

}  // namespace mrproof::model
