#include "conformance/report/model_coverage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "conformance/report/rule_coverage.hpp"
#include "conformance/run/judged_journal.hpp"
#include "conformance/run/read_back.hpp"
#include "conformance/run/scenario_files.hpp"
#include "model/conditions/objects.hpp"
#include "model/conditions/registration.hpp"
#include "model/conditions/transfer.hpp"
#include "model/trace/key_value.hpp"
#include "model/trace/layout.hpp"
#include "model/trace/notation.hpp"
#include "model/trace/trace_dialect.hpp"
#include "property-tests/series/series.hpp"
#include "specs/deciding.hpp"

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

/// Looks at a call of a scope, in its state.
void look_at(const specs::Transitions& all, std::size_t index, RuleCoverage& rules) {
  const specs::StateCall& call = all.calls()[index];
  model::Step step = all.scope().calls[call.call];
  const auto state = specs::plain_state(all.state(call.from));
  model::resolve_keys(step, state);
  rules.look({state, step.call, step.result});
}

/// The conditions that calls of scopes and scenarios would have shown: of all that should have been
/// made, and of those that were left out, each with the name of the trouble that it is known to
/// make.
struct Planned {
  explicit Planned(const Rulebook& book) : possible(book) {}

  void add(const specs::Transitions& all, const ScopeFigures& figures) {
    for (const auto index : figures.expected) look_at(all, index, possible);
    for (const auto& [index, trouble] : figures.avoided) look_at(all, index, of(trouble));
  }
  RuleCoverage& of(const std::string& trouble) {
    return avoided.try_emplace(trouble, possible.book()).first->second;
  }
  /// The trouble because of which the condition was not shown; empty if there is none.
  [[nodiscard]] std::string trouble_of(std::size_t condition) const {
    for (const auto& [trouble, rules] : avoided)
      if (rules.alone()[condition] != 0) return trouble;
    return "";
  }

  RuleCoverage possible;
  std::map<std::string, RuleCoverage> avoided;
};

/// Whether one end of a pair is ready and the other is not.
bool have_ends_apart(const State<Plain>& state) {
  const auto ready = [&](std::size_t end) {
    Call<Plain> call;
    call.qp = peer_of(static_cast<std::uint8_t>(end));
    return peer_ready<Plain>.holds(PlainView{state, call, {}}).truth();
  };
  for (std::size_t i = 0; i + 1 < state.qps.size(); i += 2)
    if (ready(i) != ready(i + 1)) return true;
  return false;
}

/// Whether there is a region of no bytes, which devices may refuse to make.
bool has_empty_region(const State<Plain>& state) {
  return std::any_of(state.regions.begin(), state.regions.end(),
                     [](const auto& mr) { return (mr.live & mr.empty).truth(); });
}

/// Whether it takes such a region for the condition to be the only reason.
bool needs_empty_region(const DecidingCondition& item) {
  return item.rule->verb == Verb::rereg_mr &&
         item.condition->id == std::string_view(length_zero<Plain>.id);
}

/// Whether it takes a read of more bytes than the port carries for the condition to be the only one
/// broken, or the only reason.
bool needs_too_long_read(const DecidingCondition& item) {
  const auto is_length = [](const PlainCondition& condition) {
    return condition.id == std::string_view(message_not_too_long<Plain>.id);
  };
  const auto& reasons = item.rule->reasons;
  return item.rule->verb == Verb::rdma_read &&
         (is_length(*item.condition) ||
          (!reasons.empty() && std::all_of(reasons.begin(), reasons.end(), [&](const auto& term) {
            return is_length(*term.condition);
          })));
}

/// Whether it takes an operation on demand that the device does not claim.
bool needs_unclaimed_paging(const DecidingCondition& item, const Capabilities<Plain>& can) {
  const std::string_view id = item.condition->id;
  std::uint32_t missing = missing_on_demand(item.rule->verb);
  if (id == receive_memory_there<Plain>.id)
    missing = kOnDemandNoReceive;
  else if (id != local_memory_there<Plain>.id && id != remote_memory_there<Plain>.id)
    return false;
  return (can.features.value() & missing) != 0;
}

/// Whether the port carries all that one element can say, and a read has no more than one.
bool carries_any_read(const Capabilities<Plain>& can) {
  return (can.features.value() & kIwarp) != 0 && can.max_message.value() >= ~std::uint32_t{0};
}

/// Whether it takes that for the condition to be the only one broken.
bool needs_ends_apart(const DecidingCondition& item) {
  const auto is_asked = [&](std::string_view id) {
    const auto& all = item.rule->requires_all;
    return std::any_of(all.begin(), all.end(),
                       [&](const auto& term) { return term.holds && term.condition->id == id; });
  };
  const std::string_view own = qp_ready<Plain>.id, other = peer_ready<Plain>.id;
  const std::string_view id = item.condition->id;
  return !item.reason && (id == own || id == other) && is_asked(own) && is_asked(other);
}

