#include <memory>
#include <string>

#include "conformance/commands/commands.hpp"
#include "conformance/run/worker.hpp"

namespace mrproof::conformance {

void add_worker_commands(CLI::App& app, int& exit_code) {
  auto path = std::make_shared<std::string>();
  auto own = std::make_shared<std::string>();
  // Not for people: the supervisor starts them.
  auto* worker = app.add_subcommand("worker", "")->group("");
  worker->add_option("--channel", *path)->required();
  worker->add_option("--own-device", *own);
  worker->callback([path, own, &exit_code] {
    Channel channel = Channel::attach(*path);
    exit_code = run_worker(channel, *own);
  });
  auto* agent = app.add_subcommand("agent", "")->group("");
  agent->add_option("--channel", *path)->required();
  agent->add_option("--own-device", *own);
  agent->callback([path, own] {
    Channel channel = Channel::attach(*path);
    run_agent(channel, *path, *own);
  });
}

}  // namespace mrproof::conformance
