#include "model/oracle/oracle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/trace/layout.hpp"

namespace mrproof::model {
namespace {

/// Memory that a test writes to; compared byte by byte, one run a byte.
class FakeMemory : public MemorySource {
 public:
  void differences(const Memory& expected, std::vector<ByteRun>& runs) override {
    ++asked;
    for (std::size_t index = 0; index < kBufferCount; ++index)
      for (std::uint64_t i = 0; i < kBufferSize; ++i)
        if (const auto at = buffer_address(index) + i; bytes.at(at) != expected.at(at))
          runs.push_back({at, {bytes.at(at)}});
  }
  Memory bytes;
  int asked = 0;
};

/// mr0 and mr1 in pd0 over the first page of buf0 and buf1; steps are written as in a trace.
class OracleTest : public ::testing::Test {
 protected:
  void SetUp() override {
    check("mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok lkey=0x100 rkey=0x100");
    check("mr1 = reg_mr(pd0, buf1+0, 4096, LOCAL_WRITE|REMOTE_WRITE) -> ok lkey=0x200 rkey=0x201");
  }

  Judgement check(const std::string& line) {
    step_ = parse_trace("# mrproof trace v1\n" + line + "\n", "line").steps.front();
    oracle_.resolve(step_);
    EXPECT_EQ(oracle_.forbids(step_), nullptr) << line;
    return oracle_.check(step_, memory_);
  }
  Verdict verdict(const std::string& line) { return check(line).verdict; }

  void move(std::uint64_t from, std::uint64_t to, std::uint64_t length) {
    Transfer<Plain> t;
    t.from[0] = {Plain::address(from), Plain::address(length), Bit(false), Bit(false)};
    t.to[0] = {Plain::address(to), Plain::address(length), Bit(false), Bit(false)};
    memory_.bytes.move(t);
  }

