#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/run/environment.hpp"
#include "conformance/run/read_back.hpp"
#include "conformance/run/verify.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

namespace fs = std::filesystem;

/// An open file.
class OpenFile {
 public:
  OpenFile(const std::string& name, int flags, const char* remedy)
      : number_(open(name.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0)
      throw model::ToolError(
          fmt::format("{}: cannot be opened: {}; {}", name, std::strerror(errno), remedy));
  }
  ~OpenFile() { close(number_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

/// Becomes tar.
[[noreturn]] void become_tar(const std::vector<std::string>& arguments) {
  std::vector<char*> words{const_cast<char*>("tar")};
  for (const auto& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  execvp("tar", words.data());
  _exit(127);
}

/// Runs tar, whose input or output (`as`) is the file, so that its name may be any; returns its
/// first complaint, or nothing if it succeeds.
std::string tar(const std::vector<std::string>& arguments, const OpenFile& file, int as) {
  const Folder folder("");
  const std::string said = folder.file("said");
  const OpenFile complaints(said, O_RDWR | O_CREAT, "set TMPDIR to a folder with room");
  const pid_t child = fork();
  if (child < 0) return std::strerror(errno);
  if (child == 0) {
    dup2(file.number(), as);
    dup2(complaints.number(), STDERR_FILENO);
    become_tar(arguments);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return "";
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) return "tar cannot be run; install tar";
  std::string text(1000, '\0');
  const auto size = pread(complaints.number(), text.data(), text.size(), 0);
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  text.erase(0, text.find_first_not_of('\n'));  // gzip begins with an empty line
  text.resize(std::min(text.find('\n'), text.size()));
  return text.empty() ? "tar failed" : text;
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

/// Options of tar that leave the file out, if it lies in the folder.
void leave_out(const std::string& file, const std::string& folder,
               std::vector<std::string>& options) {
  const auto inside = fs::relative(file, folder);
  if (!inside.empty() && *inside.begin() != "..")
    options.push_back("--exclude=./" + inside.string());
}

/// Packs the folder; nothing half-made stays.
void pack(const std::string& report, const std::string& out) {
  const auto part = out + ".part";
  // Made first: a folder in which a file is made while it is packed has changed, to tar.
  const OpenFile file(part, O_WRONLY | O_CREAT | O_TRUNC, "choose another -o");
  std::vector<std::string> arguments{"-czf", "-", "--exclude=console-*", "--anchored",
                                     "--no-wildcards"};
  leave_out(out, report, arguments);
  leave_out(part, report, arguments);
  arguments.insert(arguments.end(), {"-C", report, "."});
  const std::string complaint = tar(arguments, file, STDOUT_FILENO);
  std::error_code error;
  if (complaint.empty()) fs::rename(part, out, error);
  if (complaint.empty() && !error) return;
  const auto what = complaint.empty() ? error.message() : complaint;
  fs::remove(part, error);
  throw model::ToolError(
      fmt::format("{}: cannot be packed: {}; make room, or choose another -o", out, what));
}

/// Throws ToolError if the package would take the place of something else.
void check_package(const std::string& report, const std::string& out) {
  if (fs::is_directory(out))
    throw model::ToolError(fmt::format("{}: is a folder; name the package: -o {}", out,
                                       (fs::path(out) / "conformance.tar.gz").string()));
  std::error_code none;
  for (const char* name : {"report.json", "journal.jsonl"})
    if (fs::equivalent(out, fs::path(report) / name, none))
      throw model::ToolError(fmt::format("{}: is to be packed itself; choose another -o", out));
}

int submit(const std::string& named, const std::string& out) {
  const auto report = folder_of(named);
  check_package(report, out);
  if (!tell(report, verify_report(report))) return kExitDeviation;
  pack(report, out);
  fmt::print("{}: {} KiB; 'mrproof verify {}' judges it anew\n", out, fs::file_size(out) / 1024,
             out);
  return kExitExpected;
}

/// What was unpacked, judged; errors name the package and the file in it.
Verification verify_unpacked(const std::string& package, const std::string& folder) {
  if (!fs::exists(fs::path(folder) / "report.json"))
    throw model::ToolError(fmt::format(
        "{}: has no report.json in its root; pack a report by 'mrproof submit'", package));
  try {
    return verify_report(folder);
  } catch (const model::ToolError& error) {
    std::string text = error.what();
    if (text.starts_with(folder + "/")) text.erase(0, folder.size() + 1);
    throw model::ToolError(package + ": " + text);
  }
}

int verify(const std::string& named) {
  const auto package = folder_of(named);
  if (fs::is_directory(package))
    return tell(package, verify_report(package)) ? kExitExpected : kExitDeviation;
  if (!fs::exists(package))
    throw model::ToolError(package + ": there is no such package or report");
  const Folder folder("");
  const auto root = fs::path(folder.file("")).parent_path().string();
  const OpenFile file(package, O_RDONLY, "name a package of mrproof submit");
  if (const auto complaint = tar({"-xzf", "-", "-C", root}, file, STDIN_FILENO); !complaint.empty())
    throw model::ToolError(fmt::format(
        "{}: cannot be unpacked: {}; name a whole package of mrproof submit", package, complaint));
  return tell(package, verify_unpacked(package, root)) ? kExitExpected : kExitDeviation;
}

}  // namespace

void add_submit_commands(CLI::App& app, int& exit_code) {
  auto report = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>("conformance.tar.gz");
  auto* submitting = app.add_subcommand("submit", "Verify a run's report and pack it for others");
  submitting->add_option("report", *report, "report of a run (folder or report.json)")->required();
  submitting->add_option("-o,--out", *out, "the package")->capture_default_str()->check(kNotEmpty);
  submitting->callback([report, out, &exit_code] { exit_code = submit(*report, *out); });
  auto package = std::make_shared<std::string>();
  auto* verifying =
      app.add_subcommand("verify", "Judge all steps of a package or report folder again");
  verifying
      ->add_option("package", *package,
                   "package of mrproof submit, or report (folder or report.json)")
      ->required();
  verifying->callback([package, &exit_code] { exit_code = verify(*package); });
}

}  // namespace mrproof::conformance
