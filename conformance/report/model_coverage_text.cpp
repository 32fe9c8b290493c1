// Model coverage for people and for programs (model_coverage.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/report/model_coverage.hpp"

namespace mrproof::conformance {

using Json = nlohmann::ordered_json;

namespace {

/// How many names of one kind are listed, unless all are asked for.
constexpr std::size_t kSome = 12;

class Text {
 public:
  explicit Text(bool all) : all_(all) {}

  void line(const std::string& text) { text_ += text + "\n"; }
  void list(const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!all_ && i == kSome)
        return line(fmt::format("    and {} more (--all)", names.size() - i));
      line("    " + names[i]);
    }
  }
  /// Counts by name, the most frequent first.
  void list(const std::string& title, const std::map<std::string, std::size_t>& counts,
            const std::map<std::string, std::string>& reasons) {
    if (counts.empty()) return;
    std::size_t sum = 0;
    std::vector<std::pair<std::size_t, std::string>> order;
    for (const auto& [name, count] : counts) {
      sum += count;
      const auto known = reasons.find(name);
      order.emplace_back(count, known == reasons.end() ? name : name + "  # " + known->second);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](auto& a, auto& b) { return a.first > b.first; });
    line(fmt::format("  {} {}:", sum, title));
    std::vector<std::string> names;
    names.reserve(order.size());
    for (const auto& [count, name] : order) names.push_back(fmt::format("{:5} {}", count, name));
    list(names);
  }
  /// What is left, those without a reason first.
  void list(const std::vector<Uncovered>& left) {
    std::map<std::string, std::size_t> reasons;
    std::vector<std::string> names;
    for (const auto& one : left) {
      if (one.why.empty())
        names.push_back(one.name);
      else
        ++reasons[one.why.starts_with("open ") ? "open, and another rule was taken" : one.why];
    }
    for (const auto& [why, count] : reasons) line(fmt::format("  {}: {}", why, count));
    if (all_)
      for (const auto& one : left)
        if (!one.why.empty()) line(fmt::format("    {} ({})", one.name, one.why));
    if (names.empty()) return;
    line(fmt::format("  not reached: {}", names.size()));
    list(names);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  bool all_;
  std::string text_;
};

void tell(Text& out, const std::string& name, const ScopeFigures& f, const ModelCoverage& c) {
  if (!f.lacking.empty()) return out.line(fmt::format("{}: skipped, {}", name, f.lacking));
  out.line(fmt::format("{}: {}", name, f.complete() ? "complete" : "NOT COMPLETE"));
  out.line(fmt::format(
      "  {} of {} states; {} of {} calls in states made; {} of {} transitions taken",
      f.states_visited, f.states, f.calls_made, f.calls, f.transitions_taken, f.transitions));
  out.list("transitions left to the device, which took another rule", f.choices, {});
  out.list("calls after which it deviates", f.deviations, c.reasons);
  out.list("calls left out as known trouble", f.left_out, c.reasons);
  out.list("calls in states that it does not come to, for", f.behind, c.reasons);
  if (!f.missed.empty()) out.line(fmt::format("  {} calls that nobody made:", f.missed.size()));
  out.list(f.missed);
  out.line(fmt::format("  {} of {} pairs of consecutive rules", f.pairs_met, f.pairs));
  out.list(f.pairs_missed);
}

Json left_json(const std::vector<Uncovered>& left) {
  Json all = Json::array();
  for (const auto& one : left) all.push_back({{"name", one.name}, {"why", one.why}});
  return all;
}

}  // namespace

std::string coverage_text(const ModelCoverage& c, bool all) {
  Text out(all);
  out.line(fmt::format("{} steps in {} cases", c.steps, c.cases));
  for (const auto& [name, figures] : c.scopes) tell(out, name, figures, c);
  if (!c.scopes.empty()) {
    out.line(
        fmt::format("conditions that decide alone, of those that can in these scopes: {} of {}",
                    c.scope_conditions_alone, c.scope_conditions));
    out.list(c.scope_conditions_left);
  }
  out.line(fmt::format("rules taken: {} of {}", c.rules_taken, c.rules));
  out.list(c.rules_left);
  out.line(fmt::format("conditions that decided alone, of all rules': {} of {}", c.conditions_alone,
                       c.conditions));
  out.list(c.conditions_left);
  return out.text();
}

std::string coverage_json(const ModelCoverage& c) {
  Json scopes = Json::array();
  for (const auto& [name, f] : c.scopes)
    scopes.push_back({{"scope", name},
                      {"skipped", f.lacking},
                      {"complete", f.complete()},
                      {"states", f.states},
                      {"states_visited", f.states_visited},
                      {"calls", f.calls},
                      {"calls_made", f.calls_made},
                      {"transitions", f.transitions},
                      {"transitions_taken", f.transitions_taken},
                      {"choices", f.choices},
                      {"deviations", f.deviations},
                      {"left_out", f.left_out},
                      {"behind", f.behind},
                      {"missed", f.missed},
                      {"pairs", f.pairs},
                      {"pairs_met", f.pairs_met},
                      {"pairs_missed", f.pairs_missed}});
  const Json coverage = {
      {"format", "mrproof-coverage"},
      {"version", 1},
      {"complete", c.complete()},
      {"cases", c.cases},
      {"steps", c.steps},
      {"scopes", scopes},
      {"scope_conditions",
       {{"total", c.scope_conditions},
        {"alone", c.scope_conditions_alone},
        {"left", c.scope_conditions_left}}},
      {"rules", {{"total", c.rules}, {"taken", c.rules_taken}, {"left", left_json(c.rules_left)}}},
      {"conditions",
       {{"total", c.conditions},
        {"alone", c.conditions_alone},
        {"left", left_json(c.conditions_left)}}}};
  return coverage.dump(2) + "\n";
}

}  // namespace mrproof::conformance
