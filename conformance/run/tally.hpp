// What a run has found so far.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/run/wire.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {

/// What shrinking the trace of a finding or an incident came to.
struct ShrunkTrace {
  std::string file;     ///< name within the report folder; empty: there is none
  std::string folder;   ///< the bug report made from it, within the report folder
  std::string outcome;  ///< a line: what is known of shorter traces, or why there is none
  model::Trace trace;   ///< as it was seen
  std::uint64_t tried = 0;
  double seconds = 0;  ///< until all of that was written, boots included
};

/// A deviation of one name, however often it was seen.
struct Finding {
  model::Annotation name;
  std::uint64_t count = 0;
  std::uint64_t by_other = 0;  ///< so often of these by calls of process 1, of two
  std::string case_name;       ///< where it was seen first
  std::uint64_t step = 0;  ///< its place in that case, from 0
  std::string call;        ///< the step
  std::string result;
  std::vector<std::string> remarks;
  std::string trace_file;       ///< name within the report folder
  std::string expected_reason;  ///< from the expectation file; empty: unexpected
  bool flaky = false;           ///< unexpected, and its calls made again did not show it
  model::Trace trace;           ///< the case up to and including the step
  std::optional<ShrunkTrace> shrunk;

  /// Whether the device has to answer for it.
  [[nodiscard]] bool counts() const { return expected_reason.empty() && !flaky; }
};

/// What the trace of a run's finding of that number, from 1, is called.
std::string trace_name(std::size_t number, const model::DeviationName& finding);

/// A crash, a hang or a warning of the kernel; or, with verdict inconclusive, an interruption
/// that is not the device's doing, after which the case was repeated.
struct Incident {
  model::Verdict verdict = model::Verdict::crash;
  std::string case_name;
  std::uint64_t step = 0;
  std::string call;                          ///< the step that was being made; empty: none was
  std::optional<model::DeviationName> name;  ///< nothing where the state is not known
  std::string text;
  std::string trace_file;
  std::string expected_reason;  ///< from the expectation file; empty: unexpected
  model::Trace trace;           ///< the case up to and including the step
  std::optional<ShrunkTrace> shrunk;

  /// Its name as traces have it; nothing if it has none.
  [[nodiscard]] std::optional<model::Annotation> annotation() const;
  /// Its name as files of expectations have it, "send.none/none/receive_posted"; empty if it has
  /// none.
  [[nodiscard]] std::string name_text() const { return name ? model::print_name(*name) : ""; }
  /// What a case that met it is said to have seen.
  [[nodiscard]] std::string case_entry() const;
  /// Whether the device has to answer for it.
  [[nodiscard]] bool counts() const {
    return verdict != model::Verdict::inconclusive && expected_reason.empty();
  }
  /// Whether it is the trouble that the annotation names.
  [[nodiscard]] bool is(const model::Annotation& a) const { return annotation() == a; }
};

/// How a case of the plan ended.
struct CaseOutcome {
  std::string name;
  std::array<std::uint32_t, model::kVerdicts> counts{};  ///< steps by verdict
  std::vector<std::string> seen;  ///< deviations and incidents by name, each once
  bool expected = false;          ///< all that was seen is known
  std::string skip_reason;        ///< not empty: it was not run
  bool planned = false;           ///< skipped by the worker, for what the device lacks
  bool over_wire = false;         ///< packets may have got lost on their way

  /// The worst that was seen in it. Inconclusive where more than a few steps were, and nothing
  /// worse; unsupported where no step conforms.
  [[nodiscard]] model::Verdict verdict() const;
};

/// What the device did where the rules leave it free: a rule taken beside which another one was
/// open, or the error of a refusal.
struct Choice {
  std::string rule;
  std::string answer;  ///< "refused EINVAL"; empty unless refused
  std::uint64_t times = 0;
  std::string case_name;  ///< of the case that came to it in the fewest steps
  std::uint64_t step = 0;
  std::string call;
};

/// Sums over all steps. Knows nothing of files or processes.
struct Tally {
  explicit Tally(const model::Rulebook& rulebook)
      : book(&rulebook), judged(rulebook.rules().size()) {}

  /// From now on steps and incidents are of the case; one that is repeated begins anew.
  void begin_case(const std::string& name);
  /// Counts a finished step of the case; returns the finding if this was its first time.
  Finding* add(const Record& end, const model::Step& step, const std::string& case_name);
  /// Keeps the incident.
  void add(const Incident& incident);
  /// Adds what others found in other cases of the plan. All is in the plan's order then, which
  /// `place` gives by a case's name; of findings of one name the first stays.
  void add(const Tally& other, const std::map<std::string, std::uint64_t>& place);
  /// Counts a finished case; one that was skipped (`text` says why) as such.
  void add_case(const Record& end);
  [[nodiscard]] std::uint64_t count(model::Verdict verdict) const {
    return counts.at(static_cast<std::size_t>(verdict));
  }
  /// Whether a worker has opened the device: what it can do is known.
  [[nodiscard]] bool knows_device() const { return !device.device.empty(); }
  /// Whether anything was seen that the device has to answer for and nobody expected.
  [[nodiscard]] bool has_unexpected() const;
  /// Steps a second, all costs included.
  [[nodiscard]] double steps_per_second() const;
  /// Steps a second over the time in which no queue pair was rebuilt and no case set up.
  [[nodiscard]] double undisturbed_steps_per_second() const;
  /// Share of the cases' time that was spent inside the implementation's calls, those that set a
  /// case up included.
  [[nodiscard]] double inside_share() const;

  const model::Rulebook* book;
  impl::Description device;
  model::Capabilities<model::Plain> can;
  std::uint64_t steps = 0;
  std::uint64_t left_out = 0;  ///< cases that ended before a call that is not made
  std::uint64_t cases = 0;
  std::array<std::uint64_t, model::kVerdicts> counts{};
  std::vector<std::uint64_t> judged;  ///< by rule
  std::vector<Finding> findings;
  std::vector<Incident> incidents;
  std::vector<CaseOutcome> outcomes;
  /// By place of the rule and answer.
  std::map<std::pair<std::uint16_t, std::string>, Choice> choices;

 private:
  void choose(const Record& end, const model::Step& step, const std::string& case_name);
  void add_findings(const Tally& other, const std::map<std::string, std::uint64_t>& place);
  void note(model::Verdict verdict, const std::string& name);

  std::uint64_t inside_ns_ = 0;
  std::uint64_t case_ns_ = 0;
  std::uint64_t reset_ns_ = 0;
  std::uint64_t rebuilt_ns_ = 0;
  std::uint64_t rebuilt_ = 0;
};

/// Marks the unexpected findings that `again` has not met, although a case of the finding's name
/// made all of its calls, every one of them as the rules have it.
void mark_flaky(Tally& tally, const Tally& again);

}  // namespace mrproof::conformance
