// Files and programs for tests: a folder that goes, the scenarios, and mrproof as a process.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace mrproof::testing {

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

/// The files of conformance/scenarios/, sorted.
std::vector<std::string> scenario_files();

/// A scenario's path from conformance/scenarios/ on, without its extension.
std::string scenario_name(const std::string& path);

/// The mrproof program with arguments, running.
class Program {
 public:
  /// `out`: where its standard output goes; empty: out() has it.
  explicit Program(const std::vector<std::string>& arguments, std::string out = "");
  /// Kills it if it still runs.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Waits for its end and returns its exit code; 1000 + the signal that ended it.
  int wait();
  /// Whether it has not ended yet.
  [[nodiscard]] bool running();
  void signal(int number) const;
  /// The process id of its `mrproof worker`, once there is one that runs and is not `before`; -1 if
  /// none comes.
  [[nodiscard]] pid_t worker(pid_t before = -1) const;
  [[nodiscard]] std::string out() const { return read_file(out_); }
  [[nodiscard]] std::string err() const { return read_file(folder_.file("err")); }

 private:
  TemporaryFolder folder_;
  std::string out_;
  pid_t pid_ = -1;
  int code_ = -1;
};

/// What a program left when it ended.
struct Ran {
  int code = -1;
  std::string out;
  std::string err;
};

/// Runs mrproof to its end.
Ran run_mrproof(const std::vector<std::string>& arguments);

/// Runs it with its standard output going to /dev/full; `out` stays empty.
Ran run_mrproof_on_full_disk(const std::vector<std::string>& arguments);

/// Exit code 2, nothing on standard output, and one line that says all of `words`.
void expect_refused(const Ran& ran, const std::vector<std::string>& words);

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
template <class Condition>
bool eventually(Condition&& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    nap();
  }
  return condition();
}

}  // namespace mrproof::testing
