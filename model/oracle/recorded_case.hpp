// A case that was recorded, followed step after step without a device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/oracle/oracle.hpp"

namespace mrproof::model {

/// Memory as a trace tells it: what is predicted, but for the differences that the step records.
class RecordedMemory : public MemorySource {
 public:
  /// Takes the step's bytes away, so that the oracle can put those in that differ.
  explicit RecordedMemory(Step& step) : recorded_(std::exchange(step.bytes, {})) {}
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

/// Follows a trace by what it records:
///
///     for (RecordedCase recorded(trace, book); Step* step = recorded.next();) recorded.judge();
///
/// Where to end is the caller's to say: at the first deviation, where the oracle is lost, or never.
class RecordedCase {
 public:
  /// Of successes that tell no keys: whether they have those that stand in the steps (of a trace
  /// that was judged, or a run's own), or are given some (of a trace that somebody wrote).
  enum class Keys : std::uint8_t { recorded, given };

  /// Both have to outlive this object.
  RecordedCase(const Trace& trace, const Rulebook& book, Keys keys = Keys::recorded);

  /// A copy of the next step, its keys resolved, which may be changed until it is judged; null
  /// after the last one. The oracle is in the state before it.
  Step* next();
  /// Whether there is something to judge the step by. What the program does by itself has no
  /// result.
  [[nodiscard]] bool has_result() const;
  /// Throws TraceError if the call may not be made; `file` is named in it.
  void check_callable(const std::string& file) const;
  /// Throws TraceError of the step.
  [[noreturn]] void fail(const std::string& file, const std::string& what) const;
  /// Judges the step by what the record says of it; the oracle moves on.
  Judgement judge();

  [[nodiscard]] const Oracle& oracle() const { return oracle_; }

 private:
  const std::vector<Step>& steps_;
  std::size_t count_ = 0;  ///< how many steps next() has given
  Step step_;
  Oracle oracle_;
  std::optional<KeyGiver> keys_;
};

/// The oracle as it stood before step `count` of a recorded trace (0: before the first), as far as
/// the record tells.
Oracle oracle_before(const Trace& trace, const Rulebook& book, std::size_t count);

}  // namespace mrproof::model
