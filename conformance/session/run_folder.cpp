#include "conformance/session/run_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "conformance/report/finding.hpp"
#include "model/trace/pattern.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

namespace fs = std::filesystem;

/// Whether a run, or `mrproof merge`, gives files such names.
bool is_report(const std::string& name) {
  static const std::string numbered(
      "((shard|guest)-[0-9]+-)*((deviation|crash|hang|kernel_warning|interruption)-[0-9]{2,}"
      "(-[a-z0-9_.-]+)?\\.mrt|console-(qemu|[0-9]+)\\.log|journal\\.jsonl)");
  return std::find(kReportFiles.begin(), kReportFiles.end(), name) != kReportFiles.end() ||
         model::matches(name, numbered);
}

/// Whether `mrproof run --shrink` gives folders such names.
bool is_finding(const std::string& name) {
  static const std::string numbered(
      "(deviation|crash|hang|kernel_warning)-[0-9]{2,}(-[a-z0-9_.-]+)?");
  return model::matches(name, numbered);
}

/// The first bytes of a journal, and all of a report, which says what it is somewhere.
bool holds(const fs::path& file, std::string_view text, std::size_t within) {
  std::ifstream in(file, std::ios::binary);
  std::string read(std::min<std::uintmax_t>(within, in ? fs::file_size(file) : 0), '\0');
  in.read(read.data(), static_cast<std::streamsize>(read.size()));
  return read.find(text) != std::string::npos;
}

bool is_journal(const fs::path& file) {
  return fs::is_regular_file(file) && (fs::file_size(file) == 0 || holds(file, "{\"record\":", 16));
}

bool is_of_a_run(const fs::path& folder) {
  const auto report = folder / "report.json";
  return is_journal(folder / "journal.jsonl") || is_journal(folder / "guest-1-journal.jsonl") ||
         (fs::is_regular_file(report) &&
          holds(report, "\"mrproof-report\"", fs::file_size(report)));
}

}  // namespace

FolderHold::FolderHold(const std::string& folder) {
  if (folder.empty()) return;
  fd_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0 || flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(fd_);
  throw model::ToolError(
      fmt::format("{}: another run writes there; wait for it or choose another --out", folder));
}

FolderHold::~FolderHold() {
  if (fd_ >= 0) close(fd_);
}

void check_is_free(const std::string& folder) {
  if (folder.empty() || is_of_a_run(folder)) return;
  for (const auto& entry : fs::directory_iterator(folder))
    if (const auto name = entry.path().filename().string(); is_report(name))
      throw model::ToolError(fmt::format(
          "{}/{}: a run would write such a file, and the folder is not an earlier run's; move it "
          "away or choose another --out",
          folder, name));
}

EarlierReports::EarlierReports(std::string folder) : folder_(std::move(folder)) {
  if (folder_.empty()) return;
  std::error_code unknown;
  for (const auto& entry : fs::directory_iterator(folder_, unknown)) {
    const auto name = entry.path().filename().string();
    if (is_report(name) || is_finding(name))
      files_[name] = fs::last_write_time(entry.path(), unknown);
  }
}

void EarlierReports::remove() const {
  std::error_code ignored;
  for (const auto& [name, written] : files_) {
    const auto path = fs::path(folder_) / name;
    if (fs::is_directory(path, ignored)) {
      for (const char* file : kFindingFiles) fs::remove(path / file, ignored);
      fs::remove(path, ignored);  // stays if something else is in it
    } else if (fs::last_write_time(path, ignored) == written) {
      fs::remove(path, ignored);
    }
  }
}

}  // namespace mrproof::conformance
