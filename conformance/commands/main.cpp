#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <system_error>

#include "conformance/catalogue/catalogue.hpp"
#include "conformance/commands/commands.hpp"
#include "impl/own_program.hpp"

namespace {

/// What could not be said must not look like a success: standard output may be on a full disk.
int all_said(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  std::fprintf(stderr, "mrproof: standard output cannot be written%s%s; its output is lost\n",
               errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
  return mrproof::conformance::kExitError;
}

/// Which build this is, and which rules it judges by.
std::string version() {
  const std::string build = mrproof::impl::build_id();
  return std::string("mrproof ") + MRPROOF_VERSION + "\nbuild " +
         (build.empty() ? "unknown" : build) + "\nmodel " + mrproof::conformance::model_digest();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Tests implementations of RDMA verbs against a checked model of memory regions."};
  app.name("mrproof");
  app.set_version_flag("--version", version);
  app.require_subcommand(1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return "mrproof: " + std::string(error.what()) +
           "; see mrproof --help, mrproof COMMAND --help\n";
  });
  int exit_code = mrproof::conformance::kExitError;
  mrproof::conformance::add_run_command(app, exit_code);
  mrproof::conformance::add_replay_command(app, exit_code);
  mrproof::conformance::add_report_command(app, exit_code);
  mrproof::conformance::add_shrink_command(app, exit_code);
  mrproof::conformance::add_judge_command(app, exit_code);
  mrproof::conformance::add_explain_command(app, exit_code);
  mrproof::conformance::add_explore_command(app, exit_code);
  mrproof::conformance::add_coverage_command(app, exit_code);
  mrproof::conformance::add_reached_command(app, exit_code);
  mrproof::conformance::add_diff_command(app, exit_code);
  mrproof::conformance::add_fingerprint_command(app, exit_code);
  mrproof::conformance::add_expect_command(app, exit_code);
  mrproof::conformance::add_devices_command(app, exit_code);
  mrproof::conformance::add_rules_command(app, exit_code);
  mrproof::conformance::add_watch_command(app, exit_code);
  mrproof::conformance::add_peer_command(app, exit_code);
  mrproof::conformance::add_merge_command(app, exit_code);
  mrproof::conformance::add_submit_commands(app, exit_code);
  mrproof::conformance::add_prove_command(app);
  mrproof::conformance::add_help_command(app, exit_code);
  mrproof::conformance::add_worker_commands(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return all_said(app.exit(error) == 0 ? 0 : mrproof::conformance::kExitError);
  } catch (const std::exception& error) {
    // fmt does not name standard output.
    if (dynamic_cast<const std::system_error*>(&error) != nullptr && std::ferror(stdout) != 0)
      return all_said(mrproof::conformance::kExitError);
    std::fprintf(stderr, "mrproof: %s\n", error.what());
    return mrproof::conformance::kExitError;
  }
  return all_said(exit_code);
}
