#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "conformance/run/agent_host.hpp"
#include "conformance/run/console.hpp"
#include "conformance/run/peer_guest.hpp"
#include "conformance/run/process.hpp"
#include "conformance/run/qmp.hpp"
#include "conformance/run/saved_guest.hpp"
#include "conformance/run/stop.hpp"
#include "impl/own_program.hpp"
#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// Longest that a boot may take before it counts as failed; machines are shared and emulated.
constexpr auto kBootLimit = std::chrono::minutes(5);
/// Longest that a console is silent during a boot that has not come to a stop.
constexpr auto kSilenceLimit = std::chrono::seconds(100);
/// Emulated machines hang or panic now and then while they boot, before anything was called.
constexpr int kBoots = 3;
/// Longest without a sign of life from a guest, by this machine's clock, before its emulator counts
/// as stuck. It is no verdict: a guest that hangs tells so itself, by its own clock.
constexpr auto kEmulatorLimit = std::chrono::minutes(10);

nlohmann::json image_of(const std::string& target) {
  std::ifstream in(target + "/target.json");
  auto json = nlohmann::json::parse(in, nullptr, false);
  if (in && !json.is_discarded()) return json;
  throw model::ToolError(
      fmt::format("{}: no target image (target.json cannot be read); build one with "
                  "ci/build-target",
                  target));
}

class VirtualHost : public AgentHost {
 public:
  VirtualHost(Channel& channel, const std::string& path, std::string console,
              const MachineOptions& machine)
      : AgentHost(channel),
        path_(std::filesystem::absolute(path).string()),
        target_(std::filesystem::absolute(machine.target).string()),
        console_(std::move(console)),
        kernel_arguments_(kernel_arguments(machine)),
        restless_(machine.preempt) {
    const auto json = image_of(machine.target);
    check_program(target_, json.value("program", ""));
    const std::string accelerator = json.value("accelerator", "?");
    if (repeats(machine)) guest_ = guest_of(machine, json.value("processors", 1U));
    name_ = fmt::format("virtual machine {} ({}{})", json.value("name", "?"), accelerator,
                        guest_ ? ", " + model::print_guest(*guest_) : "");
    mode_ = guest_ ? std::vector{fmt::format("--seed={}", guest_->seed),
                                 fmt::format("--processors={}", guest_->processors)}
                   : std::vector<std::string>{"--no-repeat"};
    if (!machine.peer.empty()) add_peer(machine);
    saved_.emplace(target_, fmt::format("{}", fmt::join(mode_, " ")), kernel_arguments_);
    has_monitor_ = accelerator == "tcg" || accelerator == "kvm";
    if (machine.driver_coverage) {
      if (accelerator != "tcg")
        throw model::ToolError(
            "only an emulated guest tells what was reached of the driver: build its image with "
            "MRPROOF_ACCEL=tcg in the environment, or leave out --driver-coverage");
      code_log_.emplace(target_);
    }
    // Arguments to the guest's own first process ask for something once.
    saves_ = guest_ &&
             std::none_of(kernel_arguments_.begin(), kernel_arguments_.end(),
                          [](const std::string& word) { return word.starts_with("mrproof."); });
  }

  ~VirtualHost() override {
    if (!code_log_) return;
    renew();
    std::error_code ignored;
    std::filesystem::remove(code_log(), ignored);
  }
  VirtualHost(const VirtualHost&) = delete;
  VirtualHost& operator=(const VirtualHost&) = delete;

  std::string kernel_trouble() override {
    const auto own = console_trouble(log_);
    return own.empty() && peer_ ? peer_->kernel_trouble() : own;
  }

