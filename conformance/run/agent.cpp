#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "conformance/run/process.hpp"
#include "conformance/run/worker.hpp"

namespace mrproof::conformance {

int run_agent(Channel& channel, const std::string& channel_path, const std::string& own_device) {
  auto& header = channel.header();
  pid_t worker = -1;
  header.agent_ready.store(1);
  for (;;) {
    switch (static_cast<Command>(header.command.load())) {
      case Command::start:
        if (worker < 0 && header.ended.load() != header.generation.load())
          worker = start_process(
              {own_program(), "worker", "--channel", channel_path, "--own-device", own_device}, "");
        break;
      case Command::kill:
        if (worker > 0) kill(worker, SIGKILL);
        break;
      case Command::shut_down:
        if (worker > 0) kill(worker, SIGKILL);
        return 0;
      case Command::none: break;
    }
    int status = 0;
    if (worker > 0 && waitpid(worker, &status, WNOHANG) == worker) {
      worker = -1;
      header.wait_status.store(status);
      header.ended.store(header.generation.load());
    }
    usleep(20000);
  }
}

}  // namespace mrproof::conformance
