#include "conformance/watch/test_judge.hpp"

namespace mrproof::watch {
namespace {

/// A queue pair 23 of three sends of two elements and 60 bytes inline, and two receives of one.
class WatchRoom : public WatchJudge {
 protected:
  void SetUp() override {
    WatchJudge::SetUp();
    reg(5, kWrite);
    call(Kind::create_qp, 23,
         {10, 23, 2 | 1ULL << 32U, 30, 30, 60 | 2ULL << 32U, 0, 3 | 2ULL << 32U});
    for (const std::uint64_t state : {kInit, kRtr, kRts})
      call(Kind::modify_qp, 23, {kState, state});
  }
  void send(std::uint64_t flags, std::uint64_t length = 8, std::size_t elements = 1) {
    call(Kind::post_send, 23, {++id, 2 | flags << 32U}, 0,
         std::vector<Words>(elements, {0x10000, length, 50}));
  }
  void refuse(std::uint64_t receives, int why) { call(Kind::refused, 23, {1, receives}, why); }
};

TEST_F(WatchRoom, OfTheSendQueueComesBackWithCompletions) {
  for (int i = 0; i < 3; ++i) send(i == 2 ? kSignaled : 0);
  send(0);
  refuse(0, 12);
  EXPECT_EQ(told(), Names{"program send.queue_has_room"});
  --id;
  call(Kind::completion, 30, {id, kSuccess, 23});
  send(0);
  refuse(0, 12);  // for whatever reason
  EXPECT_EQ(told().size(), 1U);
  EXPECT_EQ(judge.counts().unknown, 1U);
}

TEST_F(WatchRoom, OfTheReceiveQueueIsItsOwn) {
  for (int i = 0; i < 3; ++i) call(Kind::post_recv, 23, {++id}, 0, {{0x10000, 8, 50}});
  refuse(1, 12);
  EXPECT_EQ(told(), Names{"program post_recv.queue_has_room"});
}

TEST_F(WatchRoom, IsForSoManyElementsAndInlineBytes) {
  send(0, 8, 3);
  refuse(0, 22);
  send(kInline, 61);
  refuse(0, 22);
  EXPECT_EQ(told(), (Names{"program send.elements_fit", "program send.inline_fits"}));
  send(0, 8, 7);
  refuse(0, 22);
  EXPECT_TRUE(judge.findings().back().what.ends_with(" lkey 0x32, and 3 elements more: refused"));
}

TEST_F(WatchRoom, IsNotWhatIsMissingWhereItFits) {
  send(0, 8, 2);
  refuse(0, 22);
  send(kInline, 60);
  refuse(0, 22);
  EXPECT_EQ(told(), Names{});
  EXPECT_EQ(judge.counts().unknown, 2U);
}

}  // namespace
}  // namespace mrproof::watch
