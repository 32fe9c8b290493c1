// Rules of the vendor's shared regions (dialect mlnx-exp).
#pragma once

#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of reg_shared_mr.
template <class D> struct SharingRules {
  using C = CommonRules<D>;
  using R = Rule<D>;

  static void enter(const View<D>& v, State<D>& after) {
    Region<D> r = v.state.regions.at(v.call.source);
    r.pd = v.call.pd;
    r.access = v.call.access & v.state.defined;
    const auto size = r.last - r.first;
    r.first = D::select(has<D>(r.access, kZeroBased), D::address(0), r.memory);
    r.last = r.first + size;
    // Memory of the library's own is nowhere in particular: its addresses may wrap around.
    r.undefined = !(r.empty | (r.first <= r.last));
    r.lkey = v.result.lkey;
    r.rkey = v.result.rkey;
    r.old_lkey = r.old_rkey = 0;
    after.regions.at(v.call.mr) = r;
    after.proven = after.proven | r.access;
  }

  static constexpr auto kSound = list<D, source_shared<D>, remote_write_has_local_write<D>>;

  static constexpr R kShare[] = {
      R{"ok", Outcome::ok, hold<D, kSound, keys_distinct<D>>}.with(enter),
      R{"refused", Outcome::refused, C::kErrnoSet, fail<D, kSound>},
      R{"refused_doubtful", Outcome::refused, C::kErrnoSet, fail<D, access_bits_defined<D>>}.with(
          "gap.exp_shared_registration"),
      C::unsupported(C::kErrnoSet, fail<D, features_available<D>>), C::kNoResources};
  static constexpr VerbRules<D> kVerbs[] = {
      {Verb::reg_shared_mr, kShare, list<D, pd_live<D>, mr_slot_free<D>, source_live<D>>}};
};

}  // namespace mrproof::model
