#include "conformance/watch/judge.hpp"

#include <algorithm>

#include "conformance/watch/test_judge.hpp"

namespace mrproof::watch {
namespace {

TEST_F(WatchJudge, AccusesNobodyWhereAllIsRight) {
  reg(5, kWrite | kRemoteWrite | kRemoteRead);
  post(kOpWrite, 4096, 50, 50);
  complete(kSuccess);
  post(kOpRead, 0, 1234, 1234);  // nothing is asked of a request of no bytes
  complete(kSuccess);
  receive(4096, 50);
  dereg(5);
  for (const std::uint64_t qp : {20U, 21U}) call(Kind::destroy_qp, qp, {});
  for (const std::uint64_t pd : {10U, 11U}) call(Kind::dealloc_pd, pd, {});
  call(Kind::exit, 0, {});
  judge.finish();
  EXPECT_EQ(told(), Names{});
  EXPECT_EQ(judge.counts().unknown, 0U);
}

TEST_F(WatchJudge, NamesEachMistakeWhenItIsMade) {
  reg(5, kWrite | kRemoteWrite);
  reg(6, 0);
  reg(7, kWrite | kRemoteWrite, 11);
  post(kOpWrite, 4097, 50, 50);
  post(kOpRead, 8, 60, 50);
  post(kOpWrite, 8, 70, 50);
  post(kOpWrite, 8, 50, 60);
  post(kOpWrite, 8, 50, 70);
  post(kOpWrite, 8, 50, 50, 0x10ff9);
  EXPECT_EQ(told(),
            (Names{"program rdma_write.local_in_bounds", "program rdma_read.local_write_right",
                   "program rdma_write.local_same_pd", "program rdma_write.remote_right",
                   "program rdma_write.remote_same_pd", "program rdma_write.remote_in_bounds"}));
}

TEST_F(WatchJudge, SaysOfTheKeyOfNoRightWhatIsMissing) {
  call(Kind::reg_mr, 5, {10, 0x10000, 4096, 0x10000, 50, kWrite});
  call(Kind::reg_mr, 6, {11, 0x90000, 4096, 0x90000, 60, kWrite});  // its rkey is 0, too
  post(kOpWrite, 8, 50, 0);
  EXPECT_EQ(told(), Names{"program rdma_write.remote_right"});
  const auto& history = judge.findings().at(0).objects.at(0).history;
  EXPECT_NE(history.find("region [0x10000, 0x10fff]"), std::string::npos) << history;
}

TEST_F(WatchJudge, NamesADeadKeyWhenTheRequestFails) {
  reg(5, kWrite | kRemoteWrite);
  reg(8, kWrite | kRemoteWrite);
  dereg(8);
  post(kOpWrite, 8, 80, 50);
  EXPECT_EQ(told(), Names{});  // a call that is not watched may have made another one
  complete(kSuccess);
  EXPECT_EQ(told(), Names{});
  post(kOpWrite, 8, 80, 50);
  complete(kFlushed);
  post(kOpWrite, 8, 50, 80);
  complete(kRemAccess);
  EXPECT_EQ(told(), (Names{"program rdma_write.local_key_live",
                           "program rdma_write.remote_key_live"}));
}

TEST_F(WatchJudge, TellsOfAReceiveWhenItFails) {
  reg(6, 0);
  receive(8, 60);
  complete(kSuccess);
  EXPECT_EQ(told(), Names{});
  receive(8, 60);
  complete(kLocProt);
  EXPECT_EQ(told(), Names{"program post_recv.local_write_right"});
}

TEST_F(WatchJudge, FindsTheReceiveOfASharedQueueThatAQueuePairTook) {
  reg(5, kWrite);
  reg(6, 0);
  call(Kind::create_srq, 40, {10});
  for (const std::uint64_t qp : {22U, 23U})
    call(Kind::create_qp, qp, {10, qp, 2, 30, 30, 0, 40});
  const auto receive_shared = [&](std::uint64_t number, std::uint64_t lkey) {
    call(Kind::post_recv, 40, {number}, 0, {{0x10000, 8, lkey}});
  };
  receive_shared(1, 60);
  receive_shared(2, 50);
  receive_shared(3, 60);
  call(Kind::completion, 30, {2, kSuccess | std::uint64_t{128} << 32U, 23});
  EXPECT_EQ(told(), Names{});
  call(Kind::completion, 30, {1, kLocProt, 22});  // the first one is still there
  EXPECT_EQ(told(), Names{"program post_recv.local_write_right"});
  call(Kind::exit, 0, {});
  judge.finish();
  const Names all = told();
  EXPECT_EQ(std::count(all.begin(), all.end(), "program exit.shared_receive_queue_left"), 1);
}

TEST_F(WatchJudge, TakesNoFullQueueForADeadKey) {
  reg(8, kWrite);
  dereg(8);
  for (const int why : {12, 22}) {
    post(kOpWrite, 8, 80, 1234);
    EXPECT_EQ(told(), Names{});
    call(Kind::refused, 20, {1, 0}, why);
  }
  EXPECT_EQ(told(), Names{"program rdma_write.local_key_live"});
  EXPECT_EQ(judge.counts().unknown, 1U);
  post(kOpWrite, 8, 1234, 1234);  // of a key that nobody was seen to make nothing is known
  call(Kind::refused, 20, {1, 0}, 22);
  EXPECT_EQ(judge.counts().unknown, 2U);
}

TEST_F(WatchJudge, TakesNoLongMessageForADeadKeyOfAReceive) {
  reg(8, kWrite);
  dereg(8);
  constexpr std::uint64_t kLocLen = 1;
  receive(8, 80);
  complete(kLocLen);
  EXPECT_EQ(told(), Names{});
  receive(8, 80);
  complete(kLocProt);
  EXPECT_EQ(told(), Names{"program post_recv.local_key_live"});
}

TEST_F(WatchJudge, JudgesNoReceiveThatMayBeAnotherOneOfASharedQueue) {
  reg(6, 0);
  call(Kind::create_srq, 40, {10});
  call(Kind::create_qp, 22, {10, 22, 2, 30, 30, 0, 40});
  for (int i = 0; i < 2; ++i) call(Kind::post_recv, 40, {1}, 0, {{0x10000, 8, 60}});
  call(Kind::completion, 30, {1, kLocProt, 22});
  EXPECT_EQ(told(), Names{});
  call(Kind::completion, 30, {1, kLocProt, 22});
  EXPECT_EQ(told(), Names{"program post_recv.local_write_right"});
}

TEST_F(WatchJudge, LeavesThePdOfASharedQueueOpen) {
  reg(7, kWrite, 11);
  call(Kind::create_srq, 40, {10});
  call(Kind::create_qp, 22, {11, 22, 2, 30, 30, 0, 40});
  call(Kind::post_recv, 40, {1}, 0, {{0x10000, 8, 70}});
  call(Kind::completion, 30, {1, kLocProt, 22});
  EXPECT_EQ(told(), Names{});
  EXPECT_EQ(judge.counts().unknown, 1U);
}

TEST_F(WatchJudge, TakesNoFailureForAnother) {
  reg(5, kWrite | kRemoteWrite);
  post(kOpWrite, 8, 50, 50);
  dereg(5);
  complete(kRetryExc);
  EXPECT_EQ(told(), Names{});
  EXPECT_EQ(judge.counts().unknown, 1U);
}

TEST_F(WatchJudge, TellsDevicesApart) {
  call(Kind::open_device, 2, {'e'});
  call(Kind::alloc_pd, 12, {2});
  reg(5, kWrite | kRemoteWrite);
  reg(5, 0, 12);
  post(kOpRead, 8, 50, 50);
  EXPECT_EQ(told(), Names{"program rdma_read.remote_right"});
}

TEST_F(WatchJudge, TakesNoQueuePairOfAnotherMachineForThePeer) {
  for (const std::uint64_t qp : {20U, 21U})
    call(Kind::modify_qp, qp, {kPeer | kPath, 0, qp ^ 1U, 8, 8, 9, 9, time});
  reg(5, kWrite);
  post(kOpWrite, 8, 50, 50);
  EXPECT_EQ(told(), Names{});
}

TEST_F(WatchJudge, EndsWhatAnotherProgramHasLeft) {
  reg(5, kWrite, 11);
  reg(6, kWrite);
  call(Kind::reg_mr, 7, {10, 0x10000, 4096, 0x10000, 50 | 50ULL << 32U, kWrite | kRemoteWrite});
  post(kOpWrite, 8, 50, 50);
  EXPECT_EQ(told(), Names{});
}

TEST_F(WatchJudge, TellsWhereADeadKeyComesFromAndWhatEndedIt) {
  reg(8, kWrite);
  dereg(8);
  post(kOpWrite, 8, 80, 80);
  complete(kLocProt);
  const auto& object = judge.findings().at(0).objects.at(0).history;
  EXPECT_NE(object.find("registered by"), std::string::npos) << object;
  EXPECT_NE(object.find("deregistered by"), std::string::npos) << object;
  EXPECT_FALSE(judge.findings().at(0).remedy.empty());
}

TEST_F(WatchJudge, TellsOfAKeyThatNobodyMadeOnlyIfTheRequestFails) {
  post(kOpWrite, 8, 990, 990);
  EXPECT_EQ(told(), Names{});
  complete(kSuccess);
  EXPECT_EQ(told(), Names{});
  post(kOpWrite, 8, 990, 990);
  complete(kLocProt);
  EXPECT_EQ(told(), Names{"program rdma_write.local_key_live"});
}

TEST_F(WatchJudge, ExplainsAFailureByWhatBecameOfTheRegion) {
  reg(5, kWrite | kRemoteWrite);
  post(kOpWrite, 8, 50, 50);
  dereg(5);
  EXPECT_EQ(told(), Names{});
  complete(kLocProt);
  EXPECT_EQ(told(), Names{"program rdma_write.local_key_live"});
}

TEST_F(WatchJudge, CountsAFailureWithoutAReasonAsUnknown) {
  reg(5, kWrite | kRemoteWrite);
  post(kOpWrite, 8, 50, 50);
  complete(kLocProt);
  post(kOpWrite, 8, 50, 50);
  complete(kFlushed);
  EXPECT_EQ(told(), Names{});
  EXPECT_EQ(judge.counts().unknown, 1U);
}

TEST_F(WatchJudge, TellsAProviderThatAcceptsWhatHasToFail) {
  reg(5, kWrite | kRemoteWrite);
  post(kOpRead, 8, 50, 50);
  complete(kSuccess);
  EXPECT_EQ(told(), (Names{"program rdma_read.remote_right", "provider rdma_read.remote_right"}));
}

/// A region in which a window of type 2 may be bound by a request of queue pair 21, which serves.
class WatchWindows : public WatchJudge {
 protected:
  void SetUp() override {
    WatchJudge::SetUp();
    reg(5, kWrite | kMwBind);
    call(Kind::alloc_mw, 60, {10, 0x7700, 2});
  }
  void bind(std::uint64_t mr, std::uint64_t length, std::uint64_t access, std::uint64_t key) {
    call(Kind::post_send, 21,
         {++id, kOpBind | kSignaled << 32U, 60, mr, 0x10000, length, access | key << 32U});
  }
  void invalidate(std::uint64_t key) {
    call(Kind::post_send, 21, {++id, kOpInvalidate | kSignaled << 32U, 0, key});
  }
  void complete_other(std::uint64_t status) { call(Kind::completion, 30, {id, status, 21}); }
  static constexpr std::uint64_t kMwBind = 16, kOpInvalidate = 7, kOpBind = 8;
};

TEST_F(WatchWindows, AreKnownWhenTheBindIsOver) {
  bind(5, 64, kRemoteWrite, 0x7701);
  post(kOpWrite, 128, 50, 0x7701);  // nobody knows yet
  EXPECT_EQ(told(), Names{});
  complete(kSuccess);
  id = 1;
  complete_other(kSuccess);
  id = 10;
  post(kOpWrite, 64, 50, 0x7701);
  complete(kSuccess);
  EXPECT_EQ(told(), Names{});
  post(kOpWrite, 65, 50, 0x7701);
  post(kOpRead, 8, 50, 0x7701);
  EXPECT_EQ(told(), (Names{"program rdma_write.remote_in_bounds",
                           "program rdma_read.remote_right"}));
}

TEST_F(WatchWindows, AreNotKnownWhileOneInvalidatesThem) {
  bind(5, 64, kRemoteWrite, 0x7701);
  complete_other(kSuccess);
  invalidate(0x7701);
  const auto invalidation = id;
  post(kOpWrite, 65, 50, 0x7701);
  EXPECT_EQ(told(), Names{});
  id = invalidation;
  complete_other(kSuccess);
  id = 10;
  post(kOpWrite, 8, 50, 0x7701);
  EXPECT_EQ(told(), Names{});
  complete(kRemAccess);
  EXPECT_EQ(told(), Names{"program rdma_write.remote_key_live"});
}

TEST_F(WatchWindows, TellOfBindsThatHaveToFail) {
  reg(6, kWrite);
  reg(7, kWrite | kMwBind, 11);
  reg(8, kMwBind);
  bind(6, 64, kRemoteRead, 0x7701);
  bind(7, 64, kRemoteRead, 0x7702);
  bind(8, 64, kRemoteWrite, 0x7703);
  bind(5, 4097, kRemoteRead, 0x7704);
  EXPECT_EQ(told(), (Names{"program post_bind_mw.bind_right",
                           "program post_bind_mw.bind_region_same_pd",
                           "program post_bind_mw.bind_has_local_write",
                           "program post_bind_mw.bind_in_bounds"}));
  complete_other(kSuccess);
  EXPECT_EQ(told().back(), "provider post_bind_mw.bind_in_bounds");
}

TEST_F(WatchWindows, KeepTheirRegionAndTheirPd) {
  bind(5, 64, kRemoteWrite, 0x7701);
  complete_other(kSuccess);
  call(Kind::dereg_mr, 5, {}, 16);
  EXPECT_EQ(told(), Names{"program dereg_mr.no_bound_window"});
  call(Kind::exit, 0, {});
  judge.finish();
  const Names all = told();
  EXPECT_EQ(std::count(all.begin(), all.end(), "program exit.window_left"), 1);
}

TEST_F(WatchWindows, OfTypeOneHaveTheKeyThatTheCallTells) {
  call(Kind::alloc_mw, 61, {10, 0x8800, 1});
  call(Kind::bind_mw, 21, {++id, kOpBind | kSignaled << 32U, 61, 5, 0x10000, 64, kRemoteWrite});
  call(Kind::bound, 61, {0x8801});
  complete_other(kSuccess);
  post(kOpRead, 8, 50, 0x8801);
  EXPECT_EQ(told(), Names{"program rdma_read.remote_right"});
}

/// Regions that are changed: their keys, range, rights and PD are others then.
class WatchReregistration : public WatchJudge {
 protected:
  static constexpr std::uint64_t kTranslation = 1, kPd = 2, kRights = 4;
  void rereg(std::uint64_t mr, std::uint64_t flags, std::uint64_t access, std::uint64_t key,
             int code = 0, std::uint64_t pd = 0, std::uint64_t address = 0,
             std::uint64_t length = 0) {
    call(Kind::rereg_mr, mr, {flags, pd, address, length, key | key << 32U, access}, code);
  }
};

TEST_F(WatchReregistration, GivesAndTakesRights) {
  reg(5, 0);
  rereg(5, kRights, kWrite | kRemoteWrite, 50);
  post(kOpRead, 8, 50, 1234);
  EXPECT_EQ(told(), Names{});
  rereg(5, kRights, kWrite, 50);
  post(kOpWrite, 8, 50, 50);
  ASSERT_EQ(told(), Names{"program rdma_write.remote_right"});
  const auto& history = judge.findings()[0].objects[0].history;
  EXPECT_NE(history.find(", re-registered by "), std::string::npos) << history;
}

TEST_F(WatchReregistration, MovesTheRange) {
  reg(5, kWrite);
  rereg(5, kTranslation, 0, 50, 0, 0, 0x20000, 64);
  post(kOpWrite, 8, 50, 1234);
  EXPECT_EQ(told(), Names{"program rdma_write.local_in_bounds"});
}

TEST_F(WatchReregistration, GivesOtherKeys) {
  reg(5, kWrite);
  rereg(5, kRights, kWrite, 51);
  post(kOpRead, 8, 51, 1234);
  post(kOpWrite, 8, 50, 1234);
  complete(kLocProt);
  EXPECT_EQ(told(), Names{"program rdma_write.local_key_live"});
  reg(6, kWrite);
  call(Kind::reg_mr, 8, {10, 0x10000, 4096, 0x10000, 50 | 50ULL << 32U, kWrite});
  post(kOpRead, 8, 51, 1234);  // its old key is another region's, which ends nothing
  complete(kLocProt);
  EXPECT_EQ(judge.counts().unknown, 1U);
}

TEST_F(WatchReregistration, MovesToAnotherPd) {
  reg(5, kWrite);
  rereg(5, kPd, 0, 50, 0, 11);
  post(kOpRead, 8, 50, 1234);
  EXPECT_EQ(told(), Names{"program rdma_read.local_same_pd"});
}

TEST_F(WatchReregistration, ThatIsRefusedKeepsTheRegionOrSpoilsIt) {
  reg(5, kWrite);
  rereg(5, kRights, kRemoteWrite, 50, -1);
  ASSERT_EQ(told(), Names{"program rereg_mr.remote_write_has_local_write"});
  post(kOpRead, 8, 50, 1234);
  complete(kLocProt);  // nothing that was seen is a reason
  rereg(5, kRights, kWrite, 50, -4);
  post(kOpRead, 4097, 50, 1234);  // it may only be deregistered now
  EXPECT_EQ(told().size(), 1U);
  EXPECT_EQ(judge.counts().unknown, 2U);
}

TEST_F(WatchReregistration, ThatHadToBeRefusedIsTheProvidersMistake) {
  reg(5, kWrite);
  rereg(5, kRights, kRemoteWrite, 50);
  EXPECT_EQ(told(), Names{"provider rereg_mr.remote_write_has_local_write"});
}

TEST_F(WatchReregistration, ToAnUnseenPdIsFollowedNoFurther) {
  reg(5, kWrite);
  rereg(5, kPd, 0, 50, 0, 1234);
  post(kOpRead, 4097, 50, 1234);
  EXPECT_EQ(told(), Names{});
}

TEST_F(WatchJudge, TellsWhenceACallerWasCalled) {
  const Words callers{0x77, 0x78};
  Event event{{++time, Kind::reg_mr, 1, 0, 5, 0x76, {10, 0x10000, 64, 0x10000, 50, kWrite}}, {},
              true, 7, 7};
  event.parts.push_back({time, Kind::stack, 0, 0, 5, 0, callers});
  judge.take(event);
  post(kOpRead, 65, 50, 1234);
  const auto& history = judge.findings().at(0).objects.at(0).history;
  EXPECT_TRUE(history.ends_with("registered by 118, called by 119, 120")) << history;
}

TEST_F(WatchJudge, TellsWhatIsLeftAndWhatIsInUse) {
  reg(5, kWrite);
  call(Kind::dealloc_pd, 10, {}, 16);
  call(Kind::unmap, 0, {0x10000, 4096});
  EXPECT_EQ(told().size(), 1U);  // a region whose memory is gone harms nobody who does not use it
  post(kOpWrite, 8, 50, 1234);
  call(Kind::exit, 0, {});
  judge.finish();
  const auto names = told();
  for (const auto* name : {"program dealloc_pd.pd_unused", "program rdma_write.memory_unmapped",
                           "program exit.region_left", "program exit.PD_left",
                           "program exit.queue_pair_left"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST_F(WatchJudge, TellsAMistakeOnceForAPlace) {
  reg(5, kWrite | kRemoteWrite);
  for (int i = 0; i < 3; ++i) {
    time = 100;  // the place is made of it
    post(kOpWrite, 4097, 50, 50);
  }
  ASSERT_EQ(judge.findings().size(), 1U);
  EXPECT_EQ(judge.findings()[0].count, 3U);
}

}  // namespace
}  // namespace mrproof::watch
