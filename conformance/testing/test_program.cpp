#include "conformance/testing/test_program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

namespace mrproof::conformance::testing {
namespace {

/// Whether the process is a `mrproof ROLE`: between fork and exec it is not yet.
bool is(const std::string& role, pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/cmdline", std::ios::binary);
  std::ostringstream line;
  line << in.rdbuf();
  return line.str().find(std::string("mrproof\0", 8) + role) != std::string::npos;
}

/// The child of the process in that role, but for `before`; 0 if there is none.
pid_t child(pid_t parent, const std::string& role, pid_t before) {
  std::ifstream in(fmt::format("/proc/{0}/task/{0}/children", parent));
  pid_t found = 0;
  for (pid_t child; in >> child;)
    if (child != before && is(role, child)) found = child;
  return found;
}

}  // namespace

Program::Program(const std::vector<std::string>& arguments, std::string out)
    : out_(out.empty() ? folder_.file("out") : std::move(out)) {
  std::vector<std::string> words{MRPROOF_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> line;
  for (auto& word : words) line.push_back(word.data());
  line.push_back(nullptr);
  std::string err = folder_.file("err");
  pid_ = fork();
  if (pid_ != 0) return;
  for (const auto& [path, fd] : {std::pair{&out_, STDOUT_FILENO}, std::pair{&err, STDERR_FILENO}})
    dup2(open(path->c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), fd);
  execv(line.front(), line.data());
  _exit(127);
}

Program::~Program() {
  if (!running()) return;
  signal(SIGKILL);
  wait();
}

int Program::wait() {
  int status = 0;
  if (code_ < 0 && waitpid(pid_, &status, 0) == pid_)
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return code_;
}

bool Program::running() {
  int status = 0;
  if (code_ < 0 && waitpid(pid_, &status, WNOHANG) == pid_)
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return code_ < 0;
}

void Program::signal(int number) const { kill(pid_, number); }

pid_t Program::worker(pid_t before) const {
  pid_t found = 0;
  model::testing::eventually([&] {
    const pid_t agent = child(pid_, "agent", 0);
    if (agent != 0) found = child(agent, "worker", before);
    return found != 0;
  });
  return found;
}

Ran run_mrproof(const std::vector<std::string>& arguments) {
  Program program(arguments);
  const int code = program.wait();
  return {code, program.out(), program.err()};
}

Ran run_mrproof_on_full_disk(const std::vector<std::string>& arguments) {
  Program program(arguments, "/dev/full");
  const int code = program.wait();
  return {code, "", program.err()};
}

void expect_refused(const Ran& ran, const std::vector<std::string>& words) {
  EXPECT_EQ(ran.code, 2) << ran.out << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(model::testing::is_one_line(ran.err)) << ran.err;
  EXPECT_TRUE(ran.err.starts_with("mrproof: ")) << ran.err;
  for (const auto& word : words)
    EXPECT_NE(ran.err.find(word), std::string::npos) << "'" << word << "' is not in: " << ran.err;
}

}  // namespace mrproof::conformance::testing
