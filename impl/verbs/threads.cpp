#include "impl/verbs/threads.hpp"

#include <sched.h>

#include <algorithm>
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

void Threads::begin(Order order) {
  Begun& begun = begun_.at(order.label);
  if (begun.first != 0) report_misuse("call", order.label, "has begun");
  begun.answer = Answer{};
  begun.answer.result.outcome = model::Outcome::none;
  begun.thrown = nullptr;
  begun.over = false;
  begun.first = order.follows == 0 ? order.label : begun_.at(order.follows).first;
  if (begun.first == 0) report_misuse("call", order.follows, "has not begun");
  Begun& first = begun_.at(begun.first);
  const bool is_first = order.follows == 0;
  if (is_first) first.calls.clear();
  first.calls.push_back(std::move(order));
  // It looks at its calls when it goes on, and there are all of them then.
  if (is_first) first.thread = std::thread([this, &first] { run(first.calls); });
}

void Threads::run(const std::vector<Order>& calls) {
  gone_.wait(false);
  std::int64_t moment = start_ns_;
  bool failed = false;
  for (const Order& order : calls) {
    if (failed) {
      end(order.label);
      continue;
    }
    const sched_param priority{order.yields ? 0 : 1 + order.label};
    static_cast<void>(sched_setscheduler(0, order.yields ? SCHED_OTHER : SCHED_FIFO, &priority));
    if (&order == &calls.front() || order.delay != 0)
      sleep_until(moment + std::int64_t{order.delay} * 1000);
    failed = !make(order);
    end(order.label);
    moment = now_ns();
  }
}

/// Whether the call succeeded.
bool Threads::make(const Order& order) {
  Begun& begun = begun_.at(order.label);
  try {
    begun.answer = order.make();
  } catch (...) {
    begun.thrown = std::current_exception();
  }
  return !begun.thrown && begun.answer.result.outcome == model::Outcome::ok;
}

void Threads::end(std::uint8_t label) {
  begun_.at(label).over = true;
  begun_.at(label).over.notify_all();
}

void Threads::go() {
  if (gone_) return;
  start_ns_ = now_ns() + kHeadStartNs;
  gone_ = true;
  gone_.notify_all();
}

void Threads::await_start() const { sleep_until(start_ns_); }

/// Whether a call of that thread, or of any if it is 0, was not asked for.
bool Threads::has(std::uint8_t first) const {
  return std::any_of(begun_.begin(), begun_.end(), [&](const Begun& begun) {
    return begun.first != 0 && (first == 0 || begun.first == first);
  });
}

Answer Threads::join(std::uint8_t label) {
  Begun& begun = begun_.at(label);
  if (begun.first == 0) report_misuse("call", label, "has not begun");
  const std::uint8_t first = std::exchange(begun.first, std::uint8_t{0});
  if (has(first))
    begun.over.wait(false);
  else
    begun_.at(first).thread.join();
  if (!has(0)) gone_ = false;
  if (begun.thrown) std::rethrow_exception(std::exchange(begun.thrown, nullptr));
  return begun.answer;
}

void Threads::join_all() {
  go();
  for (Begun& begun : begun_) {
    if (begun.thread.joinable()) begun.thread.join();
    begun.first = 0;
  }
  gone_ = false;
}

}  // namespace mrproof::impl
