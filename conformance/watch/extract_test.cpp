// What a provider did wrong, cut out of what a program did. The judge calls it; the model says of
// each trace that the same condition does not hold.
#include "conformance/watch/extract.hpp"

#include <gmock/gmock.h>

#include "conformance/watch/judge.hpp"

namespace mrproof::watch {
namespace {

using ::testing::HasSubstr;
using Words = std::array<std::uint64_t, 8>;

constexpr std::uint64_t kWrite = 1, kRemoteWrite = 2, kRemoteRead = 4, kBind = 16, kZero = 32;
constexpr std::uint64_t kOpWrite = 0, kOpSend = 2, kOpRead = 4, kOpBind = 8, kSignaled = 2;

/// Queue pairs 20 and 21 of one process, connected; the PDs are 10 and 11.
class WatchExtract : public ::testing::Test {
 protected:
  void SetUp() override {
    call(Kind::open_device, 1, {'d'});
    for (const std::uint64_t pd : {10U, 11U}) call(Kind::alloc_pd, pd, {1});
    for (const std::uint64_t qp : {20U, 21U}) call(Kind::create_qp, qp, {10, qp, 2, 30, 30});
    connect(kRemoteWrite | kRemoteRead);
  }
  void connect(std::uint64_t rights) {
    constexpr std::uint64_t kMask = 1 | 8 | 1U << 20U | 1U << 7U;  // state, access, peer, path
    for (const std::uint64_t qp : {20U, 21U})
      call(Kind::modify_qp, qp, {kMask, 3 | rights << 32U, qp ^ 1U, 9, 9, 9, 9, time_});
  }
  void call(Kind kind, std::uint64_t object, const Words& words,
            const std::vector<Words>& elements = {}) {
    Event event{{++time_, kind, 0, 0, object, 0x1000 + time_, words}, {}, true, 7, 7};
    for (const auto& element : elements)
      event.parts.push_back({time_, Kind::element, 0, 0, object, 0, element});
    judge_.take(event);
  }
  void reg(std::uint64_t key, std::uint64_t address, std::uint64_t length, std::uint64_t access,
           std::uint64_t pd = 10) {
    call(Kind::reg_mr, 1000 + key, {pd, address, length, address, key | key << 32U, access});
  }
  void succeed(std::uint64_t opcode, std::uint64_t remote, std::uint64_t rkey,
               const std::vector<Words>& elements) {
    call(Kind::post_send, 20, {++id_, opcode | kSignaled << 32U, remote, rkey}, elements);
    call(Kind::completion, 30, {id_, 0, 20});
  }
  /// Of the last finding, without the lines before the calls.
  [[nodiscard]] std::string cut() const {
    if (judge_.findings().empty()) return "nothing was found";
    const auto& finding = judge_.findings().back();
    EXPECT_EQ(finding.whose, Whose::provider);
    const auto at = finding.trace.find("mr0 = ");
    return at == std::string::npos ? finding.trace : finding.trace.substr(at);
  }

