#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/catalogue/catalogue.hpp"
#include "model/trace/notation.hpp"
#include "specs/citations.hpp"

namespace mrproof::conformance {

using namespace model;
using specs::Clause;
using specs::Gap;

namespace {

/// "ibv_reg_mr(3), DESCRIPTION (reg_mr.range)"; architecture clauses are cited by their ids.
std::string described(const Clause& clause) {
  if (specs::place(clause) == clause.id) return specs::citation(clause);
  return fmt::format("{} ({})", specs::citation(clause), clause.id);
}

/// What the list names, separated by semicolons.
std::string described(std::string_view ids, std::string_view dialect) {
  std::vector<std::string> parts;
  for (const Clause* clause : specs::cited(ids, dialect)) parts.push_back(described(*clause));
  for (const Gap* gap : specs::gaps_of(ids))
    parts.push_back(fmt::format("{} ({})", gap->text, gap->id));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// A line with its title; further ones have none.
std::string line(std::string_view title, std::string_view text) {
  return fmt::format("  {:10}{}\n", title, text);
}

std::string terms(std::string_view title, std::span<const Term<Plain>> list,
                  std::string_view dialect) {
  std::string text;
  for (const auto& term : list) {
    text +=
        line(text.empty() ? title : "", fmt::format("{}{}: {}", term.holds ? "" : "not ",
                                                    term.condition->id, term.condition->sentence));
    text += line("", fmt::format("    [{}]", described(term.condition->clauses, dialect)));
  }
  return text;
}

std::string describe(const Rulebook& book, const PlainRule& rule) {
  std::string text = fmt::format("{}\n", rule.id);
  text += line("result", fmt::format("{} -> {}", kVerbNames.at(static_cast<std::size_t>(rule.verb)),
                                     model::print_outcome(rule.outcome, is_transfer(rule.verb))));
  text += terms("if all", rule.requires_all, book.dialect());
  text += terms("if any", rule.reasons, book.dialect());
  if (rule.freedom != nullptr) text += line("left open", described(rule.freedom, book.dialect()));
  std::string title = "carries";
  for (const Clause* clause : clauses_of(book, rule)) {
    text += line(title, fmt::format("{} [{}]", clause->text, described(*clause)));
    title.clear();
  }
  if (rule.weight != Weight::verdict)
    text += line("counts as", rule.weight == Weight::unsupported ? "unsupported" : "inconclusive");
  return text;
}

std::string describe(const Rulebook& book, const Gap& gap) {
  std::string text = fmt::format("{}\n", gap.id);
  text += line("open", gap.text) + line("decided", gap.decision);
  std::vector<std::string> near, rules;
  for (const auto id : gap.clauses) near.push_back(described(*specs::find_clause(id)));
  if (!near.empty()) text += line("nearest", fmt::format("{}", fmt::join(near, "; ")));
  std::string title = "if";
  for (const auto* condition : conditions_named(book, gap.conditions)) {
    text += line(title, fmt::format("{}: {}", condition->id, condition->sentence));
    title.clear();
  }
  for (const auto* rule : rules_named(book, gap.rules)) rules.push_back(rule->id);
  if (!rules.empty()) text += line("rules", fmt::format("{}", fmt::join(rules, ", ")));
  return text;
}

}  // namespace

Listing list_rules(const Rulebook& book, const std::string& search) {
  const auto found = find_rules(book, search);
  Listing listing{"", found.size(), book.rules().size()};
  for (const PlainRule* rule : found) listing.text += describe(book, *rule) + "\n";
  return listing;
}

Listing list_gaps(const Rulebook& book, const std::string& search) {
  const auto found = find_gaps(book, search);
  Listing listing{"", found.size(), find_gaps(book, "").size()};
  for (const Gap* gap : found) listing.text += describe(book, *gap) + "\n";
  return listing;
}

}  // namespace mrproof::conformance
