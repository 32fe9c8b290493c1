#include <fmt/format.h>

#include <memory>
#include <string>

#include "conformance/commands.hpp"
#include "conformance/notation.hpp"
#include "conformance/plan.hpp"
#include "model/rulebook.hpp"

namespace mrproof {
namespace {

using namespace model;

std::string terms(std::string_view title, std::span<const Term<Plain>> list) {
  std::string text;
  for (const auto& term : list) {
    text +=
        fmt::format("  {:9} {}{}: {} [{}]\n", text.empty() ? title : "", term.holds ? "" : "not ",
                    term.condition->id, term.condition->sentence, term.condition->clauses);
  }
  return text;
}

std::string describe(const PlainRule& rule) {
  std::string text = fmt::format("{}\n", rule.id);
  text +=
      fmt::format("  {:9} {} -> {}\n", "result", kVerbNames.at(static_cast<std::size_t>(rule.verb)),
                  print_outcome(rule.outcome, is_transfer(rule.verb)));
  text += terms("if all", rule.requires_all);
  text += terms("if any", rule.reasons);
  if (rule.freedom != nullptr) text += fmt::format("  {:9} {}\n", "left open", rule.freedom);
  if (rule.weight != Weight::verdict)
    text += fmt::format("  {:9} {}\n", "counts as",
                        rule.weight == Weight::unsupported ? "unsupported" : "inconclusive");
  return text;
}

int list_rules(const std::string& dialect, const std::string& search) {
  const auto* book = find_rulebook(dialect);
  if (book == nullptr) throw ToolError(fmt::format("no dialect '{}'; there is: linux", dialect));
  std::size_t shown = 0;
  for (const auto* rule : book->rules()) {
    const std::string text = describe(*rule);
    if (!search.empty() && text.find(search) == std::string::npos) continue;
    fmt::print("{}\n", text);
    ++shown;
  }
  fmt::print("{} of {} rules, dialect {}\n", shown, book->rules().size(), book->dialect());
  return shown > 0 ? kExitExpected : kExitError;
}

}  // namespace

void add_rules_command(CLI::App& app, int& exit_code) {
  auto dialect = std::make_shared<std::string>("linux");
  auto search = std::make_shared<std::string>();
  auto* command = app.add_subcommand("rules", "List the rules, their conditions and sources");
  command->add_option("search", *search, "only rules whose text has this in it");
  command->add_option("--dialect", *dialect, "rule set")->capture_default_str();
  command->callback([=, &exit_code] { exit_code = list_rules(*dialect, *search); });
}

}  // namespace mrproof