  std::uint64_t time_ = 0, id_ = 0;
  Judge judge_{[](std::uint32_t, std::uint64_t place) { return std::to_string(place); }};
};

TEST_F(WatchExtract, HasWhatTheRequestUsed) {
  reg(3, 0x9000, 16, kWrite);  // of no use to it
  reg(5, 0x10000, 64, kWrite);
  reg(6, 0x20010, 100, kWrite | kRemoteRead);
  succeed(kOpRead, 0x20010, 6, {{0x10030, 17, 5}});
  EXPECT_THAT(cut(), HasSubstr("mr0 = reg_mr(pd0, buf0+1024, 64, LOCAL_WRITE) -> ok"));
  EXPECT_THAT(cut(), HasSubstr("mr1 = reg_mr(pd0, buf1+1024, 100, LOCAL_WRITE|REMOTE_READ)"));
  EXPECT_THAT(cut(), HasSubstr("rdma_read(qp0, mr0.lkey, buf0+1072, 17, mr1.rkey, buf1+1024)"));
  EXPECT_THAT(cut(), HasSubstr("! deviates rdma_read.ok accepted local_in_bounds"));
}

TEST_F(WatchExtract, IsShortWhereTheProgramWasNot) {
  reg(5, 0x10000, 1U << 20U, kWrite);
  reg(6, 0x1000000, 1U << 24U, kWrite | kRemoteWrite);
  succeed(kOpWrite, 0x2000000 - 50000, 6, {{0x10000, 100000, 5}});
  EXPECT_THAT(cut(), HasSubstr("mr1 = reg_mr(pd0, buf1+1024, 4096, LOCAL_WRITE|REMOTE_WRITE)"));
  EXPECT_THAT(cut(), HasSubstr("rdma_write(qp0, mr0.lkey, buf0+1024, 512, mr1.rkey, buf1+5119)"));
  EXPECT_THAT(cut(), HasSubstr("! deviates rdma_write.ok accepted remote_in_bounds"));
}

TEST_F(WatchExtract, KeepsPdsAndSidesApart) {
  reg(5, 0x10000, 64, kWrite, 11);
  reg(6, 0x20000, 64, kWrite | kRemoteRead);
  succeed(kOpRead, 0x20000, 6, {{0x10000, 8, 5}});
  EXPECT_THAT(cut(), HasSubstr("mr0 = reg_mr(pd1, "));
  EXPECT_THAT(cut(), HasSubstr("! deviates rdma_read.ok accepted local_same_pd"));
  succeed(kOpWrite, 0x1fff8, 6, {{0x20000, 8, 6}});
  EXPECT_THAT(cut(), HasSubstr("mr0.rkey, buf0+1016"));
}

TEST_F(WatchExtract, TellsRightsOfQueuePairs) {
  connect(kRemoteRead);
  reg(5, 0x10000, 64, kWrite | kRemoteWrite);
  succeed(kOpWrite, 0x10000, 5, {{0x10000, 8, 5}});
  EXPECT_THAT(cut(), HasSubstr("modify_qp(qp1, REMOTE_READ) -> ok"));
  EXPECT_THAT(cut(), HasSubstr("! deviates rdma_write.ok accepted pair_accepts"));
}

TEST_F(WatchExtract, GivesASendItsReceive) {
  reg(5, 0x10000, 64, 0, 11);
  succeed(kOpSend, 0, 0, {{0x10000, 8, 5}});
  EXPECT_THAT(cut(), HasSubstr("post_recv(qp1, mr1.lkey, buf1+1024, 8) -> ok"));
  EXPECT_THAT(cut(), HasSubstr("! deviates send.ok accepted local_same_pd"));
}

TEST_F(WatchExtract, BindsWindowsAsTheyWere) {
  for (const bool zero_based : {false, true}) {
    const std::uint64_t mw = zero_based ? 61 : 60, first = zero_based ? 0 : 0x20040,
                        key = 0x8800 + 0x100 * mw;
    reg(5, 0x10000, 64, kWrite);
    reg(6, 0x20000, 4096, kWrite | kBind);
    call(Kind::alloc_mw, mw, {10, key, 2});
    const auto access = kRemoteRead | (zero_based ? kZero : 0);
    call(Kind::post_send, 21,
         {++id_, kOpBind | kSignaled << 32U, mw, 1006, 0x20040, 64, access | (key + 1) << 32U});
    call(Kind::completion, 30, {id_, 0, 21});
    succeed(kOpRead, first + 60, key + 1, {{0x10000, 8, 5}});
    EXPECT_THAT(cut(), HasSubstr("mw0 = alloc_mw(pd0, TYPE_2) -> ok"));
    EXPECT_THAT(cut(), HasSubstr("post_bind_mw(qp1, mw0, mw0.rkey^0x1, mr1, buf1+1088, 64, "));
    EXPECT_THAT(cut(), HasSubstr(zero_based ? ", mw0.rkey, 0x3c)" : ", mw0.rkey, buf1+1148)"));
    EXPECT_THAT(cut(), HasSubstr("! deviates rdma_read.ok accepted remote_in_bounds"));
  }
}

TEST_F(WatchExtract, HasABindThatHadToFail) {
  reg(6, 0x20000, 4096, kWrite, 10);  // may not be bound to
  call(Kind::alloc_mw, 60, {10, 0x8800, 2});
  call(Kind::post_send, 21,
       {++id_, kOpBind | kSignaled << 32U, 60, 1006, 0x20000, 64, kRemoteRead | 0x8801ULL << 32U});
  call(Kind::completion, 30, {id_, 0, 21});
  EXPECT_THAT(cut(), HasSubstr("! deviates post_bind_mw.ok accepted bind_right"));
}

TEST_F(WatchExtract, HasARegistrationThatHadToFail) {
  reg(5, 0x12345, 1U << 30U, kRemoteWrite);
  EXPECT_THAT(cut(), HasSubstr("mr0 = reg_mr(pd0, buf0+1024, 4096, REMOTE_WRITE) -> ok"));
}

TEST_F(WatchExtract, IsEmptyWhereATraceHasNoWords) {
  std::vector<Words> elements;
  for (std::uint64_t key = 1; key <= 5; ++key) {
    reg(key, 0x10000 * key, 64, kWrite | kRemoteWrite);
    elements.push_back({0x10000 * key, 8, key});
  }
  succeed(kOpWrite, 0x10030, 1, elements);
  EXPECT_EQ(cut(), "");
  EXPECT_EQ(judge_.findings().back().trace_file, "");
}

}  // namespace
}  // namespace mrproof::watch
