#include "specs/explore/accesses.hpp"

#include <algorithm>
#include <vector>

#include "specs/theorems/access.hpp"

namespace mrproof::specs {

namespace {

using Address = RuleDomain::Address;

/// The offsets of the first and the last byte of each piece that is not empty, each once.
std::vector<Address> ends_of(const std::vector<Side<RuleDomain>>& sides) {
  std::vector<Address> offsets{Address(0)};
  const auto is_there = [&](Address offset) {
    return std::any_of(offsets.begin(), offsets.end(),
                       [&](Address other) { return (other == offset).truth(); });
  };
  for (const auto& side : sides)
    if (const auto last = side.piece.length - Address(1);
        (side.piece.length != Address(0)).truth() && !is_there(last))
      offsets.push_back(last);
  return offsets;
}

}  // namespace

bool moves_at_home(const model::State<RuleDomain>& state, const ReadyCall& ready,
                   const RuleRow& rule) {
  if (rule.transfer == nullptr) return true;
  const auto transfer = rule.transfer(RuleView{state, ready.call, ready.result});
  // `after` is none of these facts' business.
  Taken<RuleDomain> taken{state, ready.call, ready.result, state,
                          rule,  &transfer,  Address(0),   RuleDomain::key(0)};
  for (const auto offset : ends_of(specs::sides_of(taken))) {
    taken.offset = offset;
    Facts<RuleDomain> facts;
    AccessFacts<RuleDomain>::no_byte_outside(taken, facts);
    for (const auto& fact : facts.all())
      if (!fact.holds.truth()) return false;
  }
  return true;
}

}  // namespace mrproof::specs
