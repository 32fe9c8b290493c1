// The mrproof program for tests, as a process.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "model/testing/test_files.hpp"

namespace mrproof::conformance::testing {

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
  [[nodiscard]] std::string out() const { return model::testing::read_file(out_); }
  [[nodiscard]] std::string err() const { return model::testing::read_file(folder_.file("err")); }

 private:
  model::testing::TemporaryFolder folder_;
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

}  // namespace mrproof::conformance::testing
