// What run and replay share: the report folder, the channel, the environment, the supervisor.
#pragma once

#include <functional>
#include <string>

#include "conformance/report/report.hpp"
#include "conformance/run/environment.hpp"
#include "conformance/run/supervisor.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {

/// Where and how a plan is run.
struct SessionOptions {
  MachineOptions machine;
  std::string out;  ///< report folder; made if it is missing. Empty: nothing is kept
  double seconds = 0;
  double step_limit = 120;
  bool fresh = false;  ///< each case runs in a virtual machine of its own
  /// After the plan, each virtual machine runs cases for so long by its clock that are led by what
  /// they reach of the driver (machine.driver_coverage). 0: none.
  double guided = 0;
  /// So many virtual machines share the cases, each of which does the same each time.
  std::size_t guests = 1;
  bool resume = false;  ///< go on with the run whose journal stands in `out`
  bool journal = true;
  bool reports = true;        ///< write report.json and junit.xml
  std::string expectations;   ///< file of fails, with those beside it; empty: none
  std::string pin;            ///< file of choices that the provider is held to; empty: none
  bool rerun = false;         ///< make the calls of unexpected findings again: are they flaky?
  bool fail_fast = false;     ///< end the run at the first unexpected finding
  bool all_expected = false;  ///< an expectation that nothing met is a failure
  /// Called with what was found and an environment to try it in, before the reports are written;
  /// may be empty.
  std::function<void(Tally&, const TestEnvironment&)> look_closer = {};
};

/// From now on SIGINT and SIGTERM end runs after the current step.
void stop_on_signals();

/// Runs the plan, writes the reports, fills the tally. `watch` may be null. Throws ToolError before
/// anything was started; later failures stand in the facts' `error`.
RunFacts run_session(const SessionOptions& options, const property_tests::Plan& plan, Tally& tally,
                     const Supervisor::Watch& watch);

/// Writes report.json, junit.xml, report.ktap, report.md, report.sarif and report.html. The facts'
/// `error` says what cannot be written.
void write_reports(const Folder& folder, const property_tests::Plan& plan, const Tally& tally,
                   RunFacts& facts);

/// The exit code for what the tally has.
int exit_code_of(const Tally& tally, const RunFacts& facts, int nothing_tested);

}  // namespace mrproof::conformance
