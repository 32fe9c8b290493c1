// Measures finding and shrinking: each seeded fault of the simulated device, by several walks.
//   shrink_table [--seeds 20] [--first-seed 1] [--jobs 2] [--fault ID]... [--out RESULTS.md]
//
// Exit status 0: all faults were found with all seeds, no allowed choice ever, and what they shrank
// to is as short and as much the same as it has to be; 1: not so; 2: it could not run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "impl/sim/sim_device.hpp"
#include "property-tests/faults/test_faults.hpp"
#include "property-tests/faults/test_jobs.hpp"
#include "property-tests/shrink/shrink.hpp"
#include "property-tests/walk/test_walk.hpp"

namespace mrproof::property_tests {
namespace {

/// Steps after which a walk gives up.
constexpr std::uint64_t kSteps = 40000;

struct Options {
  std::uint64_t seeds = 20;
  std::uint64_t first_seed = 1;
  unsigned jobs = 2;
  std::vector<std::string> faults;
  std::string out;
};

/// What all seeds of a fault came to.
struct Row {
  std::string fault;
  std::string deviation;  ///< as the oracle names it; empty: an allowed choice, nothing to find
  std::vector<std::uint64_t> operations;  ///< to the deviation, one for each seed that found it
  std::map<std::string, std::vector<std::uint64_t>> traces;  ///< shrunk: which seeds led there
  /// Of the one that is longest, measured by the bound of what its seed found.
  std::size_t steps = 0;
  std::size_t at_least = 0;  ///< the explorer's bound on the device
  std::size_t needed = 0;    ///< its bound by the model alone
  std::uint64_t tried = 0;   ///< candidates

