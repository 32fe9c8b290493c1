#include "conformance/report/model_coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "conformance/report/rule_coverage.hpp"
#include "conformance/run/judged_journal.hpp"
#include "conformance/run/series.hpp"
#include "conformance/trace/key_value.hpp"
#include "conformance/trace/notation.hpp"
#include "conformance/trace/trace_dialect.hpp"
#include "model/conditions/objects.hpp"
#include "specs/deciding.hpp"

namespace mrproof {

using namespace model;
using Json = nlohmann::ordered_json;

namespace {

/// A scope, with what is to be seen in it and what was seen.
struct CoveredScope {
  CoveredScope(std::string name_, const std::string& file)
      : name(std::move(name_)), scope(load_scope(file)), all(scope), seen(all) {}
  std::string name;
  Scope scope;
  Transitions all;
  ScopeCoverage seen;
};

/// Follows a journal.
class Follower : public JournalVisitor {
 public:
  Follower(const Rulebook& book, std::vector<std::unique_ptr<CoveredScope>>& scopes,
           std::vector<KnownDeviation>& known, ModelCoverage& result)
      : rules(book), scopes_(scopes), known_(known), result_(result) {}

  void device(const Capabilities<Plain>& device_can) override {
    can = device_can;
    for (auto& scope : scopes_) scope->seen.device(can);
  }
  void begin_case(const std::string& /*name*/, const Setup& setup) override {
    ++result_.cases;
    for (auto& scope : scopes_) scope->seen.begin_case(setup);
  }
  void step(const State<Plain>& before, const Step& step, const Judgement& judgement) override {
    ++result_.steps;
    for (auto& scope : scopes_) scope->seen.step(before, step, judgement);
    if (judgement.verdict == Verdict::hang || judgement.verdict == Verdict::inconclusive) return;
    rules.look({before, step.call, step.result});
    // What some call succeeded with, the device has.
    can.claimed = can.claimed | before.proven;
    can.features = can.features | before.shown;
    if (judgement.verdict != Verdict::deviates && judgement.rule != nullptr)
      rules.take(*judgement.rule);
  }
  void incident(const std::string& name) override {
    const auto conditions = name.rfind('/');
    if (conditions == std::string::npos || name.ends_with("/-")) return;
    known_.push_back({name.substr(0, name.find('.')) + ".ok", KnownDeviation::kTrouble,
                      name.substr(conditions + 1)});
  }

  RuleCoverage rules;
  Capabilities<Plain> can;

 private:
  std::vector<std::unique_ptr<CoveredScope>>& scopes_;
  std::vector<KnownDeviation>& known_;
  ModelCoverage& result_;
};

/// What is to be seen in a scope on this device.
void look_at(const Transitions& all, const ScopeFigures& figures, RuleCoverage& rules) {
  for (const auto index : figures.expected) {
    const StateCall& call = all.calls()[index];
    Step step = all.scope().calls[call.call];
    const auto state = plain_state(all.state(call.from));
    resolve_keys(step, state);
    rules.look({state, step.call, step.result});
  }
}

/// What of the device the verb is about and it has not shown.
std::string lack_of(Verb verb, const RuleCoverage& rules, const Capabilities<Plain>& can) {
  const State<Plain> state;
  Call<Plain> call;
  call.verb = verb;
  call.option = kTypeTwo;
  const auto needed = features_needed(PlainView{state, call, {}}).value();
  std::uint64_t taken = 0;
  for (const PlainRule* rule : rules.book().rules(verb, Outcome::ok))
    taken += rules.taken()[rules.book().index(*rule)];
  if (needed == ~0U || (needed & can.features.value()) != 0 || taken != 0) return "";
  return "the device lacks " + print_flags(kFeatureNames, static_cast<std::uint32_t>(needed));
}

/// Why the condition cannot decide alone on the device, by the table that the prover made; empty if
/// it can.
std::string obstacle_of(const DecidingCondition& item, const Rulebook& book,
                        const Capabilities<Plain>& can) {
  const auto dialect = std::find(kDialects.begin(), kDialects.end(), book.dialect());
  const Needed* needed = find_needed(static_cast<unsigned>(dialect - kDialects.begin()),
                                     item.rule->id, item.condition->id, item.reason);
  if (needed == nullptr) return "";
  if (needed->never) return "it never decides alone, by the rules";
  const bool iwarp = (can.features.value() & kIwarp) != 0;
  if (needed->roce && iwarp) return "not over iWARP";
  if ((needed->features & kIwarp) != 0 && !iwarp) return "over iWARP only";
  if (const auto access = needed->access & ~can.claimed.value(); access != 0)
    return "the device lacks " + print_access(static_cast<std::uint32_t>(access));
  const auto all_of = [](std::uint64_t these, std::uint64_t has) { return (these & ~has) == 0; };
  if ((needed->without_access | needed->without_features) != 0 &&
      all_of(needed->without_access, can.claimed.value()) &&
      all_of(needed->without_features, can.features.value()))
    return "the device has " + (needed->without_access != 0
                                    ? print_access(needed->without_access)
                                    : print_flags(kFeatureNames, needed->without_features));
  if (const auto features = needed->features & ~can.features.value(); features != 0)
    return "the device lacks " + print_flags(kFeatureNames, static_cast<std::uint32_t>(features));
  return "";
}

void count_rules(const RuleCoverage& rules, const Capabilities<Plain>& can, ModelCoverage& result) {
  const auto& all = rules.book().rules();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->weight == Weight::inconclusive) continue;
    ++result.rules;
    if (rules.taken()[i] != 0) {
      ++result.rules_taken;
    } else {
      auto why = lack_of(all[i]->verb, rules, can);
      if (why.empty() && rules.open()[i] != 0)
        why = fmt::format("open {} times, and another rule was taken", rules.open()[i]);
      result.rules_left.push_back({all[i]->id, why});
    }
  }
}

