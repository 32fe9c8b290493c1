// Files as the watching library writes them, read while it does so and at the end.
#include "conformance/watch/recording.hpp"

#include <gmock/gmock.h>

#include <ctime>
#include <fstream>

#include "model/testing/test_files.hpp"

namespace mrproof::watch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Some time ago, so that nobody waits for it.
std::uint64_t a_second_ago() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec - 1) * 1'000'000'000U;
}

class WatchRecording : public ::testing::Test {
 protected:
  /// The file of that thread: a head, and records of which each tells its number by its object.
  void write(std::uint32_t tid, const Head& marks, const std::vector<Record>& records,
             const std::vector<Record>& older = {}) {
    Head head = marks;
    head.kept += older.size() * sizeof(Record);
    head.magic = kMagic;
    head.version = kVersion;
    head.pid = 7;
    head.tid = tid;
    std::ofstream out(folder_.file("events.7." + std::to_string(tid)), std::ios::binary);
    out.write(reinterpret_cast<const char*>(&head), sizeof head);
    for (const auto& record : records)
      out.write(reinterpret_cast<const char*>(&record), sizeof record);
    const Record none{};  // room for more
    out.write(reinterpret_cast<const char*>(&none), sizeof none);
    if (older.empty()) return;
    out.seekp(kOlder);
    for (const auto& record : older)
      out.write(reinterpret_cast<const char*>(&record), sizeof record);
  }
  [[nodiscard]] Record at(std::uint64_t ns, std::uint64_t number) const {
    return {begin_ + ns, Kind::alloc_pd, 0, 0, number, 0, {}};
  }
  static Head about_to_write(std::uint64_t since) {
    Head head{};
    head.since = since;
    return head;
  }
  std::vector<std::uint64_t> look(Recording& recording, Until until) {
    recording.look(until);
    std::vector<std::uint64_t> seen;
    for (Event event; recording.next(event);) seen.push_back(event.record.object);
    return seen;
  }

  const std::uint64_t begin_ = a_second_ago();
  model::testing::TemporaryFolder folder_;
};

TEST_F(WatchRecording, HasAStackWithItsCall) {
  Record made = at(10, 1), stack = at(10, 1);
  made.parts = 1;
  stack.kind = Kind::stack;
  stack.words[0] = 77;
  write(1, {}, {made, stack, at(20, 2)});
  Recording recording(folder_.file("."));
  recording.look(Until::end);
  Event event;
  ASSERT_TRUE(recording.next(event));
  ASSERT_EQ(event.parts.size(), 1U);
  EXPECT_EQ(event.parts[0].words[0], 77U);
  ASSERT_TRUE(recording.next(event));
  EXPECT_EQ(event.record.object, 2U);
  EXPECT_TRUE(event.parts.empty());
}

TEST_F(WatchRecording, HasTheOlderEventsBeforeThoseOfTheRoom) {
  write(1, {}, {at(30, 3), at(40, 4)}, {at(10, 1), at(20, 2)});
  Recording recording(folder_.file("."));
  EXPECT_THAT(look(recording, Until::end), ElementsAre(1, 2, 3, 4));
  write(1, {}, {at(50, 5)}, {at(10, 1), at(20, 2), at(30, 3), at(40, 4)});
  EXPECT_THAT(look(recording, Until::end), ElementsAre(5));
}

TEST_F(WatchRecording, TakesNothingFromARoomThatIsCleared) {
  Head clearing{};
  clearing.kept = 1;
  write(1, clearing, {at(10, 1), at(20, 2)}, {at(10, 1), at(20, 2)});
  Recording recording(folder_.file("."));
  EXPECT_THAT(look(recording, Until::end), ElementsAre(1, 2));
}

TEST_F(WatchRecording, PutsARequestTogetherWhoseElementIsInTheRoom) {
  const Record post{begin_ + 10, Kind::post_send, 2, 0, 5, 0, {}};
  const Record second{begin_ + 10, Kind::element, 0, 0, 5, 0, {0x4000, 32, 0x12}};
  write(1, {}, {second, at(20, 6)}, {at(5, 1), post});
  Recording recording(folder_.file("."));
  recording.look(Until::end);
  Event event;
  ASSERT_TRUE(recording.next(event));
  ASSERT_TRUE(recording.next(event));
  EXPECT_TRUE(event.whole);
  EXPECT_EQ(event.parts.at(1).words[0], 0x4000U);
  ASSERT_TRUE(recording.next(event));
  EXPECT_EQ(event.record.object, 6U);
}

