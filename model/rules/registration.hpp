// Rules of registration: ibv_reg_mr() and its kin, the null region.
#pragma once

#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of reg_mr, reg_mr_iova, reg_mr_ex, reg_dmabuf_mr and alloc_null_mr.
template <class D>
struct RegistrationRules {
  using S = State<D>;
  using V = View<D>;
  using C = CommonRules<D>;

  // ---- effects ----

  static void enter(const V& v, S& after) {
    const auto a = asked<D>(v);
    Region<D> r;
    r.live = D::bit(true);
    r.empty = a.length == D::address(0);
    r.undefined = !keys_range_straight<D>.holds(v);
    r.unseen = !of_buffers<D>(v, a.access);
    r.pd = D::small(v.call.pd);
    r.access = a.access;
    r.first = a.first;
    r.last = a.first + a.length - D::address(1);
    r.memory = a.address;
    r.lkey = v.result.lkey;
    r.rkey = v.result.rkey;
    const auto implicit = is_implicit<D>(a);
    const auto needed = features_needed<D>(v);
    after.regions.at(v.call.mr) = r;
    after.proven = after.proven | a.access;
    after.shown = after.shown | D::select(needed == D::flags(~0U), D::flags(0), needed) |
                  D::select(implicit, D::flags(kImplicitOnDemand), D::flags(0));
  }

  static void enter_null(const V& v, S& after) {
    Region<D> r;
    r.live = r.null = D::bit(true);
    r.pd = D::small(v.call.pd);
    r.access = D::flags(kLocalWrite);
    r.last = ~D::address(0);
    r.lkey = v.result.lkey;
    r.rkey = v.result.rkey;
    after.regions.at(v.call.mr) = r;
    after.shown = after.shown | D::flags(kNullMr);
  }

  // ---- rules ----

  static constexpr auto kSound =
      list<D>(&remote_write_has_local_write<D>, &memory_mapped<D>, &memory_writable<D>);

  static constexpr auto kOk = hold<D>(kSound, list<D>(&keys_distinct<D>));
  static constexpr auto kRefuse = fail<D>(kSound);
  static constexpr auto kMayRefuse =
      join<D>(hold<D>(list<D>(&length_zero<D>)),
              fail<D>(list<D>(&access_bits_defined<D>, &hugetlb_with_on_demand<D>,
                              &memory_there_now<D>, &page_offsets_agree<D>, &keys_range_straight<D>,
                              &dmabuf_flags_supported<D>)));
  static constexpr auto kMissing = fail<D>(list<D>(&features_available<D>, &verb_available<D>));
  static constexpr auto kVerbMissing = fail<D>(list<D>(&verb_available<D>));
  static constexpr auto kNullOk = hold<D>(list<D>(&keys_distinct<D>));

  static constexpr const char* kSilent =
      "gap.length_zero gap.undefined_access_bits gap.hugetlb_without_on_demand "
      "gap.memory_not_there gap.iova_zero_in_page gap.iova_wraps gap.dmabuf_demands";

  static constexpr Rule<D> kRegister[] = {
      {"ok", Outcome::ok, kOk, {}, enter, nullptr},
      {"refused", Outcome::refused, C::kErrnoSet, kRefuse, nullptr, nullptr},
      {"refused_doubtful", Outcome::refused, C::kErrnoSet, kMayRefuse, nullptr, nullptr,
       Weight::verdict, kSilent},
      {"unsupported", Outcome::refused, C::kErrnoSet, kMissing, nullptr, nullptr,
       Weight::unsupported},
      C::kNoResources};
  static constexpr Rule<D> kNull[] = {{"ok", Outcome::ok, kNullOk, {}, enter_null, nullptr},
                                      {"unsupported", Outcome::refused, C::kErrnoSet, kVerbMissing,
                                       nullptr, nullptr, Weight::unsupported},
                                      C::kNoResources};

  static constexpr const Condition<D>* kDuty[] = {&pd_live<D>, &mr_slot_free<D>};

  static constexpr VerbRules<D> kVerbs[] = {
      {Verb::reg_mr, kRegister, kDuty},    {Verb::reg_mr_iova, kRegister, kDuty},
      {Verb::reg_mr_ex, kRegister, kDuty}, {Verb::reg_dmabuf_mr, kRegister, kDuty},
      {Verb::alloc_null_mr, kNull, kDuty},
  };
};

}  // namespace mrproof::model
