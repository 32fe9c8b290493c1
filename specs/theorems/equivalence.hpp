// Re-registration against deregistration and a new registration.
#pragma once

#include "model/rules/registration.hpp"
#include "specs/theorems/theorem.hpp"

namespace mrproof::specs {

/// The facts about equivalent calls.
template <class D>
struct EquivalenceFacts {
  using T = Taken<D>;
  using F = Facts<D>;
  using Bit = typename D::Bit;

  /// The registration that asks for what the re-registration leaves.
  static Call<D> registration_of(const T& t) {
    const auto a = model::asked<D>(t.view());
    Call<D> again;
    again.verb = Verb::reg_mr_iova;
    again.pd = t.call.pd;
    again.mr = t.call.mr;
    again.access = a.access;
    again.address = a.address;
    again.length = a.length;
    again.iova = a.first;
    return again;
  }

  /// What is not the program's memory comes from another verb than ibv_reg_mr_iova(); and without a
  /// new translation memory is not looked at again: there the two may differ.
  static void rereg_is_dereg_then_reg(const T& t, F& facts) {
    if (!t.is(Verb::rereg_mr, Outcome::ok)) return;
    const auto flag = [&](std::uint32_t f) { return model::has<D>(t.call.flags, f); };
    Call<D> dereg;
    dereg.verb = Verb::dereg_mr;
    dereg.mr = t.call.mr;
    State<D> between = t.before;
    model::ObjectRules<D>::remove(View<D>{t.before, dereg, t.result}, between);
    const Call<D> again = registration_of(t);
    const View<D> view{between, again, t.result};
    State<D> after = between;
    model::RegistrationRules<D>::enter(view, after);
    const auto& a = t.after.regions.at(t.call.mr);
    const auto& b = after.regions.at(t.call.mr);
    const Bit moved = flag(model::kChangeTranslation);
    const auto& old = t.before.regions.at(t.call.mr);
    const Bit own = !(old.outside_buffers | model::has<D>(old.access, model::kAllocateMr));
    const auto rights = ~D::flags(model::kShared);
    facts.add("range", implies(own, (a.first == b.first) & (a.last == b.last) &
                                        (a.memory == b.memory) & (a.empty == b.empty)));
    facts.add("rights", implies(own, (a.access & rights) == (b.access & rights)));
    facts.add("keys", (a.lkey == b.lkey) & (a.rkey == b.rkey));
    facts.add("domain", implies(flag(model::kChangePd), a.pd == b.pd));
    facts.add("kind", implies(own, (a.live == b.live) & (a.null == b.null) &
                                       (a.outside_buffers == b.outside_buffers) &
                                       (a.undefined == b.undefined)));
    facts.add("pages", implies(moved, a.unmapped == b.unmapped));
    const auto allowed =
        model::remote_write_has_local_write<D>.holds(view) & model::memory_mapped<D>.holds(view) &
        model::memory_writable<D>.holds(view) & model::keys_distinct<D>.holds(view);
    facts.add("allowed", implies(moved & own, allowed));
  }
};

}  // namespace mrproof::specs
