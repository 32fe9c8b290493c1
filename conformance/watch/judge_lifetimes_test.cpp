#include "conformance/watch/test_judge.hpp"

namespace mrproof::watch {
namespace {

TEST_F(WatchJudge, WantsRegionsUntilTheCompletion) {
  reg(5, kWrite | kRemoteWrite);
  post(kOpWrite, 8, 50, 50);
  complete(kSuccess);
  dereg(5);
  EXPECT_EQ(told(), Names{});
  reg(6, kWrite | kRemoteWrite);
  post(kOpWrite, 8, 60, 60);
  dereg(6);
  EXPECT_EQ(told(), Names{});  // the program may never look
  complete(kSuccess);
  EXPECT_EQ(told(), Names{"program rdma_write.region_kept"});
  const auto& finding = judge.findings()[0];
  EXPECT_EQ(finding.place, std::to_string(0x1000 + time - 1));  // where it was deregistered
  EXPECT_EQ(finding.clauses, "post_send.buffer_reuse");
  EXPECT_TRUE(finding.objects.at(0).history.find(", deregistered by ") != std::string::npos);
}

TEST_F(WatchJudge, WantsRegionsOfRequestsWithoutCompletionsAsLong) {
  reg(5, kWrite | kRemoteWrite);
  reg(6, kWrite | kRemoteWrite);
  call(Kind::post_send, 20, {77, kOpWrite, 0x10000, 60}, 0, {{0x10000, 8, 50}});
  dereg(5);
  post(kOpWrite, 8, 60, 60);
  complete(kSuccess);
  EXPECT_EQ(told(), Names{"program rdma_write.region_kept"});
}

TEST_F(WatchJudge, WantsRegionsOfReceivesAsLong) {
  reg(5, kWrite);
  receive(8, 50);
  dereg(5);
  call(Kind::completion, 30, {id, kSuccess | kReceived << 32U, 20});
  EXPECT_EQ(told(), Names{"program post_recv.region_kept"});
  EXPECT_EQ(judge.findings()[0].clauses, "post_recv.buffer_reuse");
}

TEST_F(WatchJudge, LetsRegionsGoThatNoRequestNeeds) {
  reg(5, kWrite | kRemoteWrite);
  call(Kind::post_send, 20, {++id, kOpWrite | (kSignaled | kInline) << 32U, 0x10000, 50}, 0,
       {{0x10000, 8, 50}});
  dereg(5);
  complete(kSuccess);
  receive(8, 50);
  EXPECT_EQ(told(), Names{});
  reg(5, kWrite | kRemoteWrite);  // the same key again
  post(kOpWrite, 8, 50, 50);
  complete(kSuccess);
  EXPECT_EQ(told(), Names{});
}

TEST_F(WatchJudge, KeepsHowAddressHandlesAreUsed) {
  call(Kind::create_qp, 22, {10, 22, 4, 30, 30});
  call(Kind::create_ah, 40, {10});
  const auto datagram = [&](std::uint64_t handle) {
    call(Kind::post_send, 22, {++id, 2 | kSignaled << 32U, handle});
  };
  const auto arrived = [&] { call(Kind::completion, 30, {id, kSuccess, 22}); };
  datagram(40);
  arrived();
  datagram(1234);  // nobody saw it being made
  arrived();
  EXPECT_EQ(told(), Names{});
  datagram(40);
  call(Kind::destroy_ah, 40, {});
  arrived();
  EXPECT_EQ(told(), Names{"program send.address_handle_kept"});
  datagram(40);
  EXPECT_EQ(told().back(), "program send.address_handle_live");
  call(Kind::create_ah, 40, {10});
  datagram(40);
  arrived();
  EXPECT_EQ(told().size(), 2U);
}

TEST_F(WatchJudge, CountsAddressHandlesAmongWhatAPdHas) {
  call(Kind::create_ah, 40, {11});
  call(Kind::dealloc_pd, 11, {}, 16);
  EXPECT_EQ(told(), Names{"program dealloc_pd.pd_unused"});
  call(Kind::exit, 0, {});
  judge.finish();
  const auto names = told();
  EXPECT_NE(std::find(names.begin(), names.end(), "program exit.address_handle_left"), names.end());
}

TEST_F(WatchJudge, TellsWhoWritesToMemoryOfARequest) {
  reg(5, kWrite);
  post(kOpRead, 8, 50, 1234);
  call(Kind::touched, 20, {0x10004, id, 0});
  receive(8, 50);
  call(Kind::touched, 20, {0x10004, id, 1});
  EXPECT_EQ(told(), (Names{"program rdma_read.memory_kept", "program post_recv.memory_kept"}));
  EXPECT_EQ(judge.findings()[0].used.first, 0x10004U);
}

TEST_F(WatchJudge, MeansWhoHadLibcWriteToMemoryOfARequest) {
  Judge naming{[](std::uint32_t, std::uint64_t place) {
    return place == 0x77 + 1 ? "libc.so.6+0x1" : std::to_string(place);
  }};
  std::swap(judge, naming);
  SetUp();
  reg(5, kWrite);
  receive(8, 50);
  Event event{{++time, Kind::touched, 1, 0, 20, 0x77, {0x10004, id, 1}}, {}, true, 7, 7};
  event.parts.push_back({time, Kind::stack, 0, 0, 20, 0, {99, 98}});
  judge.take(event);
  EXPECT_EQ(judge.findings().at(0).place, "99");
}

}  // namespace
}  // namespace mrproof::watch