std::string name_of(const DecidingCondition& c) {
  return fmt::format("{} {} {}", c.rule->id, c.reason ? "because" : "but for", c.condition->id);
}

void count_conditions(const RuleCoverage& rules, const RuleCoverage& possible,
                      const Capabilities<Plain>& can, ModelCoverage& result) {
  for (std::size_t i = 0; i < rules.conditions().size(); ++i) {
    const auto& item = rules.conditions()[i];
    const bool met = rules.alone()[i] != 0;
    ++result.conditions;
    result.conditions_alone += met ? 1 : 0;
    if (possible.alone()[i] != 0) {
      ++result.scope_conditions;
      result.scope_conditions_alone += met ? 1 : 0;
      if (!met) result.scope_conditions_left.push_back(name_of(item));
    }
    if (met) continue;
    auto why = obstacle_of(item, rules.book(), can);
    if (why.empty()) why = lack_of(item.rule->verb, rules, can);
    result.conditions_left.push_back({name_of(item), why});
  }
}

Json read_report(const std::string& folder) {
  const auto file = folder + "/report.json";
  std::ifstream in(file);
  if (!in) throw ToolError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  try {
    const Json report = Json::parse(in);
    if (report.at("format") != "mrproof-report") throw ToolError(file + ": it is no report");
    return report;
  } catch (const Json::exception& error) {
    throw ToolError(fmt::format("{}: {}", file, error.what()));
  }
}

void read_reasons(const Json& report, std::map<std::string, std::string>& reasons) {
  for (const Json& d : report.at("deviations"))
    if (d.at("expected").get<bool>())
      reasons[fmt::format("deviates {} {} {}", d.at("rule").get<std::string>(),
                          d.at("class").get<std::string>(), d.at("condition").get<std::string>())] =
          d.at("reason");
  for (const Json& i : report.at("incidents"))
    if (i.at("expected").get<bool>()) reasons[i.at("name")] = i.at("reason");
}

}  // namespace

bool ModelCoverage::complete() const {
  return scope_conditions_left.empty() &&
         std::all_of(scopes.begin(), scopes.end(),
                     [](const auto& scope) { return scope.second.complete(); });
}

ModelCoverage cover(const std::string& folder, const std::vector<std::string>& scope_files,
                    std::vector<KnownDeviation> known) {
  const Json report = read_report(folder);
  const std::string dialect = report.at("dialect");
  const Rulebook& book = book_named(dialect);
  ModelCoverage result;
  result.dialect = dialect;
  read_reasons(report, result.reasons);
  std::vector<std::unique_ptr<CoveredScope>> scopes;
  for (const auto& file : scope_files) {
    scopes.push_back(std::make_unique<CoveredScope>(tour_name(file), file));
    if (scopes.back()->scope.dialect != book.dialect()) scopes.pop_back();
  }
  Follower follower(book, scopes, known, result);
  visit_journal(folder + "/journal.jsonl", book, follower);
  result.can = follower.can;
  RuleCoverage possible(book);
  for (const auto& scope : scopes) {
    result.scopes.emplace_back(scope->name, scope->seen.figures(known));
    look_at(scope->all, result.scopes.back().second, possible);
  }
  count_rules(follower.rules, follower.can, result);
  count_conditions(follower.rules, possible, follower.can, result);
  return result;
}

}  // namespace mrproof
