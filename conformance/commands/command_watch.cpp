#include <fmt/format.h>

#include <csignal>
#include <memory>
#include <vector>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/watch/watching.hpp"
#include "model/trace/write_file.hpp"

namespace mrproof::conformance {
namespace {

struct WatchOptions {
  std::string out = "mrproof-watch", from, only, suppress;
  std::vector<std::string> program;
  int error_exit_code = -1;
  bool stop_at_first = false, record = false, guard = false;
};

std::optional<watch::Whose> wanted(const std::string& only) {
  if (only.empty()) return std::nullopt;
  return only == "program" ? watch::Whose::program : watch::Whose::provider;
}

void write_reports(const std::string& folder, const watch::Told& told) {
  model::write_whole_file(folder + "/report.json", watch::told_json(told));
  model::write_whole_file(folder + "/report.html", watch::told_html(told));
  model::write_whole_file(folder + "/junit.xml", watch::told_junit(told));
  model::write_whole_file(folder + "/report.sarif", watch::told_sarif(told));
  for (const auto* findings : {&told.findings, &told.suppressed})
    for (const auto& finding : *findings)
      if (!finding.trace.empty())
        model::write_whole_file(folder + "/" + finding.trace_file, finding.trace);
}

int watch_program(const WatchOptions& o) {
  if (o.from.empty() && o.program.empty())
    throw std::runtime_error("watch: no program; write it behind --, or --from FOLDER");
  if (!o.from.empty() && !o.program.empty())
    throw std::runtime_error("watch: a program and --from; leave out one of the two");
  const auto suppressions =
      o.suppress.empty() ? watch::Suppressions() : watch::Suppressions(o.suppress);
  const auto folder = o.from.empty() ? o.out : o.from;
  if (o.from.empty()) model::make_empty_folder(folder);
  if (o.record) return watch::run_watched(o.program, folder, o.guard, [] { return 0; });
  watch::Telling telling(folder, o.from.empty(), wanted(o.only), suppressions,
                         [](const auto& finding) {
                           fmt::print(stderr, "{}", watch::finding_text(finding));
                         });
  int status = 0, looks_since = 0;
  if (o.from.empty())
    status = watch::run_watched(o.program, folder, o.guard, [&] {
      constexpr int kPatience = 40;  // looks: some two seconds
      telling.look(false);
      if (!o.stop_at_first || !telling.has_told()) return 0;
      ++looks_since;
      const int signal = looks_since == 1 ? SIGTERM : looks_since == kPatience ? SIGKILL : 0;
      if (signal != 0) telling.signal_programs(signal);
      return signal;
    });
  telling.look(true);
  const auto told = telling.told();
  fmt::print(stderr, "{}", watch::summary_text(told));
  write_reports(folder, told);
  return o.error_exit_code >= 0 && !told.findings.empty() ? o.error_exit_code : status;
}

}  // namespace

void add_watch_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<WatchOptions>();
  auto& o = *options;
  auto* command = app.add_subcommand(
      "watch", "Run a program that uses RDMA, and tell what it and the provider do wrong");
  command->add_option("-o,--out", o.out, "folder of the recording and the reports")
      ->check(kNotEmpty)
      ->capture_default_str();
  auto* from = command->add_option("--from", o.from,
                                   "judge the recording of this folder; run nothing");
  from->check(kNotEmpty);
  command->add_flag("--record", o.record, "record only; judge it later by --from")
      ->excludes(from);
  command->add_flag("--guard", o.guard,
                    "find writes to memory of requests that are under way, too, by read-only pages")
      ->excludes(from);
  command->add_option("--only", o.only, "findings of one of the two only")
      ->check(CLI::IsMember({"program", "provider"}));
  command->add_option("--suppress", o.suppress,
                      "file of findings that are known: NAME,program@PLACE  # reason")
      ->check(kNotEmpty);
  command->add_flag("--stop-at-first", o.stop_at_first,
                    "end the program (SIGTERM) when something is found")
      ->excludes(from);
  command->add_option("--error-exitcode", o.error_exit_code,
                      "exit status if something was found; else it is the program's")
      ->check(CLI::Range(0, 255));
  command->add_option("program", o.program, "the program and its arguments, behind --");
  command->callback([options, &exit_code] { exit_code = watch_program(*options); });
}

}  // namespace mrproof::conformance
