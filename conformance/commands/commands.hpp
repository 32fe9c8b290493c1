// The parts of the mrproof program.
#pragma once

#include <CLI/CLI.hpp>

#include "conformance/run/exit_codes.hpp"

namespace mrproof::conformance {

/// Each adds its subcommand to the application; the subcommand stores its exit code.
void add_run_command(CLI::App& app, int& exit_code);
void add_peer_command(CLI::App& app, int& exit_code);
void add_replay_command(CLI::App& app, int& exit_code);
void add_report_command(CLI::App& app, int& exit_code);
void add_shrink_command(CLI::App& app, int& exit_code);
void add_judge_command(CLI::App& app, int& exit_code);
void add_explain_command(CLI::App& app, int& exit_code);
void add_explore_command(CLI::App& app, int& exit_code);
void add_coverage_command(CLI::App& app, int& exit_code);
void add_reached_command(CLI::App& app, int& exit_code);
void add_diff_command(CLI::App& app, int& exit_code);
void add_fingerprint_command(CLI::App& app, int& exit_code);
void add_expect_command(CLI::App& app, int& exit_code);
void add_devices_command(CLI::App& app, int& exit_code);
void add_rules_command(CLI::App& app, int& exit_code);
void add_watch_command(CLI::App& app, int& exit_code);
void add_help_command(CLI::App& app, int& exit_code);
void add_merge_command(CLI::App& app, int& exit_code);
void add_submit_commands(CLI::App& app, int& exit_code);
/// Becomes the program mrproof-prove.
void add_prove_command(CLI::App& app);
void add_worker_commands(CLI::App& app, int& exit_code);

}  // namespace mrproof::conformance
