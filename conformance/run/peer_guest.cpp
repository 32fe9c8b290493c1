#include "conformance/run/peer_guest.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <utility>

#include "conformance/run/agent_host.hpp"
#include "conformance/run/console.hpp"
#include "conformance/run/process.hpp"
#include "conformance/run/stop.hpp"
#include "impl/verbs/peer.hpp"
#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// Longest that a boot may take, and how often it is tried.
constexpr auto kBootLimit = std::chrono::minutes(3);
constexpr int kBoots = 3;
constexpr std::size_t kSmallChannel = 1U << 21U;

}  // namespace

PeerGuest::PeerGuest(std::string target, std::string console,
                     std::vector<std::string> kernel_arguments)
    : target_(std::filesystem::absolute(target).string()),
      console_(std::move(console)),
      kernel_arguments_(std::move(kernel_arguments)),
      secret_(impl::new_secret()),
      channel_file_(folder_.file("channel")),
      channel_(Channel::create(channel_file_, kSmallChannel)) {}

std::string PeerGuest::link_of(int number) const {
  return fmt::format("--link={},{},{}", number, folder_.file(std::to_string(number)),
                     folder_.file(std::to_string(3 - number)));
}

std::vector<std::string> PeerGuest::arguments_of(int number) const {
  auto all = kernel_arguments_;
  all.push_back(fmt::format("peer={}", number));
  all.push_back("MRPROOF_PEER_SECRET=" + secret_);
  return all;
}

void PeerGuest::bring_up() {
  for (int boot = 1; process_ <= 0; ++boot) {
    log_ = fmt::format("{}-{}.log", console_, ++boots_);
    std::vector<std::string> words{target_ + "/boot", "--no-repeat", link_of(2), channel_file_,
                                   std::filesystem::absolute(log_).string()};
    const auto arguments = arguments_of(2);
    words.insert(words.end(), arguments.begin(), arguments.end());
    process_ = start_process(words, console_ + "-qemu.log");
    const auto start = Clock::now();
    while (!end() && Clock::now() - start < kBootLimit) {
      if (!console_line(log_, {"mrproof peer listens"}).empty()) return;
      if (stop_requested()) throw Stopped();
      usleep(20'000);
    }
    renew();
    const auto failed = console_line(log_, {kGuestFailed});
    if (boot == kBoots || !failed.empty())
      throw model::ToolError(fmt::format("the peer's virtual machine does not come up: {}; see {}",
                                         failed.empty() ? "no sign of its program" : failed, log_));
  }
}

void PeerGuest::renew() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

std::optional<Ended> PeerGuest::end() {
  int status = 0;
  if (process_ <= 0 || waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  process_ = -1;
  if (const auto panic = console_line(log_, {"Kernel panic"}); !panic.empty())
    return Ended{Ended::How::panic, 0, "the peer's machine: " + panic};
  return Ended{Ended::How::killed, 0,
               "the peer's virtual machine ended: " + describe_wait_status(status).text};
}

}  // namespace mrproof::conformance
