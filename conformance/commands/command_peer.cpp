#include <fmt/format.h>
#include <sys/random.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/validators.hpp"
#include "conformance/run/stop.hpp"
#include "impl/by_name/open_device.hpp"
#include "impl/verbs/peer.hpp"
#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

struct PeerWish {
  std::string device;
  std::string address;
  std::uint16_t port = 0;
};

std::string secret() {
  if (const char* given = std::getenv("MRPROOF_PEER_SECRET"); given != nullptr && *given != '\0')
    return given;
  unsigned char random[16];
  if (getrandom(random, sizeof random, 0) != sizeof random)
    throw model::ToolError("getrandom(2) gives no secret; set MRPROOF_PEER_SECRET");
  std::string text;
  for (const unsigned char byte : random) text += fmt::format("{:02x}", byte);
  fmt::print("MRPROOF_PEER_SECRET={}\n", text);
  return text;
}

void peer(const PeerWish& wish) {
  auto device = impl::verbs_device_by_name(wish.device);
  if (!device.options.host.empty() || device.options.two_processes)
    throw model::ToolError("a peer is one process on one host: leave out two-processes and host=");
  impl::PeerOptions wanted;
  wanted.device = device.name.empty() ? impl::only_device() : device.name;
  wanted.options = device.options;
  wanted.address = wish.address;
  wanted.port = wish.port;
  wanted.secret = secret();
  for (const int signal_number : {SIGINT, SIGTERM})
    std::signal(signal_number, [](int) { request_stop(); });
  impl::run_peer(wanted, stop_requested, [](const std::string& line) {
    fmt::print("mrproof peer: {}\n", line);
    std::fflush(stdout);
  });
}

}  // namespace

void add_peer_command(CLI::App& app, int& exit_code) {
  auto wish = std::make_shared<PeerWish>();
  auto* command = app.add_subcommand(
      "peer", "be the other end of a run's connections, which begins on another host");
  command->add_option("--device", wish->device,
                      "device as libibverbs names it, with suffixes as of 'mrproof run' (default: "
                      "the only one)");
  command->add_option("--listen", wish->address, "address to listen at (default: all of IPv4)");
  command->add_option("--port", wish->port, "port to listen at; 0: any that is free")
      ->capture_default_str();
  command->footer(
      "Prints where it listens, HOST:PORT, and the secret that the run needs in the variable\n"
      "MRPROOF_PEER_SECRET; if that is set here, it is the secret. Serves one run at a time, until\n"
      "it is interrupted.");
  command->callback([wish, &exit_code] {
    peer(*wish);
    exit_code = kExitExpected;
  });
}

}  // namespace mrproof::conformance