  /// Keeps a shrunk trace.
  void add(const Shrunk& shrunk, std::uint64_t seed, const std::string& calls) {
    traces[calls].push_back(seed);
    tried += shrunk.tried;
    const auto length = shrunk.trace.steps.size();
    const auto& bound = shrunk.bound;
    if (std::pair(length - bound.steps, length) < std::pair(steps - at_least, steps)) return;
    steps = length;
    at_least = bound.steps;
    needed = bound.needed;
  }
  NLOHMANN_DEFINE_TYPE_INTRUSIVE(Row, fault, deviation, operations, traces, steps, at_least, needed,
                                 tried)
};

/// What a walk found of a fault.
struct Found {
  std::uint64_t operations = 0;  ///< to the first deviation that is the fault's, of whatever verb
  std::optional<model::Trace> trace;  ///< what is shrunk
};

/// How well the deviation fits: 3 is what is expected of the fault; 2, the same with a status that
/// is wrong for more reasons; 1, the same with another verb; 0 is something else.
int fits(const model::Annotation& a, const impl::FaultInfo& info) {
  if (info.expected.rule.empty()) return 3;  // nothing is expected: any is one too many
  const auto name = testing::finding_name(info.expected);
  if (testing::finding_name(a) != name) return 0;
  if (a.rule != info.expected.rule) return 1;
  return a.kind == model::DeviationClass::status ? 2 : 3;
}

/// A walk up to the deviation that fits best. As in a run, what was seen three times is avoided
/// from then on.
Found find(impl::Device& device, const impl::FaultInfo& info, std::uint64_t seed) {
  Plan plan = testing::plan_of(kSteps, seed);
  std::map<std::string, int> times;
  const auto look = [&](const model::Step& step, const model::Oracle& /*oracle*/) {
    const model::Annotation& a = step.annotations.front();
    if (a.verdict != model::Verdict::deviates) return;
    if (++times[model::print_annotation(a)] == 3) plan.walk.known.push_back(a);
  };
  Found found;
  int best = 0;
  std::uint64_t made = 0;
  for (std::uint64_t index = 0; index < plan.cases() && best < 3; ++index) {
    const model::Trace trace = testing::walk_case(device, plan, index, look, true);
    for (std::size_t i = 0; i < trace.steps.size() && best < 3; ++i) {
      ++made;
      const model::Annotation& a = trace.steps[i].annotations.front();
      const int fit = a.verdict == model::Verdict::deviates ? fits(a, info) : 0;
      if (fit <= best) continue;
      if (best == 0) found.operations = made;
      best = fit;
      found.trace = trace;
      found.trace->steps.resize(i + 1);
    }
  }
  return found;
}

/// The calls, or as many as fit a row.
std::string calls_of(const model::Trace& trace) {
  std::string text;
  for (const model::Step& step : trace.steps) {
    text += model::print_call(step) + "\n";
    if (text.size() > 500) return text + "...\n";
  }
  return text;
}

Row measure(const impl::FaultInfo& info, std::uint64_t first_seed, std::uint64_t seeds) {
  Row row;
  row.fault = info.id;
  impl::SimDevice device({.fault = row.fault});
  DeviceTrials trials(device);
  ShortTraceStore store({100'000'000, 80'000});
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
    const auto [operations, trace] = find(device, info, seed);
    if (!trace) continue;
    row.operations.push_back(operations);
    const model::Annotation wanted = trace->steps.back().annotations.front();
    row.deviation = model::print_annotation(wanted);
    const auto shrunk = Shrinker(trials, wanted, store).run(*trace);
    if (!shrunk) continue;  // it does not repeat
    row.add(*shrunk, seed, row.traces.size() < 5 ? calls_of(shrunk->trace) : "others");
  }
  std::sort(row.operations.begin(), row.operations.end());
  return row;
}

bool is_allowed(const Row& row) {
  const auto& all = impl::faults();
  const auto info = std::find_if(all.begin(), all.end(),
                                 [&](const auto& fault) { return fault.id == row.fault; });
  return info->expected.rule.empty();
}

/// Whether the trace of every seed that found it was shrunk; one that does not repeat is not.
bool all_shrunk(const Row& row) {
  std::size_t shrunk = 0;
  for (const auto& [trace, seeds] : row.traces) shrunk += seeds.size();
  return shrunk == row.operations.size();
}

/// How many rows are as they have to be.
struct Totals {
  std::size_t faults = 0;
  std::size_t found = 0;     ///< with each seed
  std::size_t allowed = 0;   ///< choices that are nobody's fault
  std::size_t accused = 0;   ///< of these, ones that a walk called a deviation
  std::size_t same = 0;      ///< one trace, whatever the seed
  std::size_t shortest = 0;  ///< as long as the bound
  std::size_t close = 0;     ///< at most one step longer
};

Totals totals_of(const std::vector<Row>& rows, std::uint64_t seeds) {
  Totals t;
  for (const Row& row : rows) {
    if (is_allowed(row)) {
      ++t.allowed;
      t.accused += row.operations.empty() ? 0 : 1;
      continue;
    }
    ++t.faults;
    t.found += row.operations.size() == seeds ? 1 : 0;
    if (!all_shrunk(row)) continue;
    t.same += row.traces.size() == 1 ? 1 : 0;
    t.shortest += row.steps == row.at_least ? 1 : 0;
    t.close += row.steps <= row.at_least + 1 ? 1 : 0;
  }
  return t;
}

/// 95 of 100.
bool nearly_all(std::size_t count, std::size_t of) { return count * 100 >= of * 95; }

bool is_good(const Totals& t) {
  return t.found == t.faults && t.accused == 0 && t.close == t.faults &&
         nearly_all(t.same, t.faults) && nearly_all(t.shortest, t.faults);
}

constexpr const char* kPreface =
    R"(# Finding and shrinking the seeded faults of the simulated device

Written by `shrink_table --seeds {} --out property-tests/RESULTS.md`; do not edit.

Each fault of `impl/sim/faults_*.inc` is looked for by {} walks, one a seed, and what each of them
finds is shrunk.

- **found** with every seed: {} of {} faults; {} allowed choices, {} of which a walk objected to
- **one trace**, whatever the seed: {} of {}
- **as short as can be**: {} of {}; at most one step longer: {} of {}

*Operations* is the median of the calls that the walks made until they found it; *most*, those of
the slowest. *Steps* is the length of the shrunk trace; where there are several, of the one that is
farthest from the bound of what its walk found, or else the longest. *At least*: the explorer tried
all shorter traces of its scope on the device, and none with fewer steps shows the deviation.
*Model*: no trace with fewer steps leads to where the rules know such a deviation, on any device.
The scope is that of `short_traces.hpp`: plain calls, few objects, less variety the more steps there
are; *shortest* means no more than that. What was tried for one seed is not tried again for the
next. Where a walk does not come upon the deviation by the verb that the fault's entry names, what
it found with another one is shrunk.

| fault | deviation | found | operations | most | steps | at least | model | traces |
|---|---|---|---|---|---|---|---|---|
)";

std::string line_of(const Row& row, std::uint64_t seeds) {
  const auto& all = row.operations;
  if (is_allowed(row))
    return fmt::format("| {} | {} | {}/{} | | | | | | |\n", row.fault,
                       all.empty() ? "allowed: none" : row.deviation, all.size(), seeds);
  return fmt::format("| {} | {} | {}/{} | {} | {} | {} | {} | {} | {} |\n", row.fault,
                     row.deviation.substr(row.deviation.find(' ') + 1), all.size(), seeds,
                     all.empty() ? 0 : all[all.size() / 2], all.empty() ? 0 : all.back(), row.steps,
                     row.at_least, row.needed, row.traces.size());
}

/// The table, and after it the traces of faults that come to several.
std::string document(const std::vector<Row>& rows, std::uint64_t seeds) {
  const Totals t = totals_of(rows, seeds);
  std::string text = fmt::format(kPreface, seeds, seeds, t.found, t.faults, t.allowed, t.accused,
                                 t.same, t.faults, t.shortest, t.faults, t.close, t.faults);
  for (const Row& row : rows) text += line_of(row, seeds);
  text += "\n## Where seeds come to different traces\n\n```\n";
  for (const Row& row : rows) {
    if (row.traces.size() < 2) continue;
    for (const auto& [trace, from] : row.traces)
      text += fmt::format("# {}, seeds {}\n{}\n", row.fault, fmt::join(from, " "), trace);
  }
  text.pop_back();
  return text + "```\n";
}

int run(const Options& options) {
  std::vector<impl::FaultInfo> faults;
  for (const auto& info : impl::faults())
    if (!info.shows_at_reset() &&
        (options.faults.empty() ||
         std::find(options.faults.begin(), options.faults.end(), info.id) != options.faults.end()))
      faults.push_back(info);
  if (faults.empty()) throw model::ToolError("there is no such fault; see impl/sim/faults_*.inc");
  const auto lines = testing::lines_of(faults.size(), options.jobs, [&](std::size_t i) {
    return nlohmann::json(measure(faults[i], options.first_seed, options.seeds)).dump();
  });
  std::vector<Row> rows;
  for (const auto& line : lines) rows.push_back(nlohmann::json::parse(line));
  const std::string text = document(rows, options.seeds);
  if (options.out.empty()) {
    fmt::print("{}", text);
  } else {
    std::ofstream file(options.out);
    file << text;
    file.close();
    if (!file) throw model::ToolError(options.out + ": cannot be written; choose another --out");
  }
  return is_good(totals_of(rows, options.seeds)) ? 0 : 1;
}

}  // namespace
}  // namespace mrproof::property_tests

int main(int argc, char** argv) {
  CLI::App app("Measures how soon the seeded faults are found, and what they shrink to");
  mrproof::property_tests::Options options;
  app.add_option("--seeds", options.seeds, "walks of each fault")->check(CLI::Range(1, 1000));
  app.add_option("--first-seed", options.first_seed, "of the first walk")->capture_default_str();
  app.add_option("--jobs", options.jobs, "processes at a time")->check(CLI::Range(1, 256));
  app.add_option("--fault", options.faults, "measure these only");
  app.add_option("--out", options.out, "file for the table (default: standard output)");
  CLI11_PARSE(app, argc, argv);
  try {
    return mrproof::property_tests::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "shrink_table: {}\n", error.what());
    return 2;
  }
}
