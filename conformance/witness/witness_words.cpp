// Witnesses as scenario files: their comment, their name, their expected verdict.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/oracle/judge_trace.hpp"
#include "conformance/trace/notation.hpp"
#include "conformance/witness/witness.hpp"
#include "model/conditions/circumstances.hpp"

namespace mrproof {

using namespace model;

namespace {

const PlainCondition* condition_of(const Rulebook& book, const std::string& id) {
  for (const auto* condition : book.conditions())
    if (condition->id == id) return condition;
  return nullptr;
}

/// Of a condition, or of a circumstance, which no rule names.
std::string sentence_of(const Rulebook& book, const std::string& id) {
  for (const auto* circumstance : kCircumstances<Plain>)
    if (circumstance->id == id) return circumstance->sentence;
  const auto* condition = condition_of(book, id);
  return condition == nullptr ? id : condition->sentence;
}

/// The last step's call and what came of it: "bind_mw, refused EINVAL".
std::string result_of(const Step& step) {
  std::string result(print_outcome(step.result.outcome, is_transfer(step.call.verb)));
  if (step.result.outcome == Outcome::refused)
    result =
        name_of_value(kReregCodeNames, static_cast<std::uint32_t>(step.result.error.value()))
            ? print_named(kReregCodeNames, static_cast<std::uint32_t>(step.result.error.value()))
            : "a refusal";
  if (step.result.outcome == Outcome::ok && !is_transfer(step.call.verb)) result = "success";
  return result;
}

/// What is or is not so when the term is as asked; `as_asked` false: when it is not.
std::string fact_of(std::span<const Term<Plain>> terms, const std::string& id, bool as_asked) {
  for (const auto& term : terms)
    if (term.condition->id == id)
      return fmt::format("{}{}", term.holds == as_asked ? "" : "it is not so that ",
                         term.condition->sentence);
  return id;
}

std::string taken_words(const PlainRule& rule, const Step& step, const PlainView& view) {
  const std::string call(kVerbNames.at(static_cast<std::size_t>(step.call.verb)));
  std::string why;
  for (const auto& term : rule.reasons)
    if (why.empty() && term.condition->holds(view).truth() == term.holds)
      why = fact_of(rule.reasons, term.condition->id, true);
  if (rule.weight == Weight::inconclusive)
    return fmt::format("{} gives up for want of resources or of an answer, which proves nothing",
                       call);
  if (rule.weight == Weight::unsupported)
    return fmt::format("{} may be refused as unsupported here: {}", call, why);
  if (!why.empty()) return fmt::format("{} may end in {} here: {}", call, result_of(step), why);
  if (rule.outcome == Outcome::ok)
    return fmt::format("{} ends in {} as it should", call, result_of(step));
  return fmt::format("{} has to end in {} here: {}", call, result_of(step),
                     fact_of(rule.requires_all, rule.requires_all.back().condition->id, true));
}

std::string words_for(const PlainRule& rule, const std::string& what, const Step& step,
                      const PlainView& view, const Rulebook& book) {
  const std::string call(kVerbNames.at(static_cast<std::size_t>(step.call.verb)));
  const auto result = result_of(step);
  if (what == "taken") return taken_words(rule, step, view);
  const auto blank = what.find(' ');
  const auto kind = what.substr(0, blank);
  const auto id = what.substr(blank + 1);
  if (kind == "because")
    return fmt::format("{} may end in {} here for one reason alone: {}", call, result,
                       fact_of(rule.reasons, id, true));
  if (id == kBytesAsPredicted.id)
    return fmt::format("{} ends in {}, rightly, but a byte in memory is not what it has to be",
                       call, result);
  if (id.starts_with(kNothingForbids.id)) {
    const auto plus = id.find('+');
    const auto text =
        fmt::format("{} ends in {} although the call gives no reason for it", call, result);
    if (plus == std::string::npos) return text;
    return fmt::format("{}: {}", text, sentence_of(book, id.substr(plus + 1)));
  }
  const auto* condition = condition_of(book, id);
  const auto fact = fact_of(rule.requires_all, id, false);
  if (condition != nullptr && condition->about == About::observation)
    return fmt::format("{} ends in {}, as it may, but {}", call, result, fact);
  return fmt::format("{} must not end in {}: {}", call, result, fact);
}

std::string file_name(const PlainRule& rule, const std::string& what, const std::string& dialect) {
  const std::string prefix = dialect == kDialects[0] ? "" : dialect + "-";
  const std::string name = prefix + rule.name;
  if (what == "taken") return name + "-taken";
  const auto id = what.substr(what.find(' ') + 1);
  if (what.starts_with("because")) return name + "-because-" + id;
  if (id == kBytesAsPredicted.id) return name + "-wrong-bytes";
  if (id == kNothingForbids.id) return name + "-for-nothing";
  const auto plus = id.find('+');
  if (plus != std::string::npos) return name + "-for-nothing-" + id.substr(plus + 1);
  return name + "-not-" + id;
}

std::string without_usual_capabilities(std::string text) {
  const Trace usual;
  const std::string printed = print_trace(usual);
  const std::string line = printed.substr(printed.find("given"));
  if (const auto at = text.find(line); at != std::string::npos) text.erase(at, line.size());
  return text;
}

}  // namespace

Scenario make_scenario(const Trace& witness, const std::string& item) {
  const Rulebook& book = *find_rulebook(witness.dialect);
  Trace trace = witness;
  const Trace judged = judge_trace(parse_trace(print_trace(trace), ""), book, "");
  const Step& last = judged.steps.back();
  trace.steps.back().annotations = last.annotations;
  const PlainRule& rule = *book.find(last.annotations.front().rule);
  const std::size_t start =
      item.starts_with(witness.dialect + " ") ? witness.dialect.size() + 1 : 0;
  const std::string what = item.substr(item.find(' ', start) + 1);
  const Oracle oracle = oracle_before(judged, book, judged.steps.size() - 1);
  auto words = words_for(rule, what, last, {oracle.state(), last.call, last.result}, book);
  trace.comments = {" " + words + "."};
  const std::string folder(kVerbNames.at(static_cast<std::size_t>(last.call.verb)));
  return {folder + "/" + file_name(rule, what, witness.dialect) + ".mrt",
          without_usual_capabilities(print_trace(trace))};
}

}  // namespace mrproof
