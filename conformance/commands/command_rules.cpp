#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <string>

#include "conformance/catalogue/catalogue.hpp"
#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "model/trace/write_file.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

using namespace model;

struct RulesOptions {
  std::string dialect = "linux";
  std::string search;
  std::string html;
  bool gaps = false;
  bool json = false;
};

const Rulebook& book_of(const std::string& dialect) {
  const auto* book = find_rulebook(dialect);
  if (book == nullptr)
    throw model::ToolError(
        fmt::format("no dialect '{}'; there are: {}", dialect, fmt::join(kDialects, ", ")));
  return *book;
}

int print_list(const RulesOptions& options) {
  const Rulebook& book = book_of(options.dialect);
  if (!options.html.empty()) {
    model::write_whole_file(options.html, catalogue_html(book));
    return kExitExpected;
  }
  const auto listing =
      options.gaps ? list_gaps(book, options.search) : list_rules(book, options.search);
  if (listing.shown == 0)
    throw model::ToolError(fmt::format("'{}' is in none of the {} {} of the dialect {}",
                                       options.search, listing.all, options.gaps ? "gaps" : "rules",
                                       book.dialect()));
  if (options.json) {
    fmt::print("{}",
               options.gaps ? gaps_json(book, options.search) : rules_json(book, options.search));
  } else {
    fmt::print("{}{} of {} {}, dialect {}\n", listing.text, listing.shown, listing.all,
               options.gaps ? "gaps" : "rules", book.dialect());
  }
  return kExitExpected;
}

}  // namespace

void add_rules_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RulesOptions>();
  auto* command = app.add_subcommand("rules", "List the rules, their conditions and clauses");
  command->add_option("search", options->search,
                      "show only rules that contain this, or whose clauses do");
  command->add_option("--dialect", options->dialect, "rule set")->capture_default_str();
  auto* gaps = command->add_flag("--gaps", options->gaps, "list what the pages leave open instead");
  auto* json = command->add_flag("--json", options->json, "as JSON");
  command->add_option("--html", options->html, "write everything to FILE, as one HTML page")
      ->type_name("FILE")
      ->check(kNotEmpty)
      ->excludes(gaps)
      ->excludes(json);
  command->callback([=, &exit_code] { exit_code = print_list(*options); });
}

}  // namespace mrproof::conformance
