#include "conformance/report/rule_coverage.hpp"

#include <algorithm>
#include <stdexcept>

namespace mrproof::conformance {

using namespace model;

RuleCoverage::RuleCoverage(const Rulebook& book)
    : book_(&book), verbs_(kVerbs), open_(book.rules().size()), taken_(book.rules().size()) {
  for (const PlainRule* rule : book.rules()) {
    if (rule->weight == Weight::inconclusive) continue;
    auto& verb = verbs_.at(static_cast<std::size_t>(rule->verb));
    Row row;
    row.rule = rule;
    row.place = book.index(*rule);
    row.first = conditions_.size();
    for (const auto& term : rule->requires_all) {
      if (term.condition->about != About::situation) continue;
      const auto bit = bit_of(verb, term.condition);
      row.required |= std::uint64_t{1} << bit;
      if (term.holds) row.required_true |= std::uint64_t{1} << bit;
      row.required_bits.push_back(bit);
      conditions_.push_back({rule, term.condition, false});
    }
    for (const auto& term : rule->reasons) {
      const auto bit = bit_of(verb, term.condition);
      (term.holds ? row.reason_true : row.reason_false) |= std::uint64_t{1} << bit;
      row.reason_bits.push_back(bit);
      conditions_.push_back({rule, term.condition, true});
    }
    verb.rows.push_back(std::move(row));
  }
  alone_.resize(conditions_.size());
}

unsigned RuleCoverage::bit_of(VerbRows& verb, const PlainCondition* condition) {
  auto& all = verb.conditions;
  const auto found = std::find(all.begin(), all.end(), condition);
  if (found != all.end()) return static_cast<unsigned>(found - all.begin());
  if (all.size() == 64) throw std::length_error("a verb has more than 64 conditions");
  all.push_back(condition);
  return static_cast<unsigned>(all.size() - 1);
}

void RuleCoverage::look(const PlainView& view) {
  const auto& verb = verbs_.at(static_cast<std::size_t>(view.call.verb));
  std::uint64_t answers = 0;
  for (std::size_t i = 0; i < verb.conditions.size(); ++i)
    if (verb.conditions[i]->holds(view).truth()) answers |= std::uint64_t{1} << i;
  for (const Row& row : verb.rows) {
    const auto broken = (answers ^ row.required_true) & row.required;
    const auto given = (answers & row.reason_true) | (~answers & row.reason_false);
    const bool has_reason = row.reason_bits.empty() || given != 0;
    if (broken == 0 && has_reason) ++open_[row.place];
    for (std::size_t i = 0; i < row.required_bits.size(); ++i)
      if (has_reason && broken == std::uint64_t{1} << row.required_bits[i]) ++alone_[row.first + i];
    const auto first_reason = row.first + row.required_bits.size();
    for (std::size_t i = 0; i < row.reason_bits.size(); ++i)
      if (broken == 0 && given == std::uint64_t{1} << row.reason_bits[i])
        ++alone_[first_reason + i];
  }
}

void RuleCoverage::take(const PlainRule& rule) { ++taken_[book_->index(rule)]; }

}  // namespace mrproof::conformance
