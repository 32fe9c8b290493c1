#include <fmt/format.h>

#include <memory>
#include <vector>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/watch/watching.hpp"
#include "model/trace/write_file.hpp"

namespace mrproof::conformance {
namespace {

struct WatchOptions {
  std::string out = "mrproof-watch", from, only;
  std::vector<std::string> program;
  int error_exit_code = -1;
};

int watch_program(const WatchOptions& o) {
  int status = 0;
  if (o.from.empty() && o.program.empty())
    throw std::runtime_error("watch: no program; write it behind --, or --from FOLDER");
  const auto folder = o.from.empty() ? o.out : o.from;
  if (o.from.empty()) {
    model::make_empty_folder(folder);
    status = watch::run_watched(o.program, folder);
  }
  auto told = watch::judge_recording(folder);
  if (!o.only.empty()) {
    const auto whose = o.only == "program" ? watch::Whose::program : watch::Whose::provider;
    std::erase_if(told.findings, [&](const auto& finding) { return finding.whose != whose; });
  }
  fmt::print(stderr, "{}", watch::told_text(told));
  model::write_whole_file(folder + "/report.json", watch::told_json(told));
  return o.error_exit_code >= 0 && !told.findings.empty() ? o.error_exit_code : status;
}

}  // namespace

void add_watch_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<WatchOptions>();
  auto& o = *options;
  auto* command = app.add_subcommand(
      "watch", "Run a program that uses RDMA, and tell what it and the provider did wrong");
  command->add_option("-o,--out", o.out, "folder of recording and report.json")
      ->check(kNotEmpty)
      ->capture_default_str();
  command->add_option("--from", o.from, "judge the recording of this folder; run nothing")
      ->check(kNotEmpty);
  command->add_option("--only", o.only, "findings of one of the two only")
      ->check(CLI::IsMember({"program", "provider"}));
  command->add_option("--error-exitcode", o.error_exit_code,
                      "exit status if something was found; else it is the program's")
      ->check(CLI::Range(0, 255));
  command->add_option("program", o.program, "the program and its arguments, behind --");
  command->callback([options, &exit_code] { exit_code = watch_program(*options); });
}

}  // namespace mrproof::conformance
