#include "specs/prover/rows.hpp"

#include <algorithm>

#include "model/rulebook.hpp"

namespace mrproof::specs {

using model::About;

namespace {

bool same(const Row& row, model::Verb verb, const model::Rule<Terms>& rule,
          const model::VerbRules<Terms>& of) {
  const auto equal = [](auto a, auto b) { return a.data() == b.data() && a.size() == b.size(); };
  return row.verb == verb && std::string_view(row.rule.name) == rule.name &&
         equal(row.rule.requires_all, rule.requires_all) && equal(row.rule.reasons, rule.reasons) &&
         row.rule.effect == rule.effect && row.rule.freedom == rule.freedom &&
         equal(row.duties, of.duties);
}

void add_rows(std::vector<Row>& rows, unsigned dialect,
              std::span<const model::RuleGroup<Terms>> groups) {
  for (const auto& group : groups)
    for (const auto& of : group)
      for (const auto& rule : of.rules) {
        const auto found = std::find_if(
            rows.begin(), rows.end(), [&](const Row& row) { return same(row, of.verb, rule, of); });
        if (found != rows.end()) {
          found->dialects |= 1U << dialect;
          continue;
        }
        const auto verb = model::kVerbNames.at(static_cast<std::size_t>(of.verb));
        rows.push_back(
            {std::string(verb) + "." + rule.name, 1U << dialect, of.verb, rule, of.duties});
      }
}

}  // namespace

std::vector<Row> rows_of(DialectSet dialects) {
  std::vector<Row> rows;
  if ((dialects & 1U) != 0) add_rows(rows, 0, model::kLinuxRules<Terms>);
  if ((dialects & 2U) != 0) add_rows(rows, 1, model::kLinux2006Rules<Terms>);
  if ((dialects & 4U) != 0) add_rows(rows, 2, model::kExperimentalRules<Terms>);
  return rows;
}

std::string names_of(DialectSet dialects) {
  std::string names;
  for (std::size_t i = 0; i < model::kDialects.size(); ++i)
    if ((dialects >> i & 1U) != 0)
      names += (names.empty() ? "" : " ") + std::string(model::kDialects.at(i));
  return names;
}

smt::Bit all_of(std::span<const model::Term<Terms>> terms, const model::View<Terms>& view) {
  auto all = smt::Bit(true);
  for (const auto& term : terms) {
    const auto holds = term.condition->holds(view);
    all = all & (term.holds ? holds : !holds);
  }
  return all;
}

smt::Bit some_of(std::span<const model::Term<Terms>> reasons, const model::View<Terms>& view) {
  if (reasons.empty()) return smt::Bit(true);
  auto some = smt::Bit(false);
  for (const auto& term : reasons) {
    const auto holds = term.condition->holds(view);
    some = some | (term.holds ? holds : !holds);
  }
  return some;
}

smt::Bit duties_kept(const Row& row, const model::View<Terms>& view) {
  auto all = smt::Bit(true);
  for (const auto* duty : row.duties) all = all & duty->holds(view);
  return all;
}

std::vector<Fact<Terms>> situation_terms(const model::Rule<Terms>& rule,
                                         const model::View<Terms>& view) {
  std::vector<Fact<Terms>> terms;
  for (const auto& term : rule.requires_all) {
    if (term.condition->about == About::observation) continue;
    const auto holds = term.condition->holds(view);
    terms.push_back({term.condition->id, term.holds ? holds : !holds, {}});
  }
  return terms;
}

smt::Bit situation_of(const model::Rule<Terms>& rule, const model::View<Terms>& view) {
  auto all = some_of(rule.reasons, view);
  for (const auto& term : situation_terms(rule, view)) all = all & term.holds;
  return all;
}

}  // namespace mrproof::specs
