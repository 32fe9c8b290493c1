#include "conformance/report/model_coverage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "conformance/report/rule_coverage.hpp"
#include "conformance/run/judged_journal.hpp"
#include "conformance/run/read_back.hpp"
#include "model/conditions/registration.hpp"
#include "model/trace/key_value.hpp"
#include "model/trace/notation.hpp"
#include "model/trace/trace_dialect.hpp"
#include "property-tests/series/series.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

/// A scope, with what is to be seen in it and what was seen.
struct CoveredScope {
  CoveredScope(std::string name_, const std::string& file)
      : name(std::move(name_)), scope(specs::load_scope(file)), all(scope), seen(all) {}
  std::string name;
  specs::Scope scope;
  specs::Transitions all;
  ScopeCoverage seen;
};

/// Adds the conditions that calls of the scope show where the device makes them.
void look_at(const specs::Transitions& all, const ScopeFigures& figures,
             const Capabilities<Plain>& can, RuleCoverage& rules) {
  for (const auto index : figures.expected) {
    const specs::StateCall& call = all.calls()[index];
    model::Step step = all.scope().calls[call.call];
    auto state = specs::plain_state(all.state(call.from));
    // A scope says less of the device than there is: not, for one, how its queue pairs connect.
    state.can = can;
    model::resolve_keys(step, state);
    rules.look({state, step.call, step.result});
  }
}

/// Follows a journal.
class Follower : public JournalVisitor {
 public:
  Follower(const Rulebook& book, std::vector<std::unique_ptr<CoveredScope>>& scopes,
           std::vector<model::DeviationName>& known, ModelCoverage& result)
      : rules(book), scopes_(scopes), known_(known), result_(result) {}

  void device(const Capabilities<Plain>& device_can) override {
    can = device_can;
    for (auto& scope : scopes_) scope->seen.device(can);
  }
  void begin_case(const model::Setup& setup) override {
    ++result_.cases;
    for (auto& scope : scopes_) scope->seen.begin_case(setup);
  }
  void step(const State<Plain>& before, const model::Step& step,
            const Judgement& judgement) override {
    ++result_.steps;
    for (auto& scope : scopes_) scope->seen.step(before, step, judgement);
    if (judgement.verdict == Verdict::hang || judgement.verdict == Verdict::inconclusive) return;
    rules.look({before, step.call, step.result});
    demonstrated = demonstrated | before.demonstrated_features;
    if (judgement.verdict != Verdict::deviates && judgement.rule != nullptr)
      rules.take(*judgement.rule);
  }
  void incident(const std::string& name) override {
    const auto trouble = model::parse_name(name);
    if (trouble && !trouble->broken.is_dash())
      known_.push_back(property_tests::known_trouble(*trouble));
  }

  RuleCoverage rules;
  Capabilities<Plain> can;
  Plain::Flags demonstrated;  ///< features with which some call succeeded

 private:
  std::vector<std::unique_ptr<CoveredScope>>& scopes_;
  std::vector<model::DeviationName>& known_;
  ModelCoverage& result_;
};

/// The feature that the verb is about and the device lacks: it does not claim it, or has refused
/// what no device claims. Empty: none.
std::string lack_of(Verb verb, const Follower& follower) {
  const RuleCoverage& rules = follower.rules;
  const State<Plain> state;
  const Call<Plain> call{.verb = verb, .option = kTypeTwo};
  const auto needed = features_needed(PlainView{state, call, {}}).value();
  const auto has = (follower.can.features | follower.demonstrated).value();
  if (needed == ~0U || (needed & has) != 0) return "";
  const auto& all = rules.book().rules();
  const bool refused = std::any_of(all.begin(), all.end(), [&](const PlainRule* rule) {
    return rule->verb == verb && rule->weight == Weight::unsupported &&
           rules.taken()[rules.book().index(*rule)] != 0;
  });
  if ((needed & kClaimable) == 0 && !refused) return "";
  return "the device lacks " +
         model::print_flags(model::kFeatureNames, static_cast<std::uint32_t>(needed));
}

