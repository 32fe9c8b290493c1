#include <memory>
#include <string>

#include "conformance/commands/commands.hpp"
#include "conformance/run/worker.hpp"

namespace mrproof {

void add_worker_commands(CLI::App& app, int& exit_code) {
  auto path = std::make_shared<std::string>();
  // Not for people: the supervisor starts them.
  auto* worker = app.add_subcommand("worker", "")->group("");
  worker->add_option("--channel", *path)->required();
  worker->callback([path, &exit_code] {
    Channel channel = Channel::attach(*path);
    exit_code = run_worker(channel);
  });
  auto* agent = app.add_subcommand("agent", "")->group("");
  agent->add_option("--channel", *path)->required();
  agent->callback([path, &exit_code] {
    Channel channel = Channel::attach(*path);
    exit_code = run_agent(channel, *path);
  });
}

}  // namespace mrproof
