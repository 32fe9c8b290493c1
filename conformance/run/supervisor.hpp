// The supervisor: outlives its workers, attributes what kills them to a step, and goes on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/run/host.hpp"
#include "conformance/run/journal.hpp"
#include "conformance/run/tally.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {

/// Limits of a run.
struct SupervisorOptions {
  std::string out;               ///< report folder, existing; empty: no files are written
  double seconds = 0;            ///< end the run after so long, by the worker's clock; 0: no limit
  std::uint64_t first_case = 0;  ///< of the plan: those before are over
  /// Longest time without a sign of life from a step before it counts as a hang; the same clock.
  double step_limit = 120;
  bool fresh = false;               ///< each case runs in a machine of its own
  std::string prefix = {};          ///< of the names of its files in the report folder
  std::uint64_t numbered_from = 0;  ///< in the journal: the plan's first case
};

/// Runs a plan to its end in one host after another.
class Supervisor {
 public:
  /// Called now and then, for a progress line.
  using Progress = std::function<void(const Tally&, const property_tests::Plan&)>;
  /// Called for each finished step of a replay.
  using Watch = std::function<void(const model::Step&, const Record&)>;

  Supervisor(SupervisorOptions options, property_tests::Plan plan, Channel& channel, Host& host,
             Tally& tally, Journal& journal);

  /// Returns when every case is over, the time is up, or a stop was requested (stop.hpp). Throws
  /// ToolError when the run cannot go on; the tally then holds what was done.
  void run();
  void on_progress(Progress progress) { progress_ = std::move(progress); }
  void on_step(Watch watch) { watch_ = std::move(watch); }
  /// Called once, when the first worker has opened its device.
  void on_begin(std::function<void()> begin) { begin_ = std::move(begin); }
  /// The plan as it is for the device, once a worker has opened that (fit_series()).
  [[nodiscard]] const property_tests::Plan& plan() const { return plan_; }
  /// The calls of the last case, as they were seen.
  [[nodiscard]] const model::Trace& last_case() const { return case_; }
  /// Seconds that the workers took, by their clock.
  [[nodiscard]] double taken() const { return taken_; }
  /// Whether it was ended before its plan was done.
  [[nodiscard]] bool cut_short() const { return cut_short_; }

 private:
  [[nodiscard]] property_tests::Plan only_next() const;
  void start_worker();
  void follow_worker();
  bool drain();
  void take(Record&& record);
  void end_step(Record&& record);
  void worker_ended(const Ended& ended);
  [[nodiscard]] std::optional<model::DeviationName> trouble_of_last_step() const;
  void add_incident(model::Verdict verdict, const std::string& text,
                    const std::optional<model::DeviationName>& known_as = {});
  void add_complaint(const Record& record);
  void interrupted(const Ended& ended);
  [[nodiscard]] std::string write_trace(const std::string& name, const std::string& note,
                                        model::Trace trace) const;

  SupervisorOptions options_;
  property_tests::Plan plan_;
  Channel& channel_;
  Host& host_;
  Tally& tally_;
  Journal& journal_;
  Progress progress_;
  Watch watch_;
  std::function<void()> begin_;  ///< till it was called

  std::vector<std::byte> bytes_;
  std::uint64_t next_case_ = 0;  ///< that a new worker would begin with
  bool in_case_ = false;
  std::string case_name_;
  model::Trace case_;       ///< steps of the current case
  model::Trace before_;     ///< of the case before
  bool open_step_ = false;  ///< its last step has begun and not ended
  bool done_ = false;
  bool shown_ = false;     ///< what the plan is to go on until
  bool finished_ = false;  ///< the worker has done what it was asked
  bool cut_short_ = false;
  std::string failure_;
  int interruptions_ = 0;
  std::map<std::string, int> deaths_;  ///< by verb, of calls of which nothing else is known
  double taken_ = 0;  ///< seconds, by the workers that ended
};

}  // namespace mrproof::conformance
