// What a run is to do, as the supervisor hands it to a worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace/tool_error.hpp"
#include "property-tests/walk/walk.hpp"

namespace mrproof::property_tests {

/// A trace whose calls are a case of their own; its results do not matter.
struct Scenario {
  std::string name;  ///< "scenario/dereg_mr/ok-not-no_bound_window"
  std::string text;
  /// Whether calls that are known to kill are made all the same: it is the trace of such a finding.
  bool deliberate = false;
  bool finding = false;  ///< whether it is the trace of a finding: it is replayed as it stands
  bool keeps_memory = false;  ///< it was seen that the kernel does: looked for without leak_rounds
  /// Calls that may not be made, that kill, or that take long are left out one by one, and a walk
  /// goes on from where they end. No text: there are no others.
  bool led = false;
  std::uint64_t walk_steps = 0;
  std::uint64_t walk_seed = 0;
  unsigned walk_wrong_percent = 0;  ///< WalkOptions::wrong_percent
  /// Of a race that was seen in a guest, made so often, to show this. Not for workers.
  struct Race {
    model::GuestSetup guest;
    std::uint64_t rounds = 1;
    model::Annotation shows;
  };
  std::optional<Race> race = {};
};

/// Cases that are made where they are run, from a few words and the same each time (series.hpp).
struct CaseSeries {
  enum class Kind : std::uint8_t { tours, array, overlap };
  Kind kind = Kind::tours;
  std::string name;  ///< "tour/windows"; its cases are "tour/windows/0001" and so on
  std::uint64_t cases = 0;
  std::string scope = {};    ///< of tours: the scope's text
  std::uint32_t slower = 1;  ///< of calls that overlap: slowed_by() the wire
};

/// A list of cases: scenarios, then series, then walks. A walk of `steps` steps is cut into cases
/// of `case_steps`, each with a state of its own, so that a deviation or a crash ends one case and
/// not the run.
struct Plan {
  std::string device;  ///< libibverbs name, or "sim[:FAULT]"; empty: the only device
  std::string dialect = "linux";
  std::uint64_t seed = 1;       ///< of the first walk
  std::uint64_t seeds = 1;      ///< how many walks
  std::uint64_t steps = 20000;  ///< of all walks together
  std::uint64_t case_steps = 200;
  WalkOptions walk;
  /// Whether requests are made that nobody answers: each costs a real device seconds of retries.
  bool patient = true;
  /// Whether the device gives up on peers and completions after tenths of seconds: for trials of
  /// what hangs, since each takes as long as that.
  bool brisk = false;
  /// Device::read_after_connect(), except in findings' traces.
  bool read_after_connect = false;
  std::vector<Scenario> scenarios;
  std::vector<CaseSeries> series;
  std::uint64_t shard = 0;  ///< only every `shards`-th case is run, from this one on
  std::uint64_t shards = 1;
  std::vector<std::string> traces;  ///< not empty: texts of traces to replay, instead of walks
  std::uint64_t rounds = 1;         ///< so often each of them is replayed, in turn
  std::string trace_file;           ///< their name, for messages
  /// Not 0: the calls of each scenario are made so often again, twice, and what the kernel has
  /// allocated is counted before and after.
  std::uint64_t leak_rounds = 0;
  /// Set: the run is over when this has been shown, and a trace ends at a call that may not be
  /// made. The worker stays for the next such run, which saves most of the time of a short one.
  std::optional<model::Annotation> until;
  bool lossless = false;      ///< model::kLossless of the machine
  bool more_to_come = false;  ///< the worker stays for the next plan, likewise

  [[nodiscard]] bool is_replay() const { return !traces.empty(); }
  [[nodiscard]] std::uint64_t steps_per_seed() const { return (steps + seeds - 1) / seeds; }
  [[nodiscard]] std::uint64_t cases_per_seed() const;
  [[nodiscard]] std::uint64_t cases() const;
  /// Whether the case belongs to the plan's shard.
  [[nodiscard]] bool selects(std::uint64_t index) const { return index % shards == shard; }
  /// The first selected case from `index` on; cases() if there is none.
  [[nodiscard]] std::uint64_t next_selected(std::uint64_t index) const;
  /// How many cases the shard has.
  [[nodiscard]] std::uint64_t selected() const;
  [[nodiscard]] bool is_scenario(std::uint64_t index) const { return index < scenarios.size(); }
  /// A case of a series: which one of which.
  struct InSeries {
    std::size_t series = 0;
    std::uint64_t number = 0;  ///< from 0
  };
  /// Nothing if the case is a scenario, or part of a walk.
  [[nodiscard]] std::optional<InSeries> in_series(std::uint64_t index) const;
  /// "scenario/...", "tour/windows/0017", "walk/seed-3/case-17", or the trace's name.
  [[nodiscard]] std::string case_name(std::uint64_t index) const;
  /// Steps of that case of a walk.
  [[nodiscard]] std::uint64_t case_length(std::uint64_t index) const;
  /// What the case's own random numbers start from.
  [[nodiscard]] std::uint64_t case_seed(std::uint64_t index) const;

 private:
  [[nodiscard]] std::uint64_t before_walks() const;
};

/// What a run was begun with, as a JSON object with options for keys: a run may be gone on with by
/// the same only. Scenarios, tours and what is expected stand there as digests.
std::string print_begun_with(const Plan& plan, const std::string& target);
/// The request to one worker: the plan, and which case to begin with.
std::string print_request(const Plan& plan, std::uint64_t first_case);
/// Reads it back. Throws ToolError.
Plan parse_request(const std::string& text, std::uint64_t& first_case);

}  // namespace mrproof::property_tests
