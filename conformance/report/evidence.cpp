#include "conformance/report/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/oracle/synthesize.hpp"
#include "specs/explain/explain_deviation.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

bool is_trouble(Verdict verdict) {
  return verdict == Verdict::deviates || verdict == Verdict::crash || verdict == Verdict::hang ||
         verdict == Verdict::kernel_warning;
}

/// The annotation that says what the oracle cannot know: that the step's process or kernel died or
/// gave no sign of life, or that the kernel complained. Null if there is none.
const model::Annotation* told_from_outside(const model::Step& step) {
  for (const auto& a : step.annotations) {
    const bool silent = a.verdict == Verdict::hang && !step.observed;
    if (a.verdict == Verdict::crash || a.verdict == Verdict::kernel_warning || silent) return &a;
  }
  return nullptr;
}

/// The annotation that tells of wrong bytes, which a trace need not show itself. Null if none does.
const model::Annotation* told_of_bytes(const model::Step& step) {
  for (const auto& a : step.annotations)
    if (a.verdict == Verdict::deviates && a.kind == DeviationClass::bytes) return &a;
  return nullptr;
}

/// How many steps there are up to the last one that the trace calls trouble; all if none is.
std::size_t count_told(const model::Trace& trace) {
  for (std::size_t i = trace.steps.size(); i > 0; --i) {
    const auto& all = trace.steps[i - 1].annotations;
    if (std::any_of(all.begin(), all.end(), [](const auto& a) { return is_trouble(a.verdict); }))
      return i;
  }
  return trace.steps.size();
}

/// Whether one of the rules says of the device that the outcome conforms.
bool allow(const std::vector<const PlainRule*>& rules, Outcome outcome) {
  return std::any_of(rules.begin(), rules.end(), [&](const PlainRule* rule) {
    return rule->outcome == outcome && rule->weight == Weight::verdict;
  });
}

/// Follows the trace, step after step.
class Reader {
 public:
  Reader(const model::Trace& trace, const Rulebook& book, const std::string& file)
      : file_(&file), recorded_(trace, book, model::RecordedCase::Keys::given) {
    evidence_.trace = trace;
    evidence_.trace.steps.clear();
    evidence_.book = &book;
  }

  /// Takes the next step in; false if it is the decisive one.
  bool take(bool last) {
    model::Step& step = *recorded_.next();
    const model::Annotation* const told = told_from_outside(step);
    const auto from_outside = told == nullptr ? model::Annotation{} : *told;
    const model::Annotation* const bytes = told_of_bytes(step);
    const auto of_bytes = bytes == nullptr ? model::Annotation{} : *bytes;
    const bool ended =
        from_outside.verdict != Verdict::crash && from_outside.verdict != Verdict::hang;
    if (!recorded_.has_result() && ended)
      recorded_.fail(
          *file_, "the step has no result; replay the trace on a device first, or write '-> ok'");
    recorded_.check_callable(*file_);
    bool goes_on = recorded_.has_result() && judge(step, last);
    if (from_outside.verdict != Verdict::conforms) step.annotations = {from_outside};
    if (goes_on && of_bytes.rule == step.annotations.front().rule) {
      step.annotations = {of_bytes};
      goes_on = !last;
    }
    evidence_.trace.steps.push_back(step);
    return goes_on && from_outside.verdict == Verdict::conforms;
  }

  Evidence finish() {
    const auto before =
        model::oracle_before(evidence_.trace, *evidence_.book, evidence_.trace.steps.size() - 1);
    evidence_.state = before.state();
    evidence_.memory = before.memory();
    const auto carried = before.carried_to(evidence_.decisive().call);
    evidence_.carried.assign(carried.begin(), carried.end());
    const model::Step& step = evidence_.decisive();
    auto& memory = evidence_.memory;
    const auto& call = step.call;
    if (call.verb == Verb::fill) memory.fill(call.address.value(), call.length.value(), call.seed);
    if (call.verb == Verb::protect)
      memory.protect(call.address.value(), call.length.value(), Protection{call.option});
    evidence_.open = open_rules(*evidence_.book, evidence_.state, call);
    const PlainRule* const seen = evidence_.book->find(evidence_.finding().rule);
    const bool moves = seen != nullptr && seen->transfer != nullptr;
    if (moves) evidence_.due = seen->transfer(evidence_.view());
    const bool now = !moves || evidence_.allows(seen->outcome);
    if (call.part == Part::completion)
      before.flight().each_moment(call.label, [&](const State<Plain>& state) {
        const auto open = open_rules(*evidence_.book, state, call);
        evidence_.meanwhile.insert(evidence_.meanwhile.end(), open.begin(), open.end());
        if (!now && allow(open, seen->outcome))
          evidence_.due = seen->transfer({state, call, step.result});
      });
    return std::move(evidence_);
  }

 private:
  /// Judges the observed step; whether the state after it is known.
  bool judge(model::Step& step, bool last) {
    const Judgement judgement = recorded_.judge();
    const model::Oracle& oracle = recorded_.oracle();
    step.annotations = {model::annotate(judgement, step)};
    step.remarks.clear();
    if (is_trouble(judgement.verdict)) {
      step.remarks = specs::explain_deviation(oracle, step, judgement);
      if (last || oracle.lost()) return false;
    }
    return true;
  }

  const std::string* file_;
  model::RecordedCase recorded_;
  Evidence evidence_;
};

/// Whether the trace itself calls a step trouble.
bool tells_trouble(const model::Trace& trace) {
  return std::any_of(trace.steps.begin(), trace.steps.end(), [](const model::Step& step) {
    return std::any_of(step.annotations.begin(), step.annotations.end(),
                       [](const auto& a) { return is_trouble(a.verdict); });
  });
}

}  // namespace

bool Evidence::is_deviation() const { return is_trouble(finding().verdict); }

bool Evidence::allows(Outcome outcome) const {
  return allow(open, outcome) || allow(meanwhile, outcome);
}

std::vector<Outcome> Evidence::allowed() const {
  std::vector<Outcome> all;
  for (std::size_t i = 0; i < kOutcomes; ++i)
    if (allows(static_cast<Outcome>(i))) all.push_back(static_cast<Outcome>(i));
  return all;
}

Evidence gather_evidence(const model::Trace& trace, const Rulebook& book, const std::string& file) {
  if (trace.steps.empty())
    throw model::TraceError(file + ":1:1: the trace has no steps; write some");
  Reader reader(trace, book, file);
  const std::size_t count = count_told(trace);
  const bool told = tells_trouble(trace);
  for (std::size_t i = 0; i < count; ++i)
    // Where the trace names nothing, the first deviation is the one that it is about.
    if (!reader.take(!told || i + 1 == count)) break;
  return reader.finish();
}

const State<Plain>& StateCursor::before(std::size_t index) {
  if (!followed_ || index < count_) {
    followed_.emplace(evidence_.trace, *evidence_.book);
    count_ = 0;
  }
  for (; count_ < index && followed_->next() != nullptr; ++count_) followed_->judge();
  return followed_->oracle().state();
}

std::vector<const PlainRule*> open_rules(const Rulebook& book, const State<Plain>& state,
                                         const Call<Plain>& call) {
  std::vector<const PlainRule*> open;
  for (const PlainRule* rule : book.rules())
    if (rule->verb == call.verb && model::synthesize(*rule, state, call)) open.push_back(rule);
  return open;
}

}  // namespace mrproof::conformance
