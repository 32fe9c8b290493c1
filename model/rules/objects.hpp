// Rules of PDs and MRs: alloc_pd, dealloc_pd, reg_mr, dereg_mr.
#pragma once

#include "model/conditions/objects.hpp"

namespace mrproof::model {

/// The rules of PDs and MRs with their effects, terms and duties.
template <class D>
struct ObjectRules {
  using T = Term<D>;
  using S = State<D>;
  using V = View<D>;

  // ---- effects ----

  static void allocate(const V& v, S& after) { after.pds.at(v.call.pd).live = D::bit(true); }

  static void deallocate(const V& v, S& after) { after.pds.at(v.call.pd).live = D::bit(false); }

  static void deallocate_under_users(const V& v, S& after) {
    const auto pd = D::small(v.call.pd);
    after.pds.at(v.call.pd).live = D::bit(false);
    for (auto& r : after.regions) r.undefined = r.undefined | (r.live & (r.pd == pd));
    for (auto& q : after.qps) q.live = q.live & (q.pd != pd);
  }

  static void enter(const V& v, S& after) {
    auto& r = after.regions.at(v.call.mr);
    r.live = D::bit(true);
    r.empty = v.call.length == D::address(0);
    r.undefined = D::bit(false);
    r.pd = D::small(v.call.pd);
    r.access = v.call.access;
    r.first = D::select(has<D>(v.call.access, kZeroBased), D::address(0), v.call.address);
    r.last = r.first + v.call.length - D::address(1);
    r.memory = v.call.address;
    r.lkey = v.result.lkey;
    r.rkey = v.result.rkey;
    after.proven = after.proven | v.call.access;
  }

  static void remove(const V& v, S& after) { after.regions.at(v.call.mr).live = D::bit(false); }

  // ---- terms ----

  static constexpr T kErrnoSet[] = {{&errno_set<D>, true}};
  static constexpr T kErrnoValue[] = {{&errno_value<D>, true}};
  static constexpr T kResources[] = {{&errno_of_resources<D>, true}};
  static constexpr T kUnused[] = {{&pd_unused<D>, true}};
  static constexpr T kUsed[] = {{&pd_unused<D>, false}};
  static constexpr T kRegister[] = {{&remote_write_has_local_write<D>, true},
                                    {&memory_mapped<D>, true},
                                    {&keys_distinct<D>, true}};
  static constexpr T kRegisterOnDemand[] = {{&remote_write_has_local_write<D>, true},
                                            {&memory_mapped<D>, false},
                                            {&paged_on_demand<D>, true},
                                            {&keys_distinct<D>, true}};
  static constexpr T kRefuseRegister[] = {{&remote_write_has_local_write<D>, false},
                                          {&memory_mapped<D>, false}};
  static constexpr T kMayRefuseRegister[] = {{&length_zero<D>, true},
                                             {&access_bits_defined<D>, false},
                                             {&hugetlb_with_on_demand<D>, false}};
  static constexpr T kFeatureMissing[] = {{&features_available<D>, false}};

  // ---- rules ----

  static constexpr Rule<D> kRules[] = {
      {"alloc_pd.ok", Verb::alloc_pd, Outcome::ok, {}, {}, allocate, nullptr},
      {"alloc_pd.no_resources",
       Verb::alloc_pd,
       Outcome::refused,
       kResources,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},

      {"dealloc_pd.ok", Verb::dealloc_pd, Outcome::ok, kUnused, {}, deallocate, nullptr},
      {"dealloc_pd.ok_while_used",
       Verb::dealloc_pd,
       Outcome::ok,
       kUsed,
       {},
       deallocate_under_users,
       nullptr,
       Weight::verdict,
       "ibv_alloc_pd(3), NOTES: deallocating a PD in use \"may\" fail"},
      {"dealloc_pd.refused", Verb::dealloc_pd, Outcome::refused, kErrnoValue, kUsed, nullptr,
       nullptr, Weight::verdict, "ibv_alloc_pd(3), NOTES: deallocating a PD in use \"may\" fail"},
      {"dealloc_pd.no_resources",
       Verb::dealloc_pd,
       Outcome::refused,
       kResources,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},

      {"reg_mr.ok", Verb::reg_mr, Outcome::ok, kRegister, {}, enter, nullptr},
      {"reg_mr.ok_on_demand",
       Verb::reg_mr,
       Outcome::ok,
       kRegisterOnDemand,
       {},
       enter,
       nullptr,
       Weight::verdict,
       "gap: whether on-demand regions may cover unmapped memory"},
      {"reg_mr.refused", Verb::reg_mr, Outcome::refused, kErrnoSet, kRefuseRegister, nullptr,
       nullptr},
      {"reg_mr.refused_doubtful", Verb::reg_mr, Outcome::refused, kErrnoSet, kMayRefuseRegister,
       nullptr, nullptr, Weight::verdict,
       "gap: ibv_reg_mr(3) does not say what becomes of length zero, of undefined access bits and "
       "of HUGETLB without ON_DEMAND"},
      {"reg_mr.unsupported", Verb::reg_mr, Outcome::refused, kErrnoSet, kFeatureMissing, nullptr,
       nullptr, Weight::unsupported},
      {"reg_mr.no_resources",
       Verb::reg_mr,
       Outcome::refused,
       kResources,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},

      {"dereg_mr.ok", Verb::dereg_mr, Outcome::ok, {}, {}, remove, nullptr},
      {"dereg_mr.no_resources",
       Verb::dereg_mr,
       Outcome::refused,
       kResources,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},
  };

  // ---- duties of the caller ----

  static constexpr const Condition<D>* kAllocDuty[] = {&pd_slot_free<D>};
  static constexpr const Condition<D>* kDeallocDuty[] = {&pd_live<D>};
  static constexpr const Condition<D>* kRegisterDuty[] = {&pd_live<D>, &mr_slot_free<D>};
  static constexpr const Condition<D>* kDeregisterDuty[] = {&mr_live<D>};
  static constexpr const Condition<D>* kFillDuty[] = {&store_in_buffer<D>};
  static constexpr Duty<D> kDuties[] = {
      {Verb::alloc_pd, kAllocDuty},  {Verb::dealloc_pd, kDeallocDuty},
      {Verb::reg_mr, kRegisterDuty}, {Verb::dereg_mr, kDeregisterDuty},
      {Verb::fill, kFillDuty},
  };
};

}  // namespace mrproof::model
