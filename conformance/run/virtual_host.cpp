#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/run/host.hpp"
#include "conformance/run/process.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// Longest that a boot may take before it counts as failed; machines are shared and emulated.
constexpr auto kBootLimit = std::chrono::minutes(5);
/// Longest that a console is silent during a boot that has not come to a stop.
constexpr auto kSilenceLimit = std::chrono::seconds(100);
/// Emulated machines hang or panic now and then while they boot, before anything was called.
constexpr int kBoots = 3;

class VirtualHost : public Host {
 public:
  VirtualHost(Channel& channel, std::string path, std::string target, std::string console,
              std::vector<std::string> kernel_arguments)
      : channel_(channel),
        path_(std::move(path)),
        target_(std::move(target)),
        console_(std::move(console)),
        kernel_arguments_(std::move(kernel_arguments)) {
    std::ifstream in(target_ + "/target.json");
    const auto json = nlohmann::json::parse(in, nullptr, false);
    if (!in || json.is_discarded())
      throw model::ToolError(
          fmt::format("{}: no target image (target.json cannot be read); build one "
                      "with ci/build-target",
                      target_));
    name_ = fmt::format("virtual machine {} ({})", json.value("name", "?"),
                        json.value("accelerator", "?"));
  }
  ~VirtualHost() override {
    if (qemu_ <= 0) return;
    command(Command::shut_down);
    if (!wait_for_qemu(std::chrono::seconds(10))) renew();
  }

  void start() override {
    if (qemu_ <= 0) boot();
    auto& header = channel_.header();
    header.stop.store(0);
    header.generation.fetch_add(1);
    command(Command::start);
  }

  std::optional<Ended> ended() override {
    auto& header = channel_.header();
    if (channel_.is_worker_resting()) return at_rest();
    if (header.ended.load() == header.generation.load())
      return describe_wait_status(header.wait_status.load());
    if (!wait_for_qemu(std::chrono::seconds(0))) return std::nullopt;
    if (const auto panic = console_line({"Kernel panic"}); !panic.empty())
      return Ended{Ended::How::panic, 0, panic};
    return Ended{Ended::How::killed, 0, "the virtual machine ended: " + end_text_};
  }

  void kill() override { command(Command::kill); }

  bool renew() override {
    if (qemu_ > 0) ::kill(qemu_, SIGKILL);
    wait_for_qemu(std::chrono::seconds(10));
    return true;
  }

  std::string kernel_trouble() override {
    // A warning may be of an earlier case.
    const auto fatal = console_line({"BUG:", "Oops", "general protection fault"});
    return fatal.empty() ? console_line({"WARNING:"}) : fatal;
  }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] double boot_seconds() const override { return boot_seconds_; }

 private:
  void command(Command command) {
    channel_.header().command.store(static_cast<std::uint32_t>(command));
  }

  void boot() {
    for (int i = 1; i < kBoots; ++i)
      if (come_up(true)) return;
    if (come_up(false)) return;
    throw model::ToolError(fmt::format(
        "the virtual machine {}, {} times; see {} and {}-qemu.log",
        end_text_.empty() ? "did not come up" : "ended while it booted (" + end_text_ + ")", kBoots,
        log_, console_));
  }

  /// Starts QEMU and waits for the agent; `impatient`: no longer than its console goes on. False if
  /// the agent did not come; `end_text_` says how QEMU ended, if it did.
  bool come_up(bool impatient) {
    const auto start = Clock::now();
    launch();
    auto heard = start;
    std::uintmax_t said = 0;
    end_text_.clear();
    while (channel_.header().agent_ready.load() == 0) {
      if (wait_for_qemu(std::chrono::milliseconds(50))) return false;
      std::error_code unknown;
      const auto size = std::filesystem::file_size(log_, unknown);
      if (!unknown && size != std::exchange(said, size)) heard = Clock::now();
      const bool silent = impatient && Clock::now() - heard > kSilenceLimit;
      if (silent || Clock::now() - start > kBootLimit) {
        renew();
        end_text_.clear();
        return false;
      }
    }
    boot_seconds_ = std::chrono::duration<double>(Clock::now() - start).count();
    return true;
  }

  void launch() {
    channel_.header().agent_ready.store(0);
    command(Command::none);
    log_ = fmt::format("{}-{}.log", console_, ++boots_);
    const auto absolute = [](const std::string& p) {
      return std::filesystem::absolute(p).string();
    };
    std::vector<std::string> command_line{absolute(target_ + "/boot"), absolute(path_),
                                          absolute(log_)};
    command_line.insert(command_line.end(), kernel_arguments_.begin(), kernel_arguments_.end());
    qemu_ = start_process(command_line, console_ + "-qemu.log");
  }

  /// Whether QEMU has ended, waiting at most so long.
  bool wait_for_qemu(std::chrono::milliseconds limit) {
    const auto start = Clock::now();
    int status = 0;
    while (qemu_ > 0 && waitpid(qemu_, &status, WNOHANG) == 0) {
      if (Clock::now() - start >= limit) return false;
      usleep(10000);
    }
    if (qemu_ > 0) end_text_ = describe_wait_status(status).text;
    qemu_ = -1;
    return true;
  }

  /// The first line of this boot's console with one of the texts, from there on.
  std::string console_line(std::initializer_list<const char*> texts) {
    std::ifstream in(log_);
    for (std::string line; std::getline(in, line);)
      for (const char* text : texts)
        if (const auto at = line.find(text); at != std::string::npos)
          return line.substr(at, line.find_last_not_of("\r\n") + 1 - at);
    return "";
  }

  Channel& channel_;
  std::string path_;
  std::string target_;
  std::string console_;
  std::vector<std::string> kernel_arguments_;
  std::string name_;
  std::string end_text_;
  std::string log_;
  int boots_ = 0;
  double boot_seconds_ = 0;
  pid_t qemu_ = -1;
};

}  // namespace

std::unique_ptr<Host> make_virtual_host(Channel& channel, const std::string& channel_path,
                                        const std::string& target, const std::string& console,
                                        const std::vector<std::string>& kernel_arguments) {
  return std::make_unique<VirtualHost>(channel, channel_path, target, console, kernel_arguments);
}

}  // namespace mrproof::conformance