/// Follows a journal.
class Follower : public JournalVisitor {
 public:
  Follower(const Rulebook& book, std::vector<std::unique_ptr<CoveredScope>>& scopes,
           std::vector<property_tests::KnownDeviation>& known,
           const std::vector<property_tests::Scenario>& scenarios, Planned& planned,
           ModelCoverage& result)
      : rules(book), scopes_(scopes), known_(known), planned_(planned), result_(result) {
    for (const property_tests::Scenario& scenario : scenarios)
      scenarios_[scenario.name] = &scenario;
  }

  void device(const Capabilities<Plain>& device_can) override {
    can = device_can;
    for (auto& scope : scopes_) scope->seen.device(can);
  }
  void begin_case(const std::string& name, const model::Setup& setup) override {
    ++result_.cases;
    case_ = name;
    for (auto& scope : scopes_) scope->seen.begin_case(setup);
  }
  void step(const State<Plain>& before, const model::Step& step,
            const Judgement& judgement) override {
    ++result_.steps;
    for (auto& scope : scopes_) scope->seen.step(before, step, judgement);
    if (judgement.verdict == Verdict::hang || judgement.verdict == Verdict::inconclusive) return;
    rules.look({before, step.call, step.result});
    ends_apart = ends_apart || have_ends_apart(before);
    empty_region = empty_region || has_empty_region(before);
    // What some call succeeded with, the device has.
    can.claimed = can.claimed | before.demonstrated_access;
    can.features = can.features | before.demonstrated_features;
    if (judgement.verdict != Verdict::deviates && judgement.rule != nullptr)
      rules.take(*judgement.rule);
  }
  /// A scenario ends before a call that is not made.
  void end_case(model::Oracle& oracle, std::size_t steps, bool goes_on) override {
    const auto found = scenarios_.find(case_);
    if (found == scenarios_.end() || !goes_on) return;
    const model::Trace trace = model::parse_trace(found->second->text, case_);
    if (steps >= trace.steps.size()) return;
    model::PlannedCall next = trace.steps[steps];
    oracle.resolve(next);
    if (oracle.forbids(next) != nullptr) return;
    const auto trouble = trouble_of(oracle.state(), next.call, known_, rules.book());
    if (!trouble.empty()) planned_.of(trouble).look({oracle.state(), next.call, {}});
  }
  void incident(const std::string& name) override {
    const auto conditions = name.rfind('/');
    if (conditions == std::string::npos || name.ends_with("/-")) return;
    known_.push_back({name.substr(0, name.find('.')) + ".ok",
                      property_tests::KnownDeviation::kTrouble, name.substr(conditions + 1)});
  }

  RuleCoverage rules;
  Capabilities<Plain> can;
  bool ends_apart = false;    ///< one end of a pair was ready and the other was not, at some step
  bool empty_region = false;  ///< there was a region of no bytes, at some step

 private:
  std::vector<std::unique_ptr<CoveredScope>>& scopes_;
  std::vector<property_tests::KnownDeviation>& known_;
  std::map<std::string, const property_tests::Scenario*> scenarios_;
  std::string case_;
  Planned& planned_;
  ModelCoverage& result_;
};

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
  return "the device lacks " +
         model::print_flags(model::kFeatureNames, static_cast<std::uint32_t>(needed));
}

/// Those of the parts that `has` has, or that it has not.
specs::DeviceParts picked(const specs::DeviceParts& parts, const specs::DeviceParts& has,
                          bool wanted) {
  const auto flags = [&](std::uint32_t some, std::uint32_t of) {
    return some & (wanted ? of : ~of);
  };
  return {flags(parts.access, has.access), flags(parts.features, has.features),
          parts.roce && has.roce == wanted, parts.memory && has.memory == wanted};
}

std::string words_for(const specs::DeviceParts& parts, const char* between) {
  std::vector<std::string> words;
  if (parts.access != 0) words.push_back(model::print_access(parts.access));
  if (parts.features != 0)
    words.push_back(model::print_flags(model::kFeatureNames, parts.features));
  if (parts.roce) words.emplace_back("a connection that is not iWARP's");
  if (parts.memory) words.emplace_back("buffers for a message that is too long");
  return fmt::format("{}", fmt::join(words, between));
}

