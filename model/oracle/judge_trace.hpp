// Judging a trace's recorded observations, without a device.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/oracle/oracle.hpp"

namespace mrproof::model {

/// Memory as the trace tells it: what is predicted, but for the differences that the step records.
class RecordedMemory : public MemorySource {
 public:
  explicit RecordedMemory(const Step& step) : recorded_(step.bytes) {}
  void differences(const Memory& expected, std::vector<ByteRun>& runs) override;

 private:
  std::vector<ByteRun> recorded_;
};

/// Gives keys to the successes of a trace that tell none, always the same to the same trace.
class KeyGiver {
 public:
  explicit KeyGiver(const Trace& trace);
  /// The step's own keys must be resolved.
  void give(Step& step, const State<Plain>& state);

 private:
  Plain::Key fresh();
  std::vector<std::uint64_t> told_;
  std::uint64_t next_ = 1;
};

/// Says of a step that the oracle just called deviating, for people, why it does; or nothing.
using Explain =
    std::function<std::vector<std::string>(const Oracle&, const Step&, const Judgement&)>;

/// Judges every step against its recorded result, up to and including the first that deviates or
/// hangs, and replaces the annotations by the oracle's. Successes that should tell keys and do not
/// get some. Throws TraceError when a step has no result or may not be made; `file` is named in
/// errors. `explain` writes the remarks.
Trace judge_trace(
    const Trace& trace, const Rulebook& book, const std::string& file, const Explain& explain = {});

/// The oracle as it stood before step `count` of a recorded trace (0: before the first), as far as
/// the record tells.
Oracle oracle_before(const Trace& trace, const Rulebook& book, std::size_t count);

}  // namespace mrproof::model
