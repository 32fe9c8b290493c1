// Measures how soon the walk reports each seeded fault of the simulated device, and whether the
// report names the clause: fault_table [--seeds 20] [--steps 20000] [--jobs 2] [--fault ID]
//
// Writes a table in Markdown to its output, progress to its error output. Exit status 0: every
// fault was reported with every seed and no allowed choice ever; 1: not so; 2: it could not run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <map>

#include "property-tests/faults/test_faults.hpp"
#include "property-tests/faults/test_jobs.hpp"
#include "property-tests/walk/test_walk.hpp"

namespace mrproof::property_tests {
namespace {

struct Options {
  std::uint64_t seeds = 20;
  std::uint64_t steps = 20000;
  unsigned jobs = 2;
  std::string fault;
};

/// The deviation that was seen most often; of one that never was reported as it has to be, that is
/// what there is to look at.
std::string most_frequent(const std::map<std::string, std::uint64_t>& names) {
  const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto most = std::max_element(names.begin(), names.end(), fewer);
  return most == names.end() ? "nothing" : most->first;
}

/// Measures one fault. The row begins with '+' where all is as it has to be, else with '-'.
std::string row_of(const impl::FaultInfo& fault, const Options& options) {
  std::vector<std::uint64_t> steps;
  std::map<std::string, std::uint64_t> reports;
  std::map<std::string, std::uint64_t> others;
  for (std::uint64_t seed = 1; seed <= options.seeds; ++seed) {
    const auto walk = testing::walk_fault(fault, testing::plan_of(options.steps, seed));
    if (walk.reported) {
      steps.push_back(walk.steps);
      ++reports[walk.report];
    }
    for (const auto& [name, count] : walk.deviations)
      others[name.first + (name.second ? "" : " (without the clause)")] += count;
  }
  if (!fault.why_allowed.empty())
    return fmt::format("{}| {} | {} | {} deviations in {} seeds | | | allowed: {} |",
                       others.empty() ? '+' : '-', fault.id, fault.clause, others.size(),
                       options.seeds, others.empty() ? fault.why_allowed : most_frequent(others));
  std::sort(steps.begin(), steps.end());
  const bool all = steps.size() == options.seeds;
  return fmt::format("{}| {} | {} | {}/{} | {} | {} | {} |", all ? '+' : '-', fault.id,
                     fault.clause, steps.size(), options.seeds,
                     steps.empty() ? 0 : steps[steps.size() / 2], steps.empty() ? 0 : steps.back(),
                     all ? most_frequent(reports) : "MISSED; seen: " + most_frequent(others));
}

std::vector<const impl::FaultInfo*> chosen(const Options& options) {
  std::vector<const impl::FaultInfo*> faults;
  for (const auto& fault : impl::faults())
    if (options.fault.empty() || fault.id == options.fault) faults.push_back(&fault);
  return faults;
}

int run(const Options& options) {
  const auto faults = chosen(options);
  if (faults.empty())
    throw model::ToolError("there is no fault '" + options.fault +
                           "'; 'mrproof devices --faults' lists them");
  const auto rows = testing::lines_of(faults.size(), options.jobs,
                                      [&](std::size_t i) { return row_of(*faults[i], options); });
  fmt::print("| fault | clause | reported | steps, median | worst | most often as |\n");
  fmt::print("|---|---|---|---|---|---|\n");
  for (const auto& row : rows) fmt::print("{}\n", row.substr(1));
  const auto bad =
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.front() == '-'; });
  fmt::print(stderr, "{} of {} faults as they have to be, {} not\n",
             rows.size() - static_cast<std::size_t>(bad), rows.size(), bad);
  return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace mrproof::property_tests

int main(int argc, char** argv) {
  CLI::App app("Measures how soon the walk reports each seeded fault of the simulated device");
  mrproof::property_tests::Options options;
  app.add_option("--seeds", options.seeds, "walks of each fault")->check(CLI::Range(1, 10000));
  app.add_option("--steps", options.steps, "steps of a walk")->check(CLI::PositiveNumber);
  app.add_option("--jobs", options.jobs, "processes at a time")->check(CLI::Range(1, 256));
  app.add_option("--fault", options.fault, "measure this one only");
  CLI11_PARSE(app, argc, argv);
  try {
    return mrproof::property_tests::run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fault_table: {}\n", error.what());
    return 2;
  }
}