/// Why the condition cannot decide alone on the device, by the table that the prover made; empty if
/// it can.
std::string obstacle_of(const DecidingCondition& item, const Rulebook& book,
                        const Capabilities<Plain>& can) {
  const auto dialect = std::find(kDialects.begin(), kDialects.end(), book.dialect());
  const specs::Needed* needed =
      specs::find_needed(static_cast<unsigned>(dialect - kDialects.begin()), item.rule->id,
                         item.condition->id, item.reason);
  if (needed == nullptr) return "";
  if (needed->never) return "it never decides alone, by the rules";
  const auto has = parts_of(can);
  auto lacks = picked(needed->all, has, false);
  if (lacks.roce) return "not over iWARP";
  if ((lacks.features & kIwarp) != 0) return "over iWARP only";
  if (lacks.access != 0) lacks.features = 0;  // one lack is enough to say
  if (!lacks.none()) return "the device lacks " + words_for(lacks, " and ");
  if (!needed->without.none() && picked(needed->without, has, false).none())
    return "the device has " + words_for(needed->without, " and ");
  if (!needed->any.none() && picked(needed->any, has, true).none())
    return "the device has none of " + words_for(needed->any, " or ");
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

void count_conditions(const Follower& follower, const Planned& planned, ModelCoverage& result) {
  const RuleCoverage& rules = follower.rules;
  for (std::size_t i = 0; i < rules.conditions().size(); ++i) {
    const auto& item = rules.conditions()[i];
    const bool met = rules.alone()[i] != 0;
    auto why = met ? "" : obstacle_of(item, rules.book(), follower.can);
    ++result.conditions;
    result.conditions_alone += met ? 1 : 0;
    // A scope says less of the device than there is: not, for one, how its queue pairs connect.
    if (planned.possible.alone()[i] != 0 && why.empty()) {
      ++result.scope_conditions;
      result.scope_conditions_alone += met ? 1 : 0;
      if (!met) result.scope_conditions_left.push_back(name_of(item));
    }
    if (met) continue;
    if (why.empty()) why = lack_of(item.rule->verb, rules, follower.can);
    if (why.empty() && needs_unclaimed_paging(item, follower.can))
      why = "the device does not claim the operation for regions on demand";
    if (why.empty() && !follower.ends_apart && needs_ends_apart(item))
      why = "at no step was one end of a pair ready and the other not";
    if (why.empty() && carries_any_read(follower.can) && needs_too_long_read(item))
      why = "a read has one element here, and the port carries as much as that can have";
    if (why.empty() && !follower.empty_region && needs_empty_region(item))
      why = "at no step was there a region of no bytes";
    if (const auto trouble = planned.trouble_of(i); why.empty() && !trouble.empty())
      why = "left out as known trouble: " + trouble;
    result.conditions_left.push_back({name_of(item), why});
  }
}

void read_reasons(const nlohmann::json& report, std::map<std::string, std::string>& reasons) {
  for (const auto& d : report.at("deviations"))
    if (d.at("expected").get<bool>())
      reasons[fmt::format("deviates {} {} {}", d.at("rule").get<std::string>(),
                          d.at("class").get<std::string>(), d.at("condition").get<std::string>())] =
          d.at("reason");
  for (const auto& i : report.at("incidents"))
    if (i.at("expected").get<bool>()) reasons[i.at("name")] = i.at("reason");
}

}  // namespace

specs::DeviceParts parts_of(const Capabilities<Plain>& can) {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < model::kBufferCount; ++i)
    largest = std::max(largest, model::buffer_size(i));
  const bool iwarp = (can.features.value() & kIwarp) != 0;
  return {static_cast<std::uint32_t>(can.claimed.value()),
          static_cast<std::uint32_t>(can.features.value()), !iwarp,
          2 * largest >= can.max_message.value()};
}

bool ModelCoverage::complete() const {
  return scope_conditions_left.empty() &&
         std::all_of(scopes.begin(), scopes.end(),
                     [](const auto& scope) { return scope.second.complete(); });
}

ModelCoverage cover(const std::string& folder, const std::vector<std::string>& scope_files,
                    std::vector<property_tests::KnownDeviation> known,
                    const std::vector<std::string>& scenarios, bool missed) {
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
  Planned planned(book);
  const auto loaded = scenarios.empty() ? std::vector<property_tests::Scenario>()
                                        : load_scenarios(scenarios, result.dialect);
  Follower follower(book, scopes, known, loaded, planned, result);
  const auto ended = visit_journal(folder + "/journal.jsonl", book, follower);
  check_ended(folder, report, ended);
  result.can = follower.can;
  for (const auto& scope : scopes) {
    result.scopes.emplace_back(scope->name, scope->seen.figures(known));
    planned.add(scope->all, result.scopes.back().second);
    if (missed) result.missed.push_back(scope->seen.missed_traces(result.scopes.back().second));
  }
  count_rules(follower.rules, follower.can, result);
  count_conditions(follower, planned, result);
  return result;
}

}  // namespace mrproof::conformance
