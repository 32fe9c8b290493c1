#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/trial_options.hpp"
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
  bool while_held = false;  ///< ends when its standard input does
};

std::string secret() {
  if (const char* given = std::getenv("MRPROOF_PEER_SECRET"); given != nullptr && *given != '\0')
    return given;
  return impl::new_secret();
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "HOST";
}

/// Whether to end: at an interrupt, or when nobody holds the standard input any more.
bool is_over(bool while_held) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  char byte = 0;
  if (while_held && poll(&input, 1, 0) > 0 && read(STDIN_FILENO, &byte, 1) <= 0) request_stop();
  return stop_requested();
}

void peer(const PeerWish& wish) {
  auto device = impl::verbs_device_by_name(wish.device);
  if (device.options.two_processes || device.options.huge_pages)
    throw model::ToolError(
        "a peer is one process, and its buffers are a file's: leave out two-processes and huge");
  impl::PeerOptions wanted;
  wanted.device = device.name.empty() ? impl::only_device() : device.name;
  wanted.options = device.options;
  wanted.address = wish.address;
  wanted.port = wish.port;
  wanted.secret = secret();
  for (const int signal_number : {SIGINT, SIGTERM})
    std::signal(signal_number, [](int) { request_stop(); });
  const auto listens = [&](const std::string& where) {
    fmt::print(
        "mrproof peer listens at {} for runs with {}; on the other host, before 'mrproof "
        "run':\n  export MRPROOF_PEER={}{} MRPROOF_PEER_SECRET={}\n",
        where, wanted.device, host_name(), where.substr(where.rfind(':')), wanted.secret);
    std::fflush(stdout);
  };
  const auto say = [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
  impl::run_peer(
      wanted, [&] { return is_over(wish.while_held); }, listens, say);
}

}  // namespace

void add_peer_command(CLI::App& app, int& exit_code) {
  auto wish = std::make_shared<PeerWish>();
  auto* command = app.add_subcommand(
      "peer", "be the other end of a run's connections, which begins on another host");
  command->add_option("--device", wish->device,
                      "device as libibverbs names it, with suffixes as of 'mrproof run' (default: "
                      "the only one)");
  add_dmabuf_option(*command);
  command->add_option("--listen", wish->address, "address to listen at (default: all of IPv4)");
  command->add_option("--port", wish->port, "port to listen at; 0: any that is free")
      ->capture_default_str();
  command->add_flag("--while-held", wish->while_held)->group("");  // for whoever starts it by ssh
  command->footer(
      "Prints the two variables that the run needs: where it listens, and a secret, which is that\n"
      "of MRPROOF_PEER_SECRET if that is set here. Serves one run at a time, until interrupted.");
  command->callback([wish, &exit_code] {
    peer(*wish);
    exit_code = kExitExpected;
  });
}

}  // namespace mrproof::conformance
