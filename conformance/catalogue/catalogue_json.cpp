#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "conformance/catalogue/catalogue.hpp"
#include "model/trace/notation.hpp"
#include "specs/citations.hpp"

namespace mrproof::conformance {

using namespace model;
using nlohmann::ordered_json;
using specs::Clause;
using specs::Gap;

namespace {

constexpr std::array<const char*, 3> kAbout{"situation", "observation", "circumstance"};

ordered_json terms(std::span<const Term<Plain>> list) {
  auto all = ordered_json::array();
  for (const auto& term : list)
    all.push_back({{"condition", term.condition->id}, {"holds", term.holds}});
  return all;
}

ordered_json json_of(const Rulebook& book, const PlainRule& rule) {
  static constexpr std::array<const char*, 3> kCounts{"verdict", "inconclusive", "unsupported"};
  auto clauses = ordered_json::array();
  for (const Clause* clause : clauses_of(book, rule)) clauses.push_back(clause->id);
  return {{"rule", rule.id},
          {"verb", kVerbNames.at(static_cast<std::size_t>(rule.verb))},
          {"result", model::print_outcome(rule.outcome, is_transfer(rule.verb))},
          {"requires", terms(rule.requires_all)},
          {"reasons", terms(rule.reasons)},
          {"left_open", specs::words(rule.freedom == nullptr ? "" : rule.freedom)},
          {"clauses", clauses},
          {"counts_as", kCounts.at(static_cast<std::size_t>(rule.weight))}};
}

ordered_json json_of(const PlainCondition& condition, std::string_view dialect) {
  auto named = ordered_json::array();
  for (const Clause* clause : specs::cited(condition.clauses, dialect)) named.push_back(clause->id);
  for (const Gap* gap : specs::gaps_of(condition.clauses)) named.push_back(gap->id);
  return {{"condition", condition.id},
          {"sentence", condition.sentence},
          {"about", kAbout.at(static_cast<std::size_t>(condition.about))},
          {"clauses", named}};
}

ordered_json json_of(const Clause& clause) {
  return {{"clause", clause.id},
          {"page", clause.page},
          {"section", clause.section},
          {"level", clause.level},
          {"text", clause.text}};
}

ordered_json json_of(const Rulebook& book, const Gap& gap) {
  auto conditions = ordered_json::array(), rules = ordered_json::array();
  for (const auto* condition : conditions_named(book, gap.conditions))
    conditions.push_back(condition->id);
  for (const auto* rule : rules_named(book, gap.rules)) rules.push_back(rule->id);
  return {{"gap", gap.id},
          {"text", gap.text},
          {"decision", gap.decision},
          {"clauses", std::vector<std::string_view>(gap.clauses.begin(), gap.clauses.end())},
          {"conditions", conditions},
          {"rules", rules}};
}

ordered_json head(const char* format, const Rulebook& book) {
  return {{"format", format}, {"version", 1}, {"dialect", book.dialect()}};
}

/// Whether one of the rules speaks of the condition.
bool speak_of(const std::vector<const PlainRule*>& rules, const PlainCondition* condition) {
  const auto is_it = [&](const auto& term) { return term.condition == condition; };
  return std::any_of(rules.begin(), rules.end(), [&](const PlainRule* rule) {
    return std::any_of(rule->requires_all.begin(), rule->requires_all.end(), is_it) ||
           std::any_of(rule->reasons.begin(), rule->reasons.end(), is_it);
  });
}

}  // namespace

std::string rules_json(const Rulebook& book, const std::string& search) {
  const auto found = find_rules(book, search);
  auto all = head("mrproof-rules", book);
  auto& rules = all["rules"] = ordered_json::array();
  for (const PlainRule* rule : found) rules.push_back(json_of(book, *rule));
  auto& conditions = all["conditions"] = ordered_json::array();
  for (const PlainCondition* condition : book.conditions())
    if (search.empty() || speak_of(found, condition))
      conditions.push_back(json_of(*condition, book.dialect()));
  auto& preconditions = all["duties"] = ordered_json::object();
  for (std::size_t verb = 0; verb < kVerbs; ++verb)
    for (const PlainCondition* precondition : book.preconditions(static_cast<Verb>(verb)))
      preconditions[std::string(kVerbNames.at(verb))].push_back(precondition->id);
  auto& clauses = all["clauses"] = ordered_json::array();
  for (const Clause& clause : specs::clauses())
    if (specs::speaks_for(clause, book.dialect())) clauses.push_back(json_of(clause));
  return all.dump(2) + "\n";
}

std::string gaps_json(const Rulebook& book, const std::string& search) {
  auto all = head("mrproof-gaps", book);
  auto& gaps = all["gaps"] = ordered_json::array();
  for (const Gap* gap : find_gaps(book, search)) gaps.push_back(json_of(book, *gap));
  return all.dump(2) + "\n";
}

std::string model_digest() {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a
  for (const auto dialect : model::kDialects) {
    const Rulebook& book = *model::find_rulebook(dialect);
    for (const char c : rules_json(book, "") + gaps_json(book, "")) {
      hash ^= static_cast<unsigned char>(c);
      hash *= 0x100000001b3ULL;
    }
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace mrproof::conformance
