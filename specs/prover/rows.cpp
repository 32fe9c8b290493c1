#include "specs/prover/rows.hpp"

#include <algorithm>

#include "model/judge/rulebook.hpp"

namespace mrproof::specs {

using model::About;

namespace {

bool same(const Row& row, model::Verb verb, const model::Rule<Terms>& rule,
          const model::VerbRules<Terms>& of) {
  const auto equal = [](auto a, auto b) { return a.data() == b.data() && a.size() == b.size(); };
  return row.verb == verb && std::string_view(row.rule.name) == rule.name &&
         equal(row.rule.requires_all, rule.requires_all) && equal(row.rule.reasons, rule.reasons) &&
         row.rule.effect == rule.effect && row.rule.freedom == rule.freedom &&
         equal(row.preconditions, of.preconditions);
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
        rows.push_back({std::string(verb) + "." + rule.name,
                        1U << dialect,
                        of.verb,
                        rule,
                        of.preconditions,
                        {}});
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

smt::Bit Row::holds(const model::Term<Terms>& term, const model::View<Terms>& view) const {
  const auto ask = [&](const model::View<Terms>& of) {
    const auto holds = term.condition->holds(of);
    return term.holds ? holds : !holds;
  };
  if (change.condition != term.condition) return ask(view);
  // A view keeps what it has looked up: which comparison has a number is the same every time only
  // if nothing was looked up before.
  const smt::Orderings shift(change.shifted);
  return ask({view.state, view.call, view.result});
}

void Row::take_effect(const model::View<Terms>& view, model::State<Terms>& after) const {
  if (rule.effect == nullptr) return;
  if (change.condition == nullptr && change.shifted != smt::Orderings::kNone) {
    const smt::Orderings shift(change.shifted);
    rule.effect({view.state, view.call, view.result}, after);  // as in holds()
  } else {
    rule.effect(view, after);
  }
  if (change.kept.empty()) return;
  state_fields(
      [&](const std::string& path, const auto& old, auto& now) {
        if (kind_of(path) == change.kept) now = old;
      },
      view.state, after);
}

std::string kind_of(const std::string& path) {
  std::string kind;
  for (const char c : path)
    if (c < '0' || c > '9') kind += c;
  return kind;
}

smt::Bit requirements_met(const Row& row, const model::View<Terms>& view) {
  auto all = smt::Bit(true);
  for (const auto& term : row.rule.requires_all) all = all & row.holds(term, view);
  return all;
}

namespace {

/// What the bit, or its negation, is the disjunction of.
void split(smt::Ref bit, bool negated, std::vector<smt::Bit>& parts) {
  auto& store = smt::Store::current();
  const smt::Node node = store.node(bit);
  const auto splits = negated ? smt::Op::conjunction : smt::Op::disjunction;
  if (node.op == smt::Op::negation) return split(node.args[0], !negated, parts);
  if (node.op != splits) {
    parts.push_back(negated ? !smt::Bit::of(bit) : smt::Bit::of(bit));
    return;
  }
  split(node.args[0], negated, parts);
  split(node.args[1], negated, parts);
}

}  // namespace

std::vector<Fact<Terms>> reasons_of(const Row& row, const model::View<Terms>& view) {
  std::vector<Fact<Terms>> reasons;
  for (const auto& term : row.rule.reasons) {
    std::vector<smt::Bit> parts;
    split(row.holds(term, view).ref(), false, parts);
    for (std::size_t i = 0; i < parts.size(); ++i)
      reasons.push_back({term.condition->id + (" " + std::to_string(i)), parts[i], {}});
  }
  return reasons;
}

smt::Bit some_reason(const Row& row, const model::View<Terms>& view) {
  if (row.rule.reasons.empty()) return smt::Bit(true);
  auto some = smt::Bit(false);
  for (const auto& term : row.rule.reasons) some = some | row.holds(term, view);
  return some;
}

smt::Bit preconditions_kept(const Row& row, const model::View<Terms>& view) {
  auto all = smt::Bit(true);
  for (const auto* precondition : row.preconditions) all = all & precondition->holds(view);
  return all;
}

std::vector<Fact<Terms>> situation_terms(const Row& row, const model::View<Terms>& view) {
  std::vector<Fact<Terms>> terms;
  for (const auto& term : row.rule.requires_all)
    if (term.condition->about != About::observation)
      terms.push_back({term.condition->id, row.holds(term, view), {}});
  return terms;
}

smt::Bit situation_of(const Row& row, const model::View<Terms>& view) {
  auto all = some_reason(row, view);
  for (const auto& term : situation_terms(row, view)) all = all & term.holds;
  return all;
}

}  // namespace mrproof::specs
