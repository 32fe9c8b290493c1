#include "impl/verbs/threads.hpp"

#include <sched.h>

#include <cerrno>
#include <ctime>
#include <exception>
#include <utility>

#include "impl/verbs/arguments.hpp"

namespace mrproof::impl {
namespace {

/// Until all threads have woken up and wait for their moments.
constexpr std::int64_t kHeadStartNs = 200'000;
constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * kSecond + now.tv_nsec;
}

void sleep_until(std::int64_t moment_ns) {
  const timespec moment{.tv_sec = moment_ns / kSecond, .tv_nsec = moment_ns % kSecond};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nullptr) == EINTR) continue;
}

}  // namespace

void Threads::begin(std::uint8_t label, std::uint32_t delay, bool yields, Make make) {
  Begun& begun = begun_.at(label);
  if (begun.thread.joinable()) report_misuse("call", label, "has begun");
  begun.thrown = nullptr;
  begun.thread = std::thread([this, &begun, label, delay, yields, make = std::move(make)] {
    const sched_param priority{yields ? 0 : 1 + label};
    static_cast<void>(sched_setscheduler(0, yields ? SCHED_OTHER : SCHED_FIFO, &priority));
    gone_.wait(false);
    sleep_until(start_ns_ + std::int64_t{delay} * 1000);
    try {
      begun.answer = make();
    } catch (...) {
      begun.thrown = std::current_exception();
    }
  });
}

void Threads::go() {
  if (gone_) return;
  start_ns_ = now_ns() + kHeadStartNs;
  gone_ = true;
  gone_.notify_all();
}

void Threads::await_start() const { sleep_until(start_ns_); }

Answer Threads::join(std::uint8_t label) {
  Begun& begun = begun_.at(label);
  if (!begun.thread.joinable()) report_misuse("call", label, "has not begun");
  begun.thread.join();
  bool others = false;
  for (const Begun& other : begun_) others = others || other.thread.joinable();
  if (!others) gone_ = false;
  if (begun.thrown) std::rethrow_exception(std::exchange(begun.thrown, nullptr));
  return begun.answer;
}

void Threads::join_all() {
  go();
  for (Begun& begun : begun_)
    if (begun.thread.joinable()) begun.thread.join();
  gone_ = false;
}

}  // namespace mrproof::impl
