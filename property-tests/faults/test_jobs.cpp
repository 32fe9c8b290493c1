#include "property-tests/faults/test_jobs.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <map>

#include "model/trace/tool_error.hpp"

namespace mrproof::property_tests::testing {

namespace {

using MakeLine = std::function<std::string(std::size_t)>;

/// Makes every so-and-so-many-th line; they are shorter than what a pipe takes in one piece.
[[noreturn]] void work(std::size_t first, std::size_t count, unsigned jobs, const MakeLine& make,
                       int out) {
  for (std::size_t i = first; i < count; i += jobs) {
    const std::string line = fmt::format("{} {}\n", i, make(i));
    if (write(out, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(2);
  }
  _exit(0);
}

}  // namespace

std::vector<std::string> lines_of(std::size_t count, unsigned jobs, const MakeLine& make_line) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw model::ToolError("no pipe can be made; close other programs");
  for (unsigned job = 0; job < jobs; ++job) {
    const pid_t child = fork();
    if (child < 0) throw model::ToolError("no process can be made; close other programs");
    if (child == 0) work(job, count, jobs, make_line, ends[1]);
  }
  close(ends[1]);
  std::map<std::size_t, std::string> lines;
  FILE* in = fdopen(ends[0], "r");
  std::array<char, 4096> buffer{};
  while (fgets(buffer.data(), buffer.size(), in) != nullptr) {
    std::string line(buffer.data());
    line.pop_back();  // the end of the line
    std::size_t used = 0;
    const std::size_t place = std::stoul(line, &used);
    lines[place] = line.substr(used + 1);
    fmt::print(stderr, "\r{} of {}", lines.size(), count);
  }
  fmt::print(stderr, "\n");
  fclose(in);
  while (wait(nullptr) > 0) {
  }
  if (lines.size() != count) throw model::ToolError("a process ended early: see above");
  std::vector<std::string> all;
  for (auto& [place, line] : lines) all.push_back(std::move(line));
  return all;
}

}  // namespace mrproof::property_tests::testing
