#include "model/oracle/judge_trace.hpp"

namespace mrproof::model {

Trace judge_trace(
    const Trace& trace, const Rulebook& book, const std::string& file, const Explain& explain) {
  Trace judged = trace;
  judged.steps.clear();
  RecordedCase recorded(trace, book, RecordedCase::Keys::given);
  while (Step* step = recorded.next()) {
    if (!recorded.has_result())
      recorded.fail(file, "the step has no result; write '-> ok', or use replay");
    recorded.check_callable(file);
    const Judgement judgement = recorded.judge();
    step->annotations = {annotate(judgement, *step)};
    step->remarks.clear();
    if (explain && judgement.verdict == Verdict::deviates)
      step->remarks = explain(recorded.oracle(), *step, judgement);
    judged.steps.push_back(std::move(*step));
    if (judgement.verdict == Verdict::deviates || judgement.verdict == Verdict::hang) break;
  }
  return judged;
}

}  // namespace mrproof::model
