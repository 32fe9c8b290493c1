// Trials through the supervisor: for devices that may kill the worker, or the machine around it.
#pragma once

#include <chrono>
#include <optional>

#include "conformance/run/environment.hpp"
#include "conformance/session/session.hpp"
#include "property-tests/shrink/trials.hpp"

namespace mrproof::conformance {

/// Tries in workers, one for each list of candidates and one more after each that kills it; in a
/// virtual machine, which boots again when its kernel cannot be trusted any more.
class SupervisedTrials final : public property_tests::Trials {
 public:
  /// Of the options: target, kernel arguments, limits, and the file of expectations, whose troubles
  /// are avoided as avoid() says. Of the plan: device and dialect.
  SupervisedTrials(const SessionOptions& options, property_tests::Plan plan);
  /// The same in an environment that was made before, and outlives this object.
  SupervisedTrials(const SessionOptions& options, property_tests::Plan plan,
                   const TestEnvironment& environment);
  /// From now on trials end with a ToolError after so many seconds; 0: they have the time they
  /// need.
  void limit(double seconds);
  std::optional<model::Trace> first_showing(std::span<const model::Trace> candidates,
                                            const model::Annotation& wanted) override;
  /// From now on candidates end at calls that are known to hang, to crash or to make the kernel
  /// complain by these incidents, as they do by those of the trials: each costs a boot. Not where
  /// the first trace that shows what is wanted makes such calls itself.
  void avoid(const std::vector<Incident>& incidents);
  /// From now on what hangs is waited for as long as a run waits; before, as long as a quick
  /// machine needs (Plan::brisk).
  void be_patient() { brisk_ = false; }
  /// Whether candidates ended early, before calls that are known to kill or that nobody answers,
  /// since something new was looked for.
  [[nodiscard]] bool left_out() const { return left_out_; }
  /// The first deviation or trouble that the trace of this text shows, whatever it is. Errors name
  /// the lines of the text.
  std::optional<model::Annotation> first_trouble(const std::string& text);
  /// Who was tried, once something was.
  [[nodiscard]] const impl::Description& device() const { return device_; }

 private:
  void avoid_known();
  void run(Tally& tally);
  void look_for(const model::Annotation& wanted);
  void spare(const model::Trace& seen);
  [[nodiscard]] Tally empty_tally() const;
  SessionOptions options_;
  property_tests::Plan plan_;
  std::optional<Folder> folder_;  ///< of an environment of its own
  std::optional<TestEnvironment> own_environment_;
  const TestEnvironment& environment_;
  std::optional<std::chrono::steady_clock::time_point> end_;
  impl::Description device_;
  std::vector<model::DeviationName> known_;  ///< all troubles met
  bool brisk_ = true;
  bool left_out_ = false;
  bool first_ = true;  ///< nothing has shown what is wanted yet
};

}  // namespace mrproof::conformance
