#include "conformance/commands/trial_options.hpp"

#include "conformance/commands/validators.hpp"

namespace mrproof::conformance {

void add_trial_options(CLI::App& command, TrialOptions& options) {
  auto& plan = options.plan;
  auto& session = options.session;
  command.add_option("trace", plan.trace_file, "trace file (.mrt)")->required();
  command.add_option(
      "--device", plan.device,
      "device as libibverbs names it, or sim[@SET][:FAULT] (default: the only one); "
      "suffixes @uverbs: re-registration by the kernel's own ABI, @fork: ibv_fork_init(3), "
      "@two-processes: initiator and responder in one each; joined by +: @uverbs+fork");
  plan.dialect.clear();
  command.add_option("--dialect", plan.dialect, "rule set (default: the trace's)");
  command
      .add_option("--target", session.target,
                  "run in the virtual machine of this image folder (ci/build-target)")
      ->check(kNotEmpty);
  command
      .add_option("--step-limit", session.step_limit,
                  "seconds without a sign of life that count as a hang")
      ->capture_default_str()
      ->check(kPositive);
}

}  // namespace mrproof::conformance
