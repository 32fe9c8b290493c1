#include "specs/prover/step_questions.hpp"

#include <algorithm>

#include "specs/theorems/invariants.hpp"

namespace mrproof::specs {

std::vector<Fact<Terms>> facts_of(const model::State<Terms>& state) {
  Facts<Terms> facts;
  for (const auto& invariant : invariants<Terms>()) invariant.facts(state, facts);
  return facts.all();
}

StepWorld::StepWorld(const Row& row, const Shape& shape,
                     const std::optional<model::State<Terms>>& before)
    : row_(row),
      before_(before ? *before : unknown_state("before.")),
      call_(unknown_call("call.", shape)),
      result_(unknown_result("result.", row.rule.outcome)),
      after_(before_),
      offset_(Terms::Address::unknown("offset")),
      key_(Terms::Key::unknown("key")),
      allowed_(true) {
  const model::View<Terms> view{before_, call_, result_};
  row.take_effect(view, after_);
  if (row.rule.transfer != nullptr) transfer_ = row.rule.transfer(view);
  if (!before)
    for (const auto& fact : facts_of(before_)) assumptions_.push_back(fact.holds.ref());
  for (const auto bit : {writable(call_), preconditions_kept(row, view),
                         requirements_met(row, view), some_reason(row, view)}) {
    assumptions_.push_back(bit.ref());
    allowed_ = allowed_ & bit;
  }
}

ChoiceWorld::ChoiceWorld(const std::vector<Row>& rows, DialectSet dialect, const Shape& shape,
                         const std::optional<model::State<Terms>>& state)
    : state_(state ? *state : unknown_state("before.")), call_(unknown_call("call.", shape)) {
  for (const Row& row : rows)
    if (row.verb == shape.verb && (row.dialects & dialect) != 0) rows_.push_back(&row);
  if (rows_.empty()) return;
  const auto nothing = unknown_result("result.", Outcome::none);
  const View<Terms> view{state_, call_, nothing};
  if (!state)
    for (const auto& fact : facts_of(state_)) assumptions_.push_back(fact.holds.ref());
  may_be_made_ = writable(call_) & preconditions_kept(*rows_.front(), view);
  for (const auto bit : {writable(call_), preconditions_kept(*rows_.front(), view)})
    assumptions_.push_back(bit.ref());
  for (const Row* row : rows_)
    rules_.push_back({&row->rule, situation_of(*row, view), situation_terms(*row, view),
                      reasons_of(*row, view)});
}

Taken<Terms> StepWorld::taken() const {
  return {before_, call_, result_, after_, row_.rule, transfer_ ? &*transfer_ : nullptr,
          offset_, key_};
}

std::vector<Fact<Terms>> StepWorld::news(const Invariant<Terms>& invariant) const {
  Facts<Terms> facts;
  invariant.facts(after_, facts);
  auto all = facts.all();
  std::erase_if(all, [&](const Fact<Terms>& fact) {
    return std::find(assumptions_.begin(), assumptions_.end(), fact.holds.ref()) !=
           assumptions_.end();
  });
  return all;
}

}  // namespace mrproof::specs
