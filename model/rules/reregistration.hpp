// Rules of ibv_rereg_mr(): the page's five codes and what the region is after each of them; and of
// the vendor's experimental verb of that name (dialect mlnx-exp).
#pragma once

#include "model/conditions/reregistration.hpp"
#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of rereg_mr.
template <class D>
struct ReregistrationRules {
  using T = Term<D>;
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
  static void spoil(const V& v, S& after) {
    after.regions.at(v.call.mr).undefined = D::bit(true);
  }

  // ---- terms ----

  static constexpr T kOk[] = {{&changes_known<D>, true},
                              {&changes_something<D>, true},
                              {&translation_given<D>, true},
                              {&remote_write_has_local_write<D>, true},
                              {&memory_mapped<D>, true},
                              {&memory_writable<D>, true},
                              {&no_bound_window<D>, true},
                              {&keys_distinct<D>, true}};
  static constexpr T kOkBound[] = {{&changes_known<D>, true},
                                   {&changes_something<D>, true},
                                   {&translation_given<D>, true},
                                   {&remote_write_has_local_write<D>, true},
                                   {&memory_mapped<D>, true},
                                   {&memory_writable<D>, true},
                                   {&no_bound_window<D>, false},
                                   {&keys_distinct<D>, true}};
  static constexpr T kInput[] = {{&code_input<D>, true}};
  static constexpr T kDontForkNew[] = {{&code_dont_fork_new<D>, true}};
  static constexpr T kDoForkOld[] = {{&code_do_fork_old<D>, true}, {&keys_distinct<D>, true}};
  static constexpr T kCommand[] = {{&code_cmd<D>, true}};
  static constexpr T kCommandAndFork[] = {{&code_cmd_and_do_fork_new<D>, true}};
  static constexpr T kResourcesKeep[] = {{&code_dont_fork_new<D>, true},
                                         {&reason_of_resources<D>, true}};
  static constexpr T kResourcesSpoil[] = {{&code_cmd<D>, true}, {&reason_of_resources<D>, true}};
  static constexpr T kErrno[] = {{&errno_value<D>, true}};
  static constexpr T kErrnoResources[] = {{&errno_of_resources<D>, true}};

  static constexpr T kBadInput[] = {{&changes_known<D>, false},
                                    {&changes_something<D>, false},
                                    {&translation_given<D>, false},
                                    {&remote_write_has_local_write<D>, false},
                                    {&access_bits_defined<D>, false}};
  static constexpr T kDoubtfulInput[] = {{&access_only_with_flag<D>, false}};
  static constexpr T kBadCommand[] = {
      {&changes_known<D>, false},         {&changes_something<D>, false},
      {&translation_given<D>, false},     {&remote_write_has_local_write<D>, false},
      {&memory_mapped<D>, false},         {&memory_writable<D>, false},
      {&no_bound_window<D>, false}};
  static constexpr T kDoubtfulCommand[] = {
      {&access_only_with_flag<D>, false}, {&access_bits_defined<D>, false},
      {&hugetlb_with_on_demand<D>, false}, {&memory_there_now<D>, false},
      {&keys_range_straight<D>, false},   {&old_memory_there<D>, false},
      {&no_doubtful_window<D>, false},    {&length_zero<D>, true}};
  static constexpr T kRangeMissing[] = {{&memory_mapped<D>, false}};
  static constexpr T kOldMissing[] = {{&old_memory_there<D>, false}};
  static constexpr T kMissing[] = {{&changes_available<D>, false},
                                   {&features_available<D>, false}};
  static constexpr T kPeer[] = {{&not_peer_memory<D>, false}};
  static constexpr T kExperimentalOk[] = {{&changes_known<D>, true},
                                          {&changes_something<D>, true},
                                          {&translation_given<D>, true},
                                          {&remote_write_has_local_write<D>, true},
                                          {&memory_mapped<D>, true},
                                          {&memory_writable<D>, true},
                                          {&no_bound_window<D>, true},
                                          {&not_peer_memory<D>, true},
                                          {&keys_distinct<D>, true}};

  static constexpr const char* kIgnored =
      "gap: ibv_rereg_mr(3) does not say whether parameters without their flag are ignored";
  static constexpr const char* kWindows =
      "gap: ibv_rereg_mr(3) is deregistration and registration in concept, and ibv_dereg_mr(3) "
      "fails while a window is bound; nothing says so of ibv_rereg_mr()";
  static constexpr const char* kWhoChecks =
      "ibv_rereg_mr(3): what libibverbs lets pass the command may refuse";

  // ---- rules ----

  static constexpr Rule<D> kLinux[] = {
      {"ok", Outcome::ok, kOk, {}, renew, nullptr, Weight::verdict, kIgnored},
      {"ok_while_bound", Outcome::ok, kOkBound, {}, renew_under_windows, nullptr, Weight::verdict,
       kWindows},
      {"err_input", Outcome::refused, kInput, kBadInput, nullptr, nullptr, Weight::verdict,
       kWhoChecks},
      {"err_input_ignored", Outcome::refused, kInput, kDoubtfulInput, nullptr, nullptr,
       Weight::verdict, kIgnored},
      {"err_dont_fork_new", Outcome::refused, kDontForkNew, kRangeMissing, nullptr, nullptr,
       Weight::verdict, kWhoChecks},
      {"err_do_fork_old", Outcome::refused, kDoForkOld, kOldMissing, renew_under_windows, nullptr,
       Weight::verdict, kWhoChecks},
      {"err_cmd", Outcome::refused, kCommand, kBadCommand, spoil, nullptr, Weight::verdict,
       kWhoChecks},
      {"err_cmd_doubtful", Outcome::refused, kCommand, kDoubtfulCommand, spoil, nullptr,
       Weight::verdict, kIgnored},
      {"err_cmd_and_do_fork_new", Outcome::refused, kCommandAndFork, kRangeMissing, spoil, nullptr,
       Weight::verdict, kWhoChecks},
      {"unsupported", Outcome::refused, kCommand, kMissing, spoil, nullptr, Weight::unsupported},
      {"no_resources", Outcome::refused, kResourcesSpoil, {}, spoil, nullptr,
       Weight::inconclusive},
      {"no_resources_kept", Outcome::refused, kResourcesKeep, {}, nullptr, nullptr,
       Weight::inconclusive},
  };

  static constexpr Rule<D> kExperimental[] = {
      {"ok", Outcome::ok, kExperimentalOk, {}, renew, nullptr},
      {"refused", Outcome::refused, kErrno, kBadCommand, spoil, nullptr},
      {"refused_peer_memory", Outcome::refused, kErrno, kPeer, spoil, nullptr},
      {"refused_doubtful", Outcome::refused, kErrno, kDoubtfulCommand, spoil, nullptr,
       Weight::verdict, "gap: the vendor page does not say what is refused"},
      {"unsupported", Outcome::refused, kErrno, kMissing, spoil, nullptr, Weight::unsupported},
      {"no_resources", Outcome::refused, kErrnoResources, {}, spoil, nullptr,
       Weight::inconclusive},
  };

  static constexpr const Condition<D>* kDuty[] = {&mr_live<D>, &mr_defined<D>, &mr_not_null<D>,
                                                  &new_pd_live<D>, &translation_plain<D>};

  static constexpr VerbRules<D> kVerbs[] = {{Verb::rereg_mr, kLinux, kDuty}};
  static constexpr VerbRules<D> kExperimentalVerbs[] = {{Verb::rereg_mr, kExperimental, kDuty}};
};

}  // namespace mrproof::model
