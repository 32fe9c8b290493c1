// Rules of the vendor's shared regions (dialect mlnx-exp).
#pragma once

#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of reg_shared_mr.
template <class D>
struct SharingRules {
  using C = CommonRules<D>;

  static void enter(const View<D>& v, State<D>& after) {
    Region<D> r = v.state.regions.at(v.call.source);
    r.pd = D::small(v.call.pd);
    r.access = v.call.access & v.state.defined;
    const auto size = r.last - r.first;
    r.first = D::select(has<D>(r.access, kZeroBased), D::address(0), r.memory);
    r.last = r.first + size;
    r.lkey = v.result.lkey;
    r.rkey = v.result.rkey;
    r.old_lkey = r.old_rkey = D::key(0);
    after.regions.at(v.call.mr) = r;
  }

  static constexpr auto kOk =
      hold<D>(list<D>(&source_shared<D>, &remote_write_has_local_write<D>, &keys_distinct<D>));
  static constexpr auto kRefuse =
      fail<D>(list<D>(&source_shared<D>, &remote_write_has_local_write<D>));
  static constexpr auto kMayRefuse = fail<D>(list<D>(&access_bits_defined<D>));

  static constexpr auto kMissing = fail<D>(list<D>(&features_available<D>));

  static constexpr Rule<D> kShare[] = {
      {"ok", Outcome::ok, kOk, {}, enter, nullptr},
      {"refused", Outcome::refused, C::kErrnoSet, kRefuse, nullptr, nullptr},
      {"refused_doubtful", Outcome::refused, C::kErrnoSet, kMayRefuse, nullptr, nullptr,
       Weight::verdict, "gap.exp_shared_registration"},
      {"unsupported", Outcome::refused, C::kErrnoSet, kMissing, nullptr, nullptr,
       Weight::unsupported},
      C::kNoResources};
  static constexpr const Condition<D>* kDuty[] = {&pd_live<D>, &mr_slot_free<D>, &source_live<D>};
  static constexpr VerbRules<D> kVerbs[] = {{Verb::reg_shared_mr, kShare, kDuty}};
};

}  // namespace mrproof::model
