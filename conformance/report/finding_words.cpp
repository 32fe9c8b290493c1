#include "conformance/report/finding_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/trace/notation.hpp"
#include "specs/citations.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

std::string names_of(const std::vector<Outcome>& outcomes, Verb verb) {
  std::string names;
  for (const Outcome outcome : outcomes)
    names += fmt::format("{}{}", names.empty() ? "" : ", ",
                         model::print_outcome(outcome, is_transfer(verb)));
  return names;
}

/// The conditions that the finding names.
std::vector<const PlainCondition*> broken_conditions(const Evidence& evidence) {
  std::vector<const PlainCondition*> broken;
  for (const auto* condition : evidence.book->conditions())
    if (evidence.finding().broken.contains(condition->id)) broken.push_back(condition);
  return broken;
}

/// The clauses behind a condition and, where it says what else is allowed, behind a rule.
std::string clauses_of(const PlainRule& rule) {
  std::string ids;
  for (const auto& term : rule.requires_all)
    if (term.condition->about == About::situation)
      (ids += ids.empty() ? "" : " ") += term.condition->clauses;
  return ids;
}

/// Keys that nobody saw stand in the evidence so that the oracle can follow; they are not told.
void forget_made_up_keys(model::Step& step) {
  if (!step.keys_seen) step.result.lkey = step.result.rkey = Plain::key(0);
}

/// How comments begin that say who was tested: in traces of runs, in those of FINDINGS.md.
constexpr std::string_view kTargetMark = " device ";
constexpr std::string_view kSeenMark = " seen on: ";

}  // namespace

std::string finding_title(const Evidence& evidence) {
  const model::Step& step = evidence.decisive();
  const Verb verb = step.call.verb;
  const auto& a = evidence.finding();
  const std::string name(kVerbNames.at(static_cast<std::size_t>(verb)));
  const auto allowed = names_of(evidence.allowed(), verb);
  switch (a.verdict) {
    case Verdict::crash: return name + " kills the process or the kernel";
    case Verdict::hang: return name + " does not end; allowed here: " + allowed;
    case Verdict::kernel_warning: return name + " makes the kernel complain";
    case Verdict::deviates: break;
    default: return name + " conforms";
  }
  if (a.kind == DeviationClass::bytes)
    return name + " leaves bytes in memory that should not be there";
  const bool done = step.result.outcome == Outcome::ok;
  const auto seen =
      done ? "succeeds"
      : step.result.outcome == Outcome::refused
          ? "is refused"
          : fmt::format("ends in {}", model::print_outcome(step.result.outcome, true));
  if (a.kind != DeviationClass::detail)
    return fmt::format("{} {}; allowed here: {}", name, seen, allowed);
  std::string but;
  for (const auto* condition : broken_conditions(evidence))
    if (but.empty()) but = condition->sentence;
  return fmt::format("{} {}, rightly, but not so that {}", name, seen, but);
}

std::vector<std::string> finding_reasons(const Evidence& evidence) {
  const auto& remarks = evidence.decisive().remarks;
  if (!remarks.empty() || !evidence.is_deviation()) return remarks;
  std::vector<std::string> lines{"allowed here: " +
                                 names_of(evidence.allowed(), evidence.decisive().call.verb)};
  for (const auto* condition : broken_conditions(evidence))
    lines.push_back(fmt::format("{}: {} [{}]", condition->id, condition->sentence,
                                specs::cite(condition->clauses, evidence.book->dialect())));
  return lines;
}

bool is_provenance(std::string_view reason) {
  if (reason.starts_with("right would be")) return true;
  for (const std::string_view object : {"pd", "mr", "mw", "qp", "buf"})
    if (reason.starts_with(object) && reason.find(':') == object.size() + 1) return true;
  return false;
}

std::vector<FindingClause> finding_clauses(const Evidence& evidence) {
  std::vector<FindingClause> clauses;
  for (const auto* condition : broken_conditions(evidence)) {
    if (condition->about == About::circumstance) continue;
    for (const auto* clause : specs::cited(condition->clauses, evidence.book->dialect())) {
      const auto known = [&](const auto& one) { return one.text == clause->text; };
      if (std::none_of(clauses.begin(), clauses.end(), known))
        clauses.push_back({specs::citation(*clause), clause->text});
    }
  }
  return clauses;
}

std::string finding_target(const Evidence& evidence) {
  for (const auto& comment : evidence.trace.comments)
    if (comment.starts_with(kTargetMark))
      return comment.substr(1);
    else if (comment.starts_with(kSeenMark))
      return comment.substr(kSeenMark.size());
  return "";
}

std::string finding_story(const Evidence& evidence) {
  std::string story;
  for (const auto& comment : evidence.trace.comments)
    if (!comment.starts_with(kTargetMark) && !comment.starts_with(kSeenMark)) story += comment;
  return story.empty() ? story : story.substr(story.find_first_not_of(' '));
}

bool tells_keys(const Evidence& evidence) {
  const auto& steps = evidence.trace.steps;
  return std::all_of(steps.begin(), steps.end(), [](const model::Step& step) {
    return step.keys_seen || !model::tells_keys(step.call.verb, step.result);
  });
}

model::Trace told_trace(const Evidence& evidence) {
  model::Trace trace = evidence.trace;
  for (model::Step& step : trace.steps) forget_made_up_keys(step);
  return trace;
}

model::Trace annotated_trace(const Evidence& evidence) {
  model::Trace trace = evidence.trace;
  const auto irrelevant = irrelevant_values(evidence);
  StateCursor states(evidence);
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    model::Step& step = trace.steps.at(i);
    const bool decisive = i + 1 == trace.steps.size();
    const PlainRule* rule = evidence.book->find(step.annotations.front().rule);
    forget_made_up_keys(step);
    if (decisive) step.remarks = finding_reasons(evidence);
    if (!decisive && step.remarks.empty() && rule != nullptr) {
      auto also = open_rules(*evidence.book, states.before(i), step.call);
      std::vector<Outcome> others;
      for (const auto* open : also)
        if (open->weight == Weight::verdict && open->outcome != step.result.outcome &&
            std::find(others.begin(), others.end(), open->outcome) == others.end())
          others.push_back(open->outcome);
      if (!others.empty())
        step.remarks.push_back("also allowed here: " + names_of(others, step.call.verb));
      if (const auto by = specs::cite(clauses_of(*rule), evidence.book->dialect()); !by.empty())
        step.remarks.push_back("by: " + by);
    }
    std::string values;
    for (const auto& value : irrelevant.at(i)) values += (values.empty() ? "" : ", ") + value;
    if (!values.empty()) step.remarks.push_back("does not matter: " + values);
  }
  return trace;
}

}  // namespace mrproof::conformance
