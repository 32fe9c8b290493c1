#include "conformance/catalogue/diff.hpp"

#include <fmt/format.h>

#include <set>

#include "model/alphabet/small_calls.hpp"
#include "model/oracle/synthesize.hpp"
#include "model/trace/key_value.hpp"
#include "model/trace/notation.hpp"
#include "specs/explain/explain.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

/// A situation that the same calls and results lead to under both dialects.
struct Node {
  State<Plain> first;
  State<Plain> second;
  std::vector<model::Step> steps;
};

bool deviates(const Judgement& judgement) { return judgement.verdict == Verdict::deviates; }

/// The step with the result; keys as the result has them.
model::Step with_result(model::Step step, const Result<Plain>& result) {
  const Verb verb = step.call.verb;
  step.result = result;
  step.observed = verb != Verb::fill && verb != Verb::protect;
  step.keys_seen = model::tells_keys(verb, result);
  if (!is_transfer(verb) || result.outcome == Outcome::refused) {
    step.result.completion_matches = Bit(true);
    step.result.own_receive = step.result.peer_receive = Plain::small(Outcome::none);
  }
  return step;
}

class Comparison {
 public:
  Comparison(const Rulebook& first, const Rulebook& second, const DiffScope& scope)
      : first_(first), second_(second), scope_(scope) {
    for (std::size_t i = 0; i < kVerbs; ++i) {
      const auto verb = static_cast<Verb>(i);
      if (!first.has(verb) && !second.has(verb)) continue;
      found_.push_back({verb, first.has(verb), second.has(verb), std::nullopt});
    }
    beginning_.setup = model::Setup{{0, 0, model::Setup::kAbsent, model::Setup::kAbsent},
                                    {true, true, false, false}};
    beginning_.can.claimed = Plain::flags(kFeatureFlags);
    beginning_.can.features = Plain::flags((1U << model::kFeatureNames.size()) - 1);
  }

  std::vector<VerbDifference> run() {
    const auto start = [&](const Rulebook& book) {
      return model::initial_state(beginning_.setup, beginning_.can, book.defined_access());
    };
    std::vector<Node> level{{start(first_), start(second_), {}}};
    for (std::size_t depth = 0; depth <= scope_.depth && !level.empty(); ++depth) {
      std::vector<Node> next;
      for (const Node& node : level) {
        look(node);
        if (depth < scope_.depth) expand(node, next);
      }
      level = std::move(next);
    }
    return std::move(found_);
  }

 private:
  /// Looks for differences in all verbs that none is known of.
  void look(const Node& node) {
    for (VerbDifference& verb : found_) {
      if (verb.trace || !verb.in_first || !verb.in_second) continue;
      model::each_call(node.first, verb.verb, 1, [&](const model::Step& call) {
        if (!verb.trace) verb.trace = difference(node, call);
      });
    }
  }

  std::optional<model::Trace> difference(const Node& node, model::Step step) const {
    model::resolve_keys(step, node.first);
    for (const bool swapped : {false, true}) {
      const Rulebook& allows = swapped ? second_ : first_;
      const Rulebook& judges = swapped ? first_ : second_;
      const auto& state = swapped ? node.second : node.first;
      const auto& other = swapped ? node.first : node.second;
      if (allows.forbids(state, step.call) != nullptr) continue;
      for (const PlainRule* rule : allows.rules()) {
        if (rule->verb != step.call.verb || rule->weight == Weight::inconclusive) continue;
        const auto result = model::synthesize(*rule, state, step.call);
        if (!result) continue;
        const model::Step seen = with_result(step, *result);
        const PlainView view{other, seen.call, seen.result};
        if (judges.forbids(other, seen.call) != nullptr || deviates(judge(judges, view)))
          return trace_of(node, seen);
      }
    }
    return std::nullopt;
  }

  /// What the dialect says of the step.
  static std::string side(const Rulebook& book, const State<Plain>& state,
                          const model::Step& step) {
    const auto* precondition = book.forbids(state, step.call);
    if (precondition != nullptr)
      return fmt::format("{}: no call to make, since it does not hold that {}", book.dialect(),
                         precondition->sentence);
    const Judgement judgement = judge(book, {state, step.call, step.result});
    return fmt::format("{}: {}", book.dialect(),
                       model::print_annotation(model::annotate(judgement, step)));
  }

  [[nodiscard]] model::Trace trace_of(const Node& node, const model::Step& last) const {
    model::Trace trace = beginning_;
    trace.steps = node.steps;
    trace.steps.push_back(last);
    trace.steps.back().remarks = {side(first_, node.first, last), side(second_, node.second, last)};
    return trace;
  }

  /// Adds the situations that one more step leads to, by a result that conforms to both.
  void expand(const Node& node, std::vector<Node>& next) {
    for (const VerbDifference& verb : found_) {
      if (!verb.in_first || !verb.in_second) continue;
      model::each_call(node.first, verb.verb, 0, [&](model::Step step) {
        model::resolve_keys(step, node.first);
        if (seen_.size() >= scope_.states || first_.forbids(node.first, step.call) != nullptr ||
            second_.forbids(node.second, step.call) != nullptr)
          return;
        for (const PlainRule* rule : first_.rules(step.call.verb, Outcome::ok))
          if (const auto result = model::synthesize(*rule, node.first, step.call))
            return follow(node, with_result(step, *result), next);
      });
    }
  }

  void follow(const Node& node, const model::Step& step, std::vector<Node>& next) {
    Node after = node;
    for (const bool swapped : {false, true}) {
      const Rulebook& book = swapped ? second_ : first_;
      auto& state = swapped ? after.second : after.first;
      const PlainView view{state, step.call, step.result};
      const Judgement judgement = judge(book, view);
      if (judgement.verdict != Verdict::conforms) return;
      advance(*judgement.rule, view, state);
    }
    std::string name;
    for (const auto* state : {&after.first, &after.second})
      for (const auto& line : specs::describe_state(*state)) name += line + "\n";
    if (!seen_.insert(name).second) return;
    after.steps.push_back(step);
    next.push_back(std::move(after));
  }

  const Rulebook& first_;
  const Rulebook& second_;
  DiffScope scope_;
  model::Trace beginning_;
  std::vector<VerbDifference> found_;
  std::set<std::string> seen_;
};

}  // namespace

std::vector<VerbDifference> compare(const Rulebook& first, const Rulebook& second,
                                    const DiffScope& scope) {
  return Comparison(first, second, scope).run();
}

std::string print_differences(const std::vector<VerbDifference>& differences, const Rulebook& first,
                              const Rulebook& second) {
  std::string text;
  std::string agree;
  for (const auto& d : differences) {
    const auto verb = kVerbNames.at(static_cast<std::size_t>(d.verb));
    if (d.in_first && d.in_second && !d.trace) {
      agree += fmt::format("{}{}", agree.empty() ? "" : ", ", verb);
    } else if (!d.trace) {
      text += fmt::format("{}: only {} has it\n\n", verb,
                          d.in_first ? first.dialect() : second.dialect());
    } else {
      text += fmt::format("{}: they differ\n{}\n", verb, model::print_trace(*d.trace));
    }
  }
  if (!agree.empty()) text += fmt::format("no difference found in: {}\n", agree);
  return text;
}

}  // namespace mrproof::conformance
