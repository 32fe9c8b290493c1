#include "impl/verbs/threads.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace mrproof::impl {
namespace {

using std::chrono::milliseconds;

Answer answer_of(int error) {
  Answer answer;
  answer.error = error;
  return answer;
}

TEST(Threads, WaitUntilTheyAreToldToGoOn) {
  Threads threads;
  std::atomic<int> made = 0;
  for (std::uint8_t label = 1; label <= 3; ++label)
    threads.begin({label, 0, 0, false, [&made, label] { return ++made, answer_of(label); }});
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(made, 0);
  threads.go();
  for (const std::uint8_t label : std::array<std::uint8_t, 3>{2, 1, 3})
    EXPECT_EQ(threads.join(label).error, label);
  EXPECT_EQ(made, 3);
}

TEST(Threads, EachSleepsForItsDelay) {
  Threads threads;
  std::atomic<int> first = 0;
  threads.begin({1, 0, 60'000, false, [&] { return answer_of(first++); }});
  threads.begin({2, 0, 0, true, [&] { return answer_of(first++); }});
  threads.go();
  EXPECT_EQ(threads.join(1).error, 1);
  EXPECT_EQ(threads.join(2).error, 0);
}

TEST(Threads, CanBeginAgain) {
  Threads threads;
  for (int round = 0; round < 3; ++round) {
    threads.begin({1, 0, 0, false, [=] { return answer_of(round); }});
    threads.go();
    EXPECT_EQ(threads.join(1).error, round);
  }
}

TEST(Threads, ThrowWhatTheCallThrew) {
  Threads threads;
  threads.begin({1, 0, 0, false, []() -> Answer { throw std::runtime_error("no device"); }});
  threads.go();
  EXPECT_THROW(threads.join(1), std::runtime_error);
  EXPECT_THROW(threads.join(1), std::logic_error);
}

TEST(Threads, ThoseThatNobodyAskedForAreWaitedFor) {
  Threads threads;
  std::atomic<int> made = 0;
  threads.begin({4, 0, 10, false, [&] { return ++made, answer_of(0); }});
  threads.join_all();
  EXPECT_EQ(made, 1);
  threads.begin({4, 0, 0, false, [&] { return ++made, answer_of(0); }});
  EXPECT_THROW(threads.begin({4, 0, 0, false, [] { return Answer{}; }}), std::logic_error);
  threads.join_all();
}

TEST(Threads, OneMakesCallsBehindEachOther) {
  Threads threads;
  using Clock = std::chrono::steady_clock;
  std::array<Clock::time_point, 5> moment;
  const auto make = [&](std::uint8_t label) {
    return [&, label] { return moment.at(label) = Clock::now(), answer_of(label); };
  };
  threads.begin({1, 0, 0, false, make(1)});
  threads.begin({2, 1, 30'000, false, make(2)});
  threads.begin({3, 0, 0, false, make(3)});
  threads.begin({4, 2, 0, false, make(4)});
  threads.go();
  for (std::uint8_t label = 1; label <= 4; ++label) EXPECT_EQ(threads.join(label).error, label);
  EXPECT_GE(moment[2] - moment[1], milliseconds(30));
  EXPECT_GE(moment[4], moment[2]);
  EXPECT_THROW(threads.begin({2, 1, 0, false, make(2)}), std::logic_error);
}

TEST(Threads, ACallHasReturnedWhileTheOneBehindItIsUnderWay) {
  Threads threads;
  std::atomic<bool> may_end = false;
  threads.begin({1, 0, 0, false, [] { return answer_of(1); }});
  threads.begin({2, 1, 0, false, [&] { return may_end.wait(false), answer_of(2); }});
  threads.go();
  EXPECT_EQ(threads.join(1).error, 1);
  may_end = true;
  may_end.notify_all();
  EXPECT_EQ(threads.join(2).error, 2);
}

TEST(Threads, NothingIsMadeBehindWhatFailed) {
  Threads threads;
  int made = 0;
  const auto refused = [&] {
    Answer answer = answer_of(++made);
    answer.result.outcome = model::Outcome::refused;
    return answer;
  };
  threads.begin({1, 0, 0, false, refused});
  threads.begin({2, 1, 0, false, refused});
  threads.begin({3, 2, 0, false, refused});
  threads.go();
  EXPECT_EQ(threads.join(1).result.outcome, model::Outcome::refused);
  EXPECT_EQ(threads.join(2).result.outcome, model::Outcome::none);
  EXPECT_EQ(threads.join(3).result.outcome, model::Outcome::none);
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace mrproof::impl
