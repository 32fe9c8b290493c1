// Files for tests: a folder that goes, the scenarios, a disk that is full.
#pragma once

#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace mrproof::model::testing {

namespace fs = std::filesystem;

/// A fresh folder that is removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// The path of `name` in it.
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }
  /// Writes a file; returns its path.
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const;

 private:
  fs::path path_;
};

/// The whole file; a failed expectation if it cannot be read.
std::string read_file(const std::string& path);

/// A file of the source tree: "specs/explore/scopes/default.scope".
std::string tree_file(const std::string& path);
/// The files of model/scenarios/, sorted.
std::vector<std::string> scenario_files();

/// A scenario's path from model/scenarios/ on, without its extension.
std::string scenario_name(const std::string& path);

/// Stands for a full disk while it is there: files cannot grow beyond so many bytes, also those of
/// programs that are started.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes);
  ~SmallFiles();
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

/// Whether the text is one line, not empty and ended.
bool is_one_line(const std::string& text);

/// Sleeps a little.
void nap();

/// Waits until the condition holds, looking often; false after ten seconds.
template <class Condition> bool eventually(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    nap();
  }
  return condition();
}

}  // namespace mrproof::model::testing