void count_rules(const Follower& follower, ModelCoverage& result) {
  const RuleCoverage& rules = follower.rules;
  const auto& all = rules.book().rules();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->weight == Weight::inconclusive) continue;
    ++result.rules;
    if (rules.taken()[i] != 0) {
      ++result.rules_taken;
    } else {
      auto why = lack_of(all[i]->verb, follower);
      if (why.empty() && rules.open()[i] != 0)
        why = fmt::format("open {} times, and another rule was taken", rules.open()[i]);
      result.rules_left.push_back({all[i]->id, why});
    }
  }
}

std::string name_of(const DecidingCondition& c) {
  return fmt::format("{} {} {}", c.rule->id, c.reason ? "because" : "but for", c.condition->id);
}

/// `possible`: what calls of the scopes can show on the device.
void count_conditions(const Follower& follower, const RuleCoverage& possible,
                      ModelCoverage& result) {
  const RuleCoverage& rules = follower.rules;
  for (std::size_t i = 0; i < rules.conditions().size(); ++i) {
    const auto& item = rules.conditions()[i];
    const bool met = rules.alone()[i] != 0;
    ++result.conditions;
    result.conditions_alone += met ? 1 : 0;
    if (!met) result.conditions_left.push_back({name_of(item), lack_of(item.rule->verb, follower)});
    if (possible.alone()[i] == 0) continue;
    ++result.scope_conditions;
    result.scope_conditions_alone += met ? 1 : 0;
    if (!met) result.scope_conditions_left.push_back(name_of(item));
  }
}

void read_reasons(const nlohmann::json& report, std::map<std::string, std::string>& reasons) {
  for (const auto& d : report.at("deviations"))
    if (d.at("expected").get<bool>())
      reasons[model::print_annotation(deviation_in(d))] = d.at("reason");
  for (const auto& i : report.at("incidents"))
    if (i.at("expected").get<bool>()) reasons[i.at("name")] = i.at("reason");
}

}  // namespace

bool ModelCoverage::complete() const {
  return scope_conditions_left.empty() &&
         std::all_of(scopes.begin(), scopes.end(),
                     [](const auto& scope) { return scope.second.complete(); });
}

ModelCoverage cover(const std::string& folder, const std::vector<std::string>& scope_files,
                    std::vector<model::DeviationName> known, bool missed) {
  const std::string report_file = folder + "/report.json";
  const auto report = load_report(report_file);
  ModelCoverage result;
  look_into(report_file, [&] {
    result.dialect = report.at("dialect");
    model::book_named(result.dialect);
    read_reasons(report, result.reasons);
  });
  const Rulebook& book = model::book_named(result.dialect);
  std::vector<std::unique_ptr<CoveredScope>> scopes;
  for (const auto& file : scope_files) {
    auto scope = std::make_unique<CoveredScope>(property_tests::tour_name(file), file);
    if (scope->scope.dialect == book.dialect()) {
      scopes.push_back(std::move(scope));
    } else {
      ScopeFigures none;
      none.lacking = "its dialect is " + scope->scope.dialect;
      result.scopes.emplace_back(scope->name, none);
      result.missed.emplace_back();
    }
  }
  Follower follower(book, scopes, known, result);
  const auto ended = visit_journal(folder + "/journal.jsonl", book, follower);
  check_ended(folder, report, ended);
  RuleCoverage possible(book);
  for (const auto& scope : scopes) {
    result.scopes.emplace_back(scope->name, scope->seen.figures(known));
    look_at(scope->all, result.scopes.back().second, follower.can, possible);
    if (missed) result.missed.push_back(scope->seen.missed_traces(result.scopes.back().second));
  }
  count_rules(follower, result);
  count_conditions(follower, possible, result);
  return result;
}

}  // namespace mrproof::conformance
