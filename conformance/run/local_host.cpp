#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "conformance/run/host.hpp"
#include "conformance/run/process.hpp"

namespace mrproof::conformance {
namespace {

class LocalHost : public Host {
 public:
  LocalHost(Channel& channel, std::string path) : channel_(channel), path_(std::move(path)) {}
  ~LocalHost() override {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    // A worker that the kernel holds is left to its parent-death signal.
    for (int i = 0; i < 100 && waitpid(pid_, nullptr, WNOHANG) == 0; ++i) usleep(10000);
  }

  void start() override {
    auto& header = channel_.header();
    const bool stays =
        channel_.is_worker_resting() && pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == 0;
    header.stop.store(0);
    header.generation.fetch_add(1);
    if (!stays) pid_ = start_process({own_program(), "worker", "--channel", path_}, "");
  }

  std::optional<Ended> ended() override {
    int status = 0;
    if (channel_.is_worker_resting()) return at_rest();
    if (pid_ <= 0 || waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    pid_ = -1;
    return describe_wait_status(status);
  }

  void kill() override {
    if (pid_ > 0) ::kill(pid_, SIGKILL);
  }

  bool renew() override { return false; }

  [[nodiscard]] std::string name() const override { return "this machine"; }

 private:
  Channel& channel_;
  std::string path_;
  pid_t pid_ = -1;
};

}  // namespace

Ended describe_wait_status(int status) {
  if (WIFEXITED(status))
    return {Ended::How::exited, WEXITSTATUS(status),
            fmt::format("exit code {}", WEXITSTATUS(status))};
  const int signal = WTERMSIG(status);
  const bool outside = signal == SIGKILL || signal == SIGTERM || signal == SIGINT ||
                       signal == SIGHUP || signal == SIGQUIT;
  return {outside ? Ended::How::killed : Ended::How::crashed, signal,
          fmt::format("signal {} ({})", signal, strsignal(signal))};
}

std::unique_ptr<Host> make_local_host(Channel& channel, const std::string& channel_path) {
  return std::make_unique<LocalHost>(channel, channel_path);
}

}  // namespace mrproof::conformance
