// A run's report folder: whose it is, and what of it may go when another run begins in it.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace mrproof::conformance {

/// What write_reports() writes, by name.
inline constexpr std::array<std::string_view, 6> kReportFiles{
    "report.json", "junit.xml", "report.ktap", "report.md", "report.sarif", "report.html"};

/// Holds a folder for one run, until this object goes or its process ends. Folders of file systems
/// that know no locks are not held.
class FolderHold {
 public:
  /// Throws ToolError if another run holds the folder. An empty name holds nothing.
  explicit FolderHold(const std::string& folder);
  FolderHold(const FolderHold&) = delete;
  FolderHold& operator=(const FolderHold&) = delete;
  ~FolderHold();

 private:
  int fd_ = -1;
};

/// Throws ToolError if the folder, which is no run's, has a file under a name that a run would
/// write. A run's folder is known by its report or its journal.
void check_is_free(const std::string& folder);

/// What an earlier run left in its folder.
class EarlierReports {
 public:
  /// Looks at the folder as it is now. An empty name has nothing.
  explicit EarlierReports(std::string folder);
  /// Removes what was there then and was not written since, so that no stale trace stands beside
  /// the report. Other files stay.
  void remove() const;

 private:
  std::string folder_;
  /// When each was written. A file's time is that of the kernel's last tick, and so may lie before
  /// the moment at which the clock said that this run began.
  std::map<std::string, std::filesystem::file_time_type> files_;
};

}  // namespace mrproof::conformance