  std::optional<DriverCoverage> take_reached() override {
    if (!code_log_) return std::nullopt;
    read_code_log();
    return code_log_->take();
  }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] double boot_seconds() const override { return boot_seconds_; }

  [[nodiscard]] std::optional<model::GuestSetup> guest() const override { return guest_; }

 private:
  /// Images say which build of the program they hold; those made without ci/build-target
  /// need not.
  static void check_program(const std::string& target, const std::string& held) {
    if (const std::string own = impl::build_id(); !held.empty() && !own.empty() && held != own)
      throw model::ToolError(
          fmt::format("{}: the image holds another build of mrproof ({:.8}) than this one ({:.8}); "
                      "run ci/build-target again, with --program {}",
                      target, held, own, impl::own_program()));
  }

  static model::GuestSetup guest_of(const MachineOptions& machine, std::uint32_t most) {
    if (machine.processors > most)
      throw model::ToolError(fmt::format(
          "{}: a guest of {} processors is wanted, and its QEMU repeats what a guest does with {} "
          "only; install QEMU 10 or newer, and build the image again",
          machine.target, machine.processors, most));
    return {machine.seed, machine.processors == 0 ? most : machine.processors, machine.preempt,
            machine.wire};
  }

  static std::vector<std::string> kernel_arguments(const MachineOptions& machine) {
    auto all = machine.kernel_arguments;
    if (machine.preempt) all.emplace_back("preempt=full");
    if (!machine.wire.empty()) all.push_back(fmt::format("wire=\"{}\"", machine.wire));
    return all;
  }

  /// The guest at the other end.
  void add_peer(const MachineOptions& machine) {
    const auto json = image_of(machine.peer);
    check_program(machine.peer, json.value("program", ""));
    name_ += fmt::format(", its peer {}", json.value("name", "?"));
    peer_.emplace(machine.peer, console_ + "-peer", kernel_arguments_);
    kernel_arguments_ = peer_->other_arguments();
    mode_.push_back(peer_->link());
  }

  /// From the saved guest, which is made where there is none; boots where that fails.
  void bring_up() override {
    if (peer_) peer_->bring_up();
    if (saves_ && !saved_->exists()) {
      if (boot_and_save()) return;
    } else if (saves_ && code_log_ && boots_ == 0) {
      boot();  // what brings the device up counts, whether a guest was saved before or not
      renew();
    }
    if (saves_ && begin_from_saved()) return;
    boot();
  }

  /// Whether the guest that booted is the one to use, since it cannot be saved. One guest of a run
  /// is saved, the others begin from it.
  bool boot_and_save() {
    static std::mutex one;
    const std::lock_guard lock(one);
    if (saved_->exists()) return false;
    boot();
    try {
      if (!pauses())
        throw model::ToolError("the guest's kernel has no /dev/port: it cannot be saved");
      saved_->save(*qmp_, log_);
      renew();
      return false;
    } catch (const std::exception& error) {
      do_without_saved(error);
      return qmp_->is_open();
    }
  }

  bool begin_from_saved() {
    const auto start = Clock::now();
    launch(true);
    const std::string control = channel_.control();
    try {
      saved_->load(*qmp_);
      channel_.set_control(control);
    } catch (const std::exception& error) {
      renew();
      do_without_saved(error);
      return false;
    }
    came_up(start);
    return true;
  }

  void do_without_saved(const std::exception& error) {
    saves_ = false;
    static std::once_flag told;
    std::call_once(told, [&] {
      fmt::print(stderr, "mrproof: {}; guests are booted, which takes seconds each\n",
                 error.what());
    });
  }

  void boot() {
    for (int i = 1; i < kBoots; ++i) {
      if (come_up(true)) return;
      if (const auto failed = console_line(log_, {kGuestFailed}); guest_ && !failed.empty())
        throw model::ToolError(fmt::format("the virtual machine does not come up: {}; see {}",
                                           failed.substr(std::strlen(kGuestFailed)), log_));
    }
    if (come_up(false)) return;
    const auto said = last_line(console_ + "-qemu.log");
    throw model::ToolError(fmt::format(
        "the virtual machine {}, {} times{}; see {}{}",
        end_text_.empty() ? "did not come up" : "ended while it booted (" + end_text_ + ")", kBoots,
        said.empty() ? "" : ": " + said, log_,
        guest_ ? "; if it is that QEMU or the kernel cannot do with counted instructions, use "
                 "--no-repeat"
               : ""));
  }

  static std::string last_line(const std::string& file) {
    std::ifstream in(file);
    std::string last;
    for (std::string line; std::getline(in, line);)
      if (!line.empty()) last = line;
    return last;
  }

  /// Starts QEMU and waits for the agent; `impatient`: no longer than its console goes on. False if
  /// the agent did not come; `end_text_` says how QEMU ended, if it did.
  bool come_up(bool impatient) {
    const auto start = Clock::now();
    launch(false);
    // A console that ends too early does not tell where the driver's code lies.
    if (!agent_came(start, impatient)) {
      said_.clear();
      return false;
    }
    came_up(start);
    return true;
  }

  bool agent_came(Clock::time_point start, bool impatient) {
    auto heard = start;
    std::uintmax_t said = 0;
    end_text_.clear();
    while (!channel_.waiting() || !stands_still()) {
      if (wait_for_process(5)) return false;
      if (stop_requested()) {
        renew();
        throw Stopped();
      }
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
    return true;
  }

  void came_up(Clock::time_point start) {
    heard_ = Clock::now();
    boot_seconds_ = std::chrono::duration<double>(heard_ - start).count();
  }

  /// `from_saved`: the guest waits for a request as before it was saved; else it boots.
  void launch(bool from_saved) {
    read_code_log();
    auto& header = channel_.header();
    header.asks.store(from_saved ? 1 : 0);
    header.answers.store(0);
    header.wants.store(static_cast<std::uint32_t>(Wants::request));
    header.pauses.store(has_monitor_ ? 1 : 0);
    header.restless.store(restless_ ? 1 : 0);
    log_ = fmt::format("{}-{}.log", console_, ++boots_);
    std::vector<std::string> words{target_ + "/boot"};
    if (has_monitor_) words.emplace_back("--monitor");
    if (has_monitor_) words.insert(words.end(), mode_.begin(), mode_.end());
    if (from_saved) words.emplace_back("--incoming");
    if (code_log_) {
      std::filesystem::remove(code_log());
      code_log_->restart();
      words.push_back("--code-log=" + code_log());
      said_ = from_saved ? saved_->console() : log_;
    }
    words.insert(words.end(), {path_, std::filesystem::absolute(log_).string()});
    words.insert(words.end(), kernel_arguments_.begin(), kernel_arguments_.end());
    qmp_.reset();
    int ends[2] = {-1, -1};
    if (has_monitor_ && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw model::ToolError("no sockets can be made for QEMU's monitor");
    process_ = start_process(words, console_ + "-qemu.log", ends[1]);
    if (!has_monitor_) return;
    close(ends[1]);
    qmp_.emplace(ends[0]);
    qmp_->greet(!from_saved);
  }

  [[nodiscard]] std::string code_log() const {
    return std::filesystem::absolute(console_ + ".code").string();
  }

  void read_code_log() {
    if (!said_.empty()) code_log_->read(code_log(), said_);
  }

  /// Whether who waits stops the machine: it needs the monitor, and a kernel with /dev/port.
  bool pauses() const { return qmp_ && channel_.header().pauses.load() != 0; }

  bool stands_still() override { return !pauses() || qmp_->is_stopped(); }

  void resume() override {
    heard_ = Clock::now();
    if (pauses()) qmp_->go_on();
  }

  Ended process_ended() override {
    if (const auto panic = console_line(log_, {"Kernel panic"}); !panic.empty())
      return Ended{Ended::How::panic, 0, panic};
    return Ended{Ended::How::killed, 0, "the virtual machine ended: " + end_text_};
  }

  std::optional<Ended> lost() override {
    if (const auto end = peer_ ? peer_->end() : std::nullopt) {
      renew();
      return end;
    }
    // A kernel that knows the device tells of its panics by it.
    if (qmp_ && qmp_->is_stopped() && !channel_.waiting()) {
      renew();
      return process_ended();
    }
    const auto sign = channel_.header().head.load() + channel_.header().time_taken.load();
    if (sign != std::exchange(sign_, sign)) heard_ = Clock::now();
    if (Clock::now() - heard_ < kEmulatorLimit) return std::nullopt;
    renew();
    return Ended{
        Ended::How::lost, 0,
        fmt::format("no sign of life from the emulator for {} minutes", kEmulatorLimit.count())};
  }

  std::string path_;
  std::string target_;
  std::string console_;
  std::vector<std::string> kernel_arguments_;
  bool restless_;
  std::optional<model::GuestSetup> guest_;
  std::vector<std::string> mode_;  ///< the boot program's options for it
  std::optional<PeerGuest> peer_;
  std::optional<SavedGuest> saved_;
  bool saves_ = false;
  std::string name_;
  std::string log_;
  bool has_monitor_ = false;
  std::optional<Qmp> qmp_;
  int boots_ = 0;
  double boot_seconds_ = 0;
  Clock::time_point heard_;
  std::uint64_t sign_ = 0;  ///< of life
  std::optional<CodeLog> code_log_;
  std::string said_;  ///< the console of the boot of the guest that is there, or was last
};

}  // namespace

bool repeats(const MachineOptions& machine) {
  return !machine.target.empty() && machine.repeats && machine.peer.empty() &&
         image_of(machine.target).value("accelerator", "?") == "tcg";
}

std::uint32_t processors_of_repeating(const MachineOptions& machine) {
  return repeats(machine) ? image_of(machine.target).value("processors", 1U) : 0;
}

std::unique_ptr<Host> make_virtual_host(Channel& channel, const std::string& channel_path,
                                        const std::string& console, const MachineOptions& machine) {
  return std::make_unique<VirtualHost>(channel, channel_path, console, machine);
}

}  // namespace mrproof::conformance