TEST_F(WatchRecording, PutsThreadsInTheOrderOfTheirTimes) {
  write(1, {}, {at(10, 1), at(40, 4)});
  write(2, {}, {at(20, 2), at(30, 3)});
  Recording recording(folder_.file("."));
  EXPECT_THAT(look(recording, Until::end), ElementsAre(1, 2, 3, 4));
}

TEST_F(WatchRecording, GivesNothingLaterThanWhatMayStillBeWritten) {
  write(1, {}, {at(10, 1), at(40, 4)});
  write(2, about_to_write(begin_ + 30), {at(20, 2)});
  Recording recording(folder_.file("."));
  EXPECT_THAT(look(recording, Until::may_change), ElementsAre(1, 2));
  write(2, {}, {at(20, 2), at(30, 3)});
  EXPECT_THAT(look(recording, Until::may_change), ElementsAre(3, 4));
}

TEST_F(WatchRecording, GivesNothingWhileAThreadReadsItsClock) {
  write(1, {}, {at(10, 1)});
  write(2, about_to_write(1), {});
  Recording recording(folder_.file("."));
  EXPECT_THAT(look(recording, Until::may_change), IsEmpty());
  EXPECT_THAT(look(recording, Until::end), ElementsAre(1));
}

TEST_F(WatchRecording, GivesNothingOfRightNowUntilTheEnd) {
  constexpr std::uint64_t kLater = 2'000'000'000;
  write(1, {}, {at(10, 1), at(kLater, 2)});
  Recording recording(folder_.file("."));
  EXPECT_THAT(look(recording, Until::may_change), ElementsAre(1));
  EXPECT_THAT(look(recording, Until::end), ElementsAre(2));
}

TEST_F(WatchRecording, LeavesOutWhatComesAfterTheLastLook) {
  constexpr std::uint64_t kLater = 20'000'000'000;
  write(1, about_to_write(begin_ + 5), {at(10, 1), at(kLater, 2)});
  Recording recording(folder_.file("."));
  EXPECT_THAT(look(recording, Until::now), ElementsAre(1));
}

TEST_F(WatchRecording, EndsWhereTheFirstEventWasLost) {
  Head lost{};
  lost.lost = 3;
  lost.lost_since = begin_ + 25;
  write(1, lost, {at(10, 1), at(40, 4)});
  write(2, {}, {at(20, 2), at(30, 3)});
  Recording recording(folder_.file("."));
  EXPECT_THAT(look(recording, Until::end), ElementsAre(1, 2));
  EXPECT_EQ(recording.lost(), 3U);
}

TEST_F(WatchRecording, TakesAFileWithoutAHeadForOneThatLostAll) {
  ASSERT_FALSE(folder_.write("events.7.1", "").empty());
  Recording recording(folder_.file("."));
  EXPECT_THAT(look(recording, Until::may_change), IsEmpty());
  EXPECT_EQ(recording.lost(), 0U);  // it may just be made
  EXPECT_THAT(look(recording, Until::end), IsEmpty());
  EXPECT_EQ(recording.lost(), 1U);
}

TEST_F(WatchRecording, PutsTheElementsOfARequestTogether) {
  Record post{begin_ + 10, Kind::post_send, 2, 0, 5, 0, {}};
  post.words[6] = 0x3000;
  post.words[7] = 16 | std::uint64_t{0x11} << 32U;
  const Record second{begin_ + 10, Kind::element, 0, 0, 5, 0, {0x4000, 32, 0x12}};
  write(1, {}, {post, second, at(20, 6), post, at(30, 7)});
  Recording recording(folder_.file("."));
  recording.look(Until::end);
  Event event;
  ASSERT_TRUE(recording.next(event));
  ASSERT_EQ(event.parts.size(), 2U);
  EXPECT_TRUE(event.whole);
  EXPECT_THAT(event.parts[0].words, ElementsAre(0x3000, 16, 0x11, 0, 0, 0, 0, 0));
  EXPECT_THAT(event.parts[1].words, ElementsAre(0x4000, 32, 0x12, 0, 0, 0, 0, 0));
  ASSERT_TRUE(recording.next(event));
  EXPECT_EQ(event.record.object, 6U);
  ASSERT_TRUE(recording.next(event));  // its second element was lost
  EXPECT_FALSE(event.whole);
}

}  // namespace
}  // namespace mrproof::watch
