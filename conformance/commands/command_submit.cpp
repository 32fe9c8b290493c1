#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/run/place.hpp"
#include "conformance/run/plan.hpp"
#include "conformance/run/verify.hpp"

namespace mrproof {
namespace {

namespace fs = std::filesystem;

/// Runs tar; throws ToolError where it fails.
void tar(const std::vector<std::string>& arguments) {
  std::vector<char*> words{const_cast<char*>("tar")};
  for (const auto& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execvp("tar", words.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw ToolError("tar failed; see its message above, or install tar and gzip");
}

/// Says what came of it; whether the report says what its journal says.
bool tell(const std::string& name, const Verification& result) {
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < result.differences.size() && i < kMost; ++i)
    fmt::print("{}: {}\n", name, result.differences[i]);
  fmt::print("{}: {} steps of {} cases judged anew, {} differences\n", name, result.steps,
             result.cases, result.differences.size());
  return result.differences.empty();
}

int submit(const std::string& report, const std::string& out) {
  if (!tell(report, verify_report(report))) return kExitDeviation;
  const auto part = out + ".part";
  tar({"-czf", part, "--exclude=console-*", "-C", report, "."});
  fs::rename(part, out);
  fmt::print("{}: {} KiB; 'mrproof verify {}' judges it anew\n", out, fs::file_size(out) / 1024,
             out);
  return kExitExpected;
}

int verify(const std::string& package) {
  if (fs::is_directory(package))
    return tell(package, verify_report(package)) ? kExitExpected : kExitDeviation;
  if (!fs::exists(package)) throw ToolError(package + ": there is no such package or report");
  const Folder folder("");
  tar({"-xzf", package, "-C", folder.file("")});
  return tell(package, verify_report(folder.file(""))) ? kExitExpected : kExitDeviation;
}

}  // namespace

void add_submit_commands(CLI::App& app, int& exit_code) {
  auto report = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>("conformance.tar.gz");
  auto* submitting =
      app.add_subcommand("submit", "Pack a run's report for others, after verifying it");
  submitting->add_option("report", *report, "report folder of a run")->required();
  submitting->add_option("-o,--out", *out, "the package")->capture_default_str()->check(kNotEmpty);
  submitting->callback([report, out, &exit_code] { exit_code = submit(*report, *out); });
  auto package = std::make_shared<std::string>();
  auto* verifying =
      app.add_subcommand("verify", "Judge the steps of a package or report folder anew");
  verifying->add_option("package", *package, "a package of mrproof submit, or a report folder")
      ->required();
  verifying->callback([package, &exit_code] { exit_code = verify(*package); });
}

}  // namespace mrproof
