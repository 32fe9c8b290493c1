#include <poll.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include "conformance/run/process.hpp"
#include "conformance/run/worker.hpp"
#include "impl/own_program.hpp"
#include "model/random.hpp"

namespace mrproof::conformance {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a killed worker may take to die before it counts as stuck.
constexpr std::chrono::seconds kKillTime{20};
/// Microseconds between looks at the worker, and at most, where it has given no sign for long: each
/// look wakes a machine whose idle time costs nothing.
constexpr unsigned kLook = 5000, kSeldom = 500'000;
/// The most and least of them where the worker is moved at each look.
constexpr unsigned kShortLook = 100, kLongLook = 1000;

/// A worker, and whether there are signs of life from it.
class Watch {
 public:
  Watch(Channel& channel, pid_t worker)
      : header_(channel.header()),
        worker_(worker),
        end_(static_cast<int>(syscall(SYS_pidfd_open, worker, 0))) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { close(end_); }

  /// Returns when the worker is over, one way or another.
  void run() {
    int status = 0;
    while (waitpid(worker_, &status, WNOHANG) != worker_) {
      const auto now = Clock::now();
      // Added, since a worker that stays serves several requests, each of which begins at 0.
      const auto taken = milliseconds(now - counted_);
      header_.time_taken.fetch_add(taken);
      counted_ += std::chrono::milliseconds(taken);
      if (killed_ && now - *killed_ > kKillTime) return say(Watched::stuck);
      if (!killed_ && (header_.shut_down.load() != 0 || !gives_a_sign(now))) {
        ::kill(worker_, SIGKILL);
        killed_ = now;
      }
      wait(header_.restless.load() != 0 ? move() : look_);
    }
    header_.wait_status.store(status);
    say(killed_ ? Watched::hung : Watched::ended);
  }

 private:
  /// Has the worker go on with another processor, if there is one. The time until the next move.
  unsigned move() {
    const auto processors = static_cast<unsigned>(sysconf(_SC_NPROCESSORS_ONLN));
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(++moves_ % processors, &set);
    sched_setaffinity(worker_, sizeof set, &set);
    return static_cast<unsigned>(random_.between(kShortLook, kLongLook));
  }

  /// Till the worker ends, at most so many microseconds.
  void wait(unsigned microseconds) const {
    pollfd end{end_, POLLIN, 0};  // none, where the kernel has no such descriptors
    const timespec time{microseconds / 1'000'000, microseconds % 1'000'000 * 1000L};
    ppoll(&end, 1, &time, nullptr);
  }

  static std::uint64_t milliseconds(Clock::duration time) {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  }

  /// Whether it has written something of late, or waits for the supervisor.
  bool gives_a_sign(Clock::time_point now) {
    // The records of the next request may be as long as those of the last one.
    const std::pair sign{header_.head.load(), header_.asks.load()};
    if (sign != sign_ || header_.answers.load() != sign.second) {
      sign_ = sign;
      heard_ = now;
      look_ = kLook;
    } else {
      look_ = std::min(2 * look_, kSeldom);
    }
    return milliseconds(now - heard_) < header_.step_limit.load();
  }

  void say(Watched watched) { header_.watched.store(static_cast<std::uint32_t>(watched)); }

  ChannelHeader& header_;
  pid_t worker_;
  int end_;                ///< by which its end is told of
  unsigned look_ = kLook;  ///< until the next look
  Clock::time_point heard_ = Clock::now(), counted_ = heard_;
  std::optional<Clock::time_point> killed_;
  std::pair<std::uint64_t, std::uint32_t> sign_{};  ///< of life: what it has written, and asked
  unsigned moves_ = 0;
  model::Random random_{1};
};

}  // namespace

void run_agent(Channel& channel, const std::string& channel_path, const std::string& own_device) {
  for (;;) {
    channel.wait(Wants::request);
    if (channel.header().shut_down.load() != 0) return;
    Watch(channel, start_process({impl::own_program(), "worker", "--channel", channel_path,
                                  "--own-device", own_device}))
        .run();
  }
}

}  // namespace mrproof::conformance
