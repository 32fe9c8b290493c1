#include "model/oracle/scenario_coverage.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "model/conditions/circumstances.hpp"
#include "model/oracle/recorded_case.hpp"

namespace mrproof::model {

namespace {

/// Tells rows apart: the same data in the same tables are the same row.
auto identity(const PlainRule& rule) {
  return std::tuple(std::string(rule.name), rule.outcome, rule.requires_all.data(),
      rule.reasons.data(), reinterpret_cast<std::uintptr_t>(rule.effect),
      reinterpret_cast<std::uintptr_t>(rule.transfer));
}
using Identity = decltype(identity(std::declval<const PlainRule&>()));

/// Each row's first rule, and its dialect.
const std::map<Identity, std::pair<const PlainRule*, std::string>>& rows() {
  static const auto all = [] {
    std::map<Identity, std::pair<const PlainRule*, std::string>> found;
    for (const auto dialect : kDialects)
      for (const PlainRule* rule : find_rulebook(dialect)->rules())
        found.try_emplace(identity(*rule), rule, std::string(dialect));
    return found;
  }();
  return all;
}

std::string dialect_prefix(const PlainRule& rule) {
  const std::string& dialect = rows().at(identity(rule)).second;
  return dialect == kDialects[0] ? "" : dialect + " ";
}

void look_at_taken(const PlainRule& rule, const PlainView& view, std::set<std::string>& shown) {
  shown.insert(item_name(rule, "taken"));
  shown.insert(taken_item(rule));
  const PlainCondition* reason = nullptr;
  std::size_t reasons = 0;
  for (const auto& term : rule.reasons) {
    if (term.condition->holds(view).truth() != term.holds) continue;
    reason = term.condition;
    ++reasons;
  }
  if (reasons == 1) shown.insert(item_name(rule, std::string("because ") + reason->id));
}

/// The names of a deviation without what only tells it from its like; that nothing forbids is such
/// where the rule asks for no reason.
std::string without_circumstances(const std::string& names, bool reasons) {
  const auto decides = [&](const std::string& name) {
    return (reasons || name != kNothingForbids.id) &&
           std::none_of(std::begin(kCircumstances<Plain>), std::end(kCircumstances<Plain>),
               [&](const auto* circumstance) { return name == circumstance->id; });
  };
  std::size_t end = std::min(names.find('+'), names.size());
  std::string kept = names.substr(0, end);
  while (end < names.size()) {
    const std::size_t start = end + 1;
    end = std::min(names.find('+', start), names.size());
    const std::string name = names.substr(start, end - start);
    if (decides(name)) kept += "+" + name;
  }
  return kept;
}

}  // namespace

const PlainRule& row_of(const PlainRule& rule) { return *rows().at(identity(rule)).first; }

std::string item_name(const PlainRule& rule, const std::string& what) {
  return dialect_prefix(rule) + row_of(rule).id + " " + what;
}

std::string taken_item(const PlainRule& rule) { return dialect_prefix(rule) + rule.id + " taken"; }

std::vector<std::string> wanted_of(const Rulebook& book, const PlainRule& rule) {
  std::vector<std::string> wanted{"taken"};
  for (const auto& term : rule.reasons)
    wanted.push_back(std::string("because ") + term.condition->id);
  if (rule.weight == Weight::inconclusive) return wanted;  // never blamed for a deviation
  const std::string breaks = "breaks ";
  for (const auto& term : rule.requires_all) wanted.push_back(breaks + term.condition->id);
  if (rule.transfer != nullptr) wanted.push_back(breaks + kBytesAsPredicted.id);
  // Of several rules with the same result the first is blamed when nothing forbids.
  if (!rule.reasons.empty() && book.rules(rule.verb, rule.outcome).front() == &rule)
    wanted.push_back(breaks + kNothingForbids.id);
  return wanted;
}

std::set<std::string> all_wanted() {
  std::set<std::string> wanted;
  for (const auto dialect : kDialects) {
    const Rulebook& book = *find_rulebook(dialect);
    for (const PlainRule* rule : book.rules()) {
      wanted.insert(taken_item(*rule));
      for (const auto& what : wanted_of(book, *rule)) wanted.insert(item_name(*rule, what));
    }
  }
  return wanted;
}

void look(const Rulebook& book, const PlainView& view, const Annotation& judged, bool truths,
    std::set<std::string>& shown) {
  if (const PlainRule* rule = book.find(judged.rule); rule != nullptr) {
    if (judged.verdict == Verdict::deviates) {
      shown.insert(item_name(*rule, "breaks " + judged.broken));
      shown.insert(item_name(
          *rule, "breaks " + without_circumstances(judged.broken, !rule->reasons.empty())));
    } else if (judged.verdict != Verdict::hang) {
      look_at_taken(*rule, view, shown);
    }
  } else if (judged.verdict == Verdict::deviates) {
    shown.insert(judged.rule + " breaks " + without_circumstances(judged.broken, false));
  }
  if (!truths) return;
  for (const PlainRule* rule : book.rules(view.call.verb, view.result.outcome))
    for (const auto* terms : {&rule->requires_all, &rule->reasons})
      for (const auto& term : *terms)
        shown.insert(std::string(term.condition->id) +
                     (term.condition->holds(view).truth() ? " true" : " false"));
}

void look(const Trace& judged, const Rulebook& book, std::set<std::string>& shown) {
  RecordedCase recorded(judged, book);
  while (const Step* step = recorded.next()) {
    const PlainView view{recorded.oracle().state(), step->call, step->result};
    look(book, view, step->annotations.front(), true, shown);
    recorded.judge();
  }
}

}  // namespace mrproof::model