  FakeMemory memory_;
  Step step_;
  Oracle oracle_{linux_rulebook(), standard_setup(),
      {Plain::flags(0), Plain::address(1U << 30U), Plain::flags(0)}};
};

constexpr const char* kWrite = "rdma_write(qp0, mr0.lkey, buf0+0, 64, mr1.rkey, buf1+0) -> ";
/// 128 bytes asked for, 64 of them before the end of mr0.
constexpr const char* kOver = "rdma_write(qp0, mr0.lkey, buf0+4032, 128, mr1.rkey, buf1+0) -> ";

TEST_F(OracleTest, PutsTheValuesOfNamedKeysIntoCalls) {
  check("rdma_write(qp0, mr0.lkey, buf0+0, 0, mr1.rkey^0x80, buf1+0) -> SUCCESS");
  EXPECT_EQ(step_.call.lkey.value(), 0x100U);
  EXPECT_EQ(step_.call.rkey.value(), 0x281U);
  EXPECT_EQ(step_.call.rkey.value() ^ 0x80U, 0x201U);
  check("dereg_mr(mr1) -> ok");
  check("post_recv(qp0, mr1.lkey, buf1+0, 0x10) -> ok");
  EXPECT_EQ(step_.call.lkey.value(), 0x200U) << "a dead region keeps its keys, they are stale";
}

TEST_F(OracleTest, PredictsTheBytesOfASuccess) {
  move(buffer_address(0), buffer_address(1), 64);
  EXPECT_EQ(verdict(std::string(kWrite) + "SUCCESS"), Verdict::conforms);
  EXPECT_TRUE(step_.bytes.empty());
  EXPECT_EQ(oracle_.memory().at(buffer_address(1)), oracle_.memory().at(buffer_address(0)));
}

TEST_F(OracleTest, NamesBytesThatDidNotMove) {
  const Judgement judgement = check(std::string(kWrite) + "SUCCESS");
  EXPECT_EQ(judgement.verdict, Verdict::deviates);
  EXPECT_EQ(judgement.kind, DeviationClass::bytes);
  EXPECT_EQ(judgement.broken.front(), &kBytesAsPredicted);
  EXPECT_GE(step_.bytes.size(), 60U);
}

TEST_F(OracleTest, LetsEachByteOfAFailedTransferBeOldOrNew) {
  const auto from = buffer_address(0) + 4032;
  for (const std::uint64_t i : {0U, 1U, 5U, 63U})
    memory_.bytes.store(buffer_address(1) + i, memory_.bytes.at(from + i));
  EXPECT_EQ(verdict(std::string(kOver) + "LOC_PROT_ERR qp=ERR peer=RTS"), Verdict::conforms);
  // What was seen is what is so from now on.
  for (const std::uint64_t i : {0U, 1U, 2U, 5U, 63U})
    EXPECT_EQ(oracle_.memory().at(buffer_address(1) + i), memory_.bytes.at(buffer_address(1) + i));
  EXPECT_EQ(verdict("connect(qp0) -> ok"), Verdict::conforms);
}

TEST_F(OracleTest, LetsBytesOfAFailedTransferArriveUntilTheConnectionIsMadeAnew) {
  const auto from = buffer_address(0) + 4032;
  const auto arrive = [&](std::uint64_t i) {
    memory_.bytes.store(buffer_address(1) + i, memory_.bytes.at(from + i));
  };
  EXPECT_EQ(verdict(std::string(kOver) + "LOC_PROT_ERR qp=ERR peer=RTS"), Verdict::conforms);
  arrive(3);
  EXPECT_EQ(verdict("query_qp(qp1) -> ok qp=RTS"), Verdict::conforms);
  arrive(0);
  EXPECT_EQ(verdict("connect(qp0) -> ok"), Verdict::conforms);
  arrive(5);
  EXPECT_EQ(check("query_qp(qp1) -> ok qp=RTS").kind, DeviationClass::bytes);
}

TEST_F(OracleTest, LetsBytesOfATransferArriveThatFailedAsItShouldNot) {
  const Judgement flushed = check(std::string(kOver) + "WR_FLUSH_ERR qp=ERR peer=RTS");
  ASSERT_EQ(flushed.verdict, Verdict::deviates);
  ASSERT_FALSE(oracle_.lost());
  memory_.bytes.store(buffer_address(1), memory_.bytes.at(buffer_address(0) + 4032));
  EXPECT_EQ(verdict("connect(qp0) -> ok"), Verdict::conforms);
  memory_.bytes.store(buffer_address(1) + 64, ~memory_.bytes.at(buffer_address(1) + 64));
  EXPECT_EQ(check("query_qp(qp1) -> ok qp=RTS").kind, DeviationClass::bytes);
}

/// A fault of the requester's in its second element; what the first sends is out of bounds.
constexpr const char* kBothFail =
    "rdma_write(qp0, mr0.lkey, buf0+0, 8 + mr0.lkey, buf0+4096, 8, mr1.rkey, buf1+4090) -> ";

TEST_F(OracleTest, LetsAResponderFailLaterAtAFaultOfItsOwn) {
  EXPECT_EQ(verdict(std::string(kBothFail) + "LOC_PROT_ERR qp=ERR peer=RTS"), Verdict::conforms);
  EXPECT_EQ(verdict("query_qp(qp1) -> ok qp=RTS"), Verdict::conforms);
  EXPECT_EQ(verdict("query_qp(qp1) -> ok qp=ERR"), Verdict::conforms);
  EXPECT_EQ(verdict("query_qp(qp1) -> ok qp=RTS"), Verdict::deviates) << "it does not come back";
}

TEST_F(OracleTest, LetsAResponderFailLaterAfterAStatusThatWasWrong) {
  const Judgement flushed = check(std::string(kBothFail) + "WR_FLUSH_ERR qp=ERR peer=RTS");
  ASSERT_EQ(flushed.verdict, Verdict::deviates);
  ASSERT_FALSE(oracle_.lost());
  EXPECT_EQ(verdict("rdma_write(qp1, mr0.lkey, buf0+0, 8, mr1.rkey, buf1+0) -> WR_FLUSH_ERR "
                    "qp=ERR peer=ERR"),
      Verdict::conforms);
}

TEST_F(OracleTest, LetsNoResponderFailLaterWithoutAFaultOrOverANewConnection) {
  EXPECT_EQ(verdict(std::string(kOver) + "LOC_PROT_ERR qp=ERR peer=RTS"), Verdict::conforms);
  EXPECT_EQ(verdict("query_qp(qp1) -> ok qp=ERR"), Verdict::deviates);
  EXPECT_EQ(verdict("connect(qp0) -> ok"), Verdict::conforms);
  EXPECT_EQ(verdict(std::string(kBothFail) + "LOC_PROT_ERR qp=ERR peer=RTS"), Verdict::conforms);
  EXPECT_EQ(verdict("connect(qp1) -> ok"), Verdict::conforms);
  EXPECT_EQ(verdict("query_qp(qp1) -> ok qp=ERR"), Verdict::deviates);
}

TEST_F(OracleTest, LetsNoOtherByteOfAFailedTransferChange) {
  const std::string failed = std::string(kOver) + "LOC_PROT_ERR qp=ERR peer=RTS";
  // Beyond what could be reached, beside the target, and a byte that is neither old nor new.
  for (const std::uint64_t offset :
      {std::uint64_t{64}, std::uint64_t{127}, kPageSize, ~std::uint64_t{0}}) {
    const std::uint64_t at =
        offset == ~std::uint64_t{0} ? buffer_address(2) : buffer_address(1) + offset;
    Oracle fresh = oracle_;
    FakeMemory memory;
    memory.bytes.store(at, ~memory.bytes.at(at));
    Step step = parse_trace("# mrproof trace v1\n" + failed + "\n", "line").steps.front();
    fresh.resolve(step);
    EXPECT_EQ(fresh.check(step, memory).kind, DeviationClass::bytes) << offset;
  }
  const auto old = memory_.bytes.at(buffer_address(1));
  const auto moved = memory_.bytes.at(buffer_address(0) + 4032);
  auto neither = std::byte{0};
  while (neither == old || neither == moved) neither = std::byte(std::to_integer<int>(neither) + 1);
  memory_.bytes.store(buffer_address(1), neither);
  EXPECT_EQ(check(failed).kind, DeviationClass::bytes);
}

TEST_F(OracleTest, FollowsTheProgramsOwnStores) {
  memory_.bytes.fill(buffer_address(0) + 3, 100, 9);
  EXPECT_EQ(verdict("fill(buf0+3, 100, 9)"), Verdict::conforms);
  EXPECT_EQ(oracle_.memory().at(buffer_address(0) + 3), std::byte{pattern_byte(9, 0)});
}

/// What is in flight may store something until a deregistration beside it has returned.
TEST_F(OracleTest, TakesInWhatIsStoredWhileACallThatEndsItIsUnderWay) {
  EXPECT_EQ(verdict("d: dereg_mr(mr1) -> begun"), Verdict::conforms);
  EXPECT_EQ(verdict("a: " + std::string(kWrite) + "posted"), Verdict::conforms);
  move(buffer_address(0), buffer_address(1), 64);
  for (const char* ends : {"d: dereg_mr(mr1) -> begun\nd -> ok\n",
                           "a: send(qp0, 0x1, 0x0, 1) -> posted\na -> SUCCESS\n"}) {
    Step seen = parse_trace("# mrproof trace v1\n" + std::string(ends), "lines").steps.back();
    oracle_.resolve(seen);
    EXPECT_EQ(oracle_.check(seen, memory_).verdict, Verdict::conforms);
  }
}

TEST_F(OracleTest, AsksForMemoryOnceAStepAlsoWhenItHangsOrDeviates) {
  memory_.asked = 0;
  EXPECT_EQ(verdict("query_qp(qp0) -> ok qp=RTS"), Verdict::conforms);
  EXPECT_EQ(memory_.asked, 1);
  EXPECT_EQ(verdict("query_qp(qp0) -> ok qp=ERR"), Verdict::deviates);
  EXPECT_EQ(memory_.asked, 2);
  EXPECT_EQ(verdict(std::string(kWrite) + "none timed_out"), Verdict::hang);
  EXPECT_EQ(memory_.asked, 3);
}

TEST_F(OracleTest, GoesOnAfterARefusalWhoseStatesWereSeen) {
  EXPECT_EQ(verdict("post_recv(qp1, mr1.lkey, buf1+0, 64) -> ok"), Verdict::conforms);
  const Judgement refused =
      check(std::string(kWrite) + "REM_OP_ERR qp=ERR peer=ERR peer_receive=WR_FLUSH_ERR");
  ASSERT_EQ(refused.verdict, Verdict::deviates);
  ASSERT_FALSE(oracle_.lost());
  EXPECT_EQ(verdict("query_qp(qp0) -> ok qp=ERR"), Verdict::conforms);
  EXPECT_EQ(verdict("query_qp(qp1) -> ok qp=ERR"), Verdict::conforms);
  EXPECT_EQ(verdict("connect(qp0) -> ok"), Verdict::conforms);
  EXPECT_EQ(verdict("query_qp(qp0) -> ok qp=ERR"), Verdict::deviates);
  EXPECT_TRUE(oracle_.lost()) << "what it is in now, nobody knows";
}

TEST_F(OracleTest, GoesOnAfterASuccessWhoseCompletionAloneTellsAmiss) {
  move(buffer_address(0), buffer_address(1), 64);
  const Judgement amiss = check(std::string(kWrite) + "SUCCESS qp=RTS peer=RTS mismatch");
  ASSERT_EQ(amiss.kind, DeviationClass::detail);
  ASSERT_FALSE(oracle_.lost());
  EXPECT_EQ(verdict("query_qp(qp0) -> ok qp=RTS"), Verdict::conforms) << "and memory is known";
}

TEST_F(OracleTest, GivesUpWhereMoreThanTheCompletionIsAmiss) {
  move(buffer_address(0), buffer_address(1) + 1, 64);
  check(std::string(kWrite) + "SUCCESS qp=RTS peer=RTS mismatch");
  EXPECT_TRUE(oracle_.lost());
  const Judgement state = check(std::string(kWrite) + "SUCCESS qp=ERR peer=RTS mismatch");
  ASSERT_EQ(state.verdict, Verdict::deviates);
  EXPECT_TRUE(oracle_.lost());
}

TEST_F(OracleTest, GoesOnOverIwarpWhereEachQueryTellsAnotherState) {
  oracle_ = Oracle(linux_rulebook(), standard_setup(),
      {Plain::flags(0), Plain::address(1U << 30U), Plain::flags(kIwarp)});
  const Judgement other = check("query_qp(qp0) -> ok qp=OTHER");
  ASSERT_EQ(other.kind, DeviationClass::detail);
  EXPECT_FALSE(oracle_.lost());
  EXPECT_EQ(verdict("query_qp(qp0) -> ok qp=RTS"), Verdict::conforms);
}

TEST_F(OracleTest, GoesOnWithTheBytesThatASuccessStored) {
  move(buffer_address(0), buffer_address(1) + 1, 64);
  const Judgement shifted = check(std::string(kWrite) + "SUCCESS");
  ASSERT_EQ(shifted.kind, DeviationClass::bytes);
  ASSERT_FALSE(oracle_.lost());
  EXPECT_EQ(verdict("query_qp(qp0) -> ok qp=RTS"), Verdict::conforms);
}

}  // namespace
}  // namespace mrproof::model
