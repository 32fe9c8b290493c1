#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "model/trace/write_file.hpp"
#include "property-tests/series/tours.hpp"
#include "specs/explore/explorer.hpp"

namespace mrproof::conformance {
namespace {

struct ExploreArguments {
  std::string scope, tours;
  specs::ExploreOptions options;
  double memory = 0;
};

constexpr double kMebibyte = 1U << 20U, kGibibyte = 1U << 30U;

std::string line_of(const specs::ExploreCounts& c) {
  const auto rate = [&](std::uint64_t count) {
    return static_cast<double>(count) / std::max(c.seconds, 1e-9) / 1e6;
  };
  return fmt::format(
      "{} states, {} expanded, depth {}, {} transitions, {} of them changes; {:.2f} s: {:.2f} M "
      "states/s, {:.2f} M transitions/s",
      c.states, c.expanded, c.depth, c.transitions, c.changes, c.seconds, rate(c.states),
      rate(c.transitions));
}

void show_progress(const specs::ExploreCounts& counts) {
  fmt::print(stderr, "\r{}\033[K", line_of(counts));
  std::fflush(stderr);
}

void print_result(const specs::Explored& result, specs::Explorer& explorer) {
  const auto& c = result.counts;
  fmt::print("{}\n", line_of(c));
  const auto forms = explorer.codec().form_counts();
  fmt::print(
      "{:.1f} bytes a state ({:.1f} MiB, {:.1f} MiB with remembered answers); {} forms of "
      "regions, {} of windows, {} of queue pairs, {} of what surrounds them\n",
      static_cast<double>(c.bytes) / static_cast<double>(c.states),
      static_cast<double>(c.bytes) / kMebibyte, static_cast<double>(c.all_bytes) / kMebibyte,
      forms[0], forms[1], forms[2], forms[3]);
}

/// Writes the scope's tours as traces. Not beside others, which would look like more of them.
void write_tours(const specs::Scope& scope, const std::string& folder) {
  const specs::Transitions all(scope);
  const auto tours = property_tests::make_tours(all);
  model::make_empty_folder(folder);
  std::size_t steps = 0;
  for (std::size_t i = 0; i < tours.size(); ++i) {
    model::write_whole_file(fmt::format("{}/{:04}.mrt", folder, i + 1),
                            model::print_trace(property_tests::tour_trace(all, tours[i])));
    steps += tours[i].size();
  }
  fmt::print("{} tours of {} steps: {} calls in {} states, {} transitions\n", tours.size(), steps,
             all.calls().size(), all.states(), all.count());
}

int explore(ExploreArguments arguments) {
  auto& options = arguments.options;
  options.memory = static_cast<std::size_t>(arguments.memory * kGibibyte);
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) options.progress = show_progress;
  const specs::Scope scope = specs::load_scope(arguments.scope);
  const specs::RuleMasks masks(scope.dialect);
  if (!arguments.tours.empty()) write_tours(scope, arguments.tours);
  specs::Explorer explorer(scope, masks);
  const specs::Explored result = explorer.run(options);
  if (terminal) fmt::print(stderr, "\r\033[K");
  print_result(result, explorer);
  switch (result.end) {
    case specs::ExploreEnd::complete: return kExitExpected;
    case specs::ExploreEnd::broken:
      // At once: to look for the way there may take as long again.
      fmt::print("after these steps the model breaks: {}\n", result.broken);
      std::fflush(stdout);
      fmt::print("{}", model::print_trace(explorer.trace_to(result)));
      return kExitDeviation;
    case specs::ExploreEnd::out_of_memory: break;
  }
  fmt::print(stderr,
             "mrproof: {}: not all of it was explored: {:.2f} GiB of memory are not enough; allow "
             "more with --memory, or name fewer values\n",
             arguments.scope, arguments.memory);
  return kExitError;
}

}  // namespace

void add_explore_command(CLI::App& app, int& exit_code) {
  auto arguments = std::make_shared<ExploreArguments>();
  auto& a = *arguments;
  const double all = static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                     static_cast<double>(sysconf(_SC_PAGESIZE)) / kGibibyte;
  a.memory = all / 2;
  a.options.threads = std::max(1U, std::thread::hardware_concurrency());
  auto* command =
      app.add_subcommand("explore", "Visit every state of the model that a scope's calls lead to");
  command->add_option("scope", a.scope, "scope file (.scope; conformance/README.md)")->required();
  command->add_option("-j,--threads", a.options.threads, "threads (default: one for each core)")
      ->check(CLI::Range(1, 256));
  command->add_option("--memory", a.memory, "memory limit in GiB (default: half of the machine's)")
      ->check(kPositive);
  command
      ->add_option("--tours", a.tours,
                   "write tours of a small scope, as traces, to this empty folder")
      ->check(kNotEmpty);
  command->callback([arguments, &exit_code] { exit_code = explore(*arguments); });
}

}  // namespace mrproof::conformance
