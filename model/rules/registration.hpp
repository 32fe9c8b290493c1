// Rules of registration: ibv_reg_mr() and its kin, the null region, shared regions.
#pragma once

#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of reg_mr, reg_mr_iova, reg_mr_ex, reg_dmabuf_mr and alloc_null_mr.
template <class D> struct RegistrationRules {
  using S = State<D>;
  using V = View<D>;
  using C = CommonRules<D>;
  using R = Rule<D>;
  using enum Outcome;

  static void enter(const V& v, S& after) {
    const auto a = asked(v);
    Region<D> r;
    r.live = true;
    r.empty = a.length == 0;
    r.undefined = !(keys_range_straight<D>.holds(v) & base_unambiguous<D>.holds(v));
    r.outside_buffers = (!of_buffers(v)) | of_wide_memory(v);
    r.pd = v.call.pd;
    r.access = a.access;
    r.first = a.first;
    r.last = a.first + a.length - 1;
    r.memory = a.address;
    r.lkey = v.result.lkey;
    r.rkey = v.result.rkey;
    const auto needed = features_needed(v);
    after.regions.put(v.call.mr, r);
    after.demonstrated_access = after.demonstrated_access | a.access;
    after.demonstrated_features =
        after.demonstrated_features | D::select(needed == ~0U, D::flags(0), needed) |
        D::select(is_implicit(a), D::flags(kImplicitOnDemand), D::flags(0));
  }
  static void enter_null(const V& v, S& after) {
    Region<D> r;
    r.live = r.null = true;
    r.pd = v.call.pd;
    r.access = kLocalWrite;
    r.last = ~D::address(0);
    r.lkey = v.result.lkey;
    r.rkey = v.result.rkey;
    after.regions.put(v.call.mr, r);
    after.demonstrated_features = after.demonstrated_features | kNullMr;
  }

  static constexpr auto kSound =
      list<D, remote_write_has_local_write<D>, memory_mapped<D>, memory_writable<D>>;
  static constexpr auto kDoubts = join<Term<D>>(hold<D, length_zero<D>>,
      fail<D, access_bits_defined<D>, hugetlb_with_on_demand<D>, memory_there_now<D>,
          page_offsets_agree<D>, keys_range_straight<D>, base_unambiguous<D>,
          dmabuf_flags_supported<D>>);
  static constexpr const char* kSilent =
      "gap.length_zero gap.undefined_access_bits gap.hugetlb_without_on_demand "
      "gap.memory_not_there gap.iova_zero_in_page gap.iova_wraps gap.zero_based_with_iova "
      "gap.dmabuf_demands";

  static constexpr R kRegister[] = {R{"ok", ok, hold<D, kSound, keys_distinct<D>>}.with(enter),
      R{"refused", refused, C::kErrnoSet, fail<D, kSound>},
      R{"refused_doubtful", refused, C::kErrnoSet, kDoubts}.with(kSilent),
      C::unsupported(C::kErrnoSet, fail<D, features_available<D>, verb_available<D>>),
      C::kNoResources};
  static constexpr R kNull[] = {R{"ok", ok, hold<D, keys_distinct<D>>}.with(enter_null),
      C::unsupported(C::kErrnoSet, fail<D, verb_available<D>>), C::kNoResources};
  static constexpr auto kDuty = list<D, pd_live<D>, mr_slot_free<D>>;
  static constexpr VerbRules<D> kVerbs[] = {of_table<D, kRegister>(Verb::reg_mr, kDuty),
      of_table<D, kRegister>(Verb::reg_mr_iova, kDuty),
      of_table<D, kRegister>(Verb::reg_mr_ex, kDuty),
      of_table<D, kRegister>(Verb::reg_dmabuf_mr, kDuty),
      of_table<D, kNull>(Verb::alloc_null_mr, kDuty)};
};

/// The rules of reg_shared_mr: the vendor's shared regions (dialect mlnx-exp).
template <class D> struct SharingRules {
  using C = CommonRules<D>;
  using R = Rule<D>;
  using enum Outcome;

  static void enter(const View<D>& v, State<D>& after) {
    Region<D> r = v.source();
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
    after.regions.put(v.call.mr, r);
    after.demonstrated_access = after.demonstrated_access | r.access;
  }

  static constexpr auto kSound = list<D, source_shared<D>, remote_write_has_local_write<D>>;

  static constexpr R kShare[] = {R{"ok", ok, hold<D, kSound, keys_distinct<D>>}.with(enter),
      R{"refused", refused, C::kErrnoSet, fail<D, kSound>},
      R{"refused_doubtful", refused, C::kErrnoSet, fail<D, access_bits_defined<D>>}.with(
          "gap.exp_shared_registration"),
      C::unsupported(C::kErrnoSet, fail<D, features_available<D>>), C::kNoResources};
  static constexpr VerbRules<D> kVerbs[] = {of_table<D, kShare>(
      Verb::reg_shared_mr, list<D, pd_live<D>, mr_slot_free<D>, source_live<D>, one_process<D>>)};
};

}  // namespace mrproof::model
