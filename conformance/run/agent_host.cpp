#include "conformance/run/agent_host.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {

void AgentHost::start() {
  channel_.header().stop.store(0);
  channel_.header().time_taken.store(0);
  if (wait_for_process(0)) bring_up();
  if (channel_.waiting()) go_on();
}

std::optional<Ended> AgentHost::ended() {
  if (const auto wants = channel_.waiting(); wants && stands_still()) {
    if (*wants == Wants::rest) return at_rest();
    if (*wants == Wants::request) return as_watched();
    if (channel_.is_read()) go_on();
    return std::nullopt;
  }
  if (wait_for_process(0)) return process_ended();
  return lost();
}

Ended AgentHost::as_watched() {
  const auto watched = static_cast<Watched>(channel_.header().watched.load());
  if (watched == Watched::ended) return describe_wait_status(channel_.header().wait_status.load());
  if (watched == Watched::stuck && !renew())
    throw model::ToolError(
        "the worker cannot be killed, the kernel holds it: reboot this machine, or "
        "run in a virtual machine (--target)");
  return {Ended::How::hung, 0, "no sign of life"};
}

void AgentHost::go_on() {
  channel_.answer();
  resume();
}

bool AgentHost::renew() {
  if (process_ > 0) ::kill(process_, SIGKILL);
  // What the kernel holds is left to its parent-death signal.
  wait_for_process(10'000);
  return true;
}

bool AgentHost::wait_for_process(int limit_ms) {
  int status = 0;
  for (int waited = 0; process_ > 0 && waitpid(process_, &status, WNOHANG) == 0; ++waited) {
    if (waited >= limit_ms) return false;
    usleep(1000);
  }
  if (process_ > 0) end_text_ = describe_wait_status(status).text;
  process_ = -1;
  return true;
}

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

}  // namespace mrproof::conformance
