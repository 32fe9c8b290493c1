#include "model/judge/judge.hpp"

#include <gmock/gmock.h>

#include <cerrno>
#include <string>
#include <vector>

#include "model/access.hpp"
#include "model/conditions/circumstances.hpp"
#include "model/judge/deviation_name.hpp"

namespace mrproof::model {
namespace {

constexpr std::uint32_t kAll = kLocalWrite | kRemoteWrite | kRemoteRead;
constexpr std::size_t kBufferCount = Plain::kBuffers;
constexpr std::uint64_t kBufferSize = 8192;
constexpr std::uint64_t buffer_address(std::size_t index) { return 0x10000000 + index * 0x100000; }

constexpr auto make_live = [](auto& object) { object.live = Bit(true); };

/// qp0 and qp1 in pd0; qp2 in pd0, its peer qp3 in pd1; four buffers; no feature is claimed.
State<Plain> initial_state() {
  State<Plain> state;
  state.can = {Plain::flags(0), Plain::address(1000)};
  state.defined = Plain::flags(kDefinedAccess);
  for (const std::size_t pd : {0U, 1U}) state.pds.change(pd, make_live);
  state.qps.change_all(Everywhere{}, [](auto& qp) {
    qp.live = Bit(true);
    qp.state = Plain::small(QpState::rts);
    qp.access = Plain::flags(kPairRights);
  });
  state.qps.change(3, [](auto& qp) { qp.pd = Plain::slot(1); });
  for (std::size_t i = 0; i < kBufferCount; ++i) {
    state.buffers.at(i).first = Plain::address(buffer_address(i));
    state.buffers.at(i).last = Plain::address(buffer_address(i) + kBufferSize - 1);
  }
  return state;
}

/// The standard setup with mr0 and mr1, all of buf0 and buf1, in pd0, and mr2, of buf2, in pd1.
class JudgeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (std::uint32_t mr = 0; mr < 3; ++mr) {
      const Call<Plain> call = reg(mr, mr == 2, kAll);
      Result<Plain> seen;
      seen.lkey = seen.rkey = Plain::key(0x100U + mr);
      take(call, seen);
    }
  }

  static Call<Plain> reg(std::uint32_t mr, std::uint32_t pd, std::uint32_t access) {
    return {.verb = Verb::reg_mr,
        .pd = pd,
        .mr = mr,
        .access = Plain::flags(access),
        .address = Plain::address(buffer_address(mr % kBufferCount)),
        .length = Plain::address(kBufferSize)};
  }

  /// An RDMA write of 64 bytes from mr0 to mr1 on qp0.
  static Call<Plain> write(std::uint64_t rkey = 0x101) {
    return {.verb = Verb::rdma_write,
        .address = Plain::address(buffer_address(0)),
        .length = Plain::address(64),
        .lkey = Plain::key(0x100),
        .rkey = Plain::key(rkey),
        .remote = Plain::address(buffer_address(1))};
  }

  static Result<Plain> seen(
      Outcome outcome, QpState own = QpState::rts, QpState peer = QpState::rts) {
    Result<Plain> result;
    result.outcome = outcome;
    result.completion_matches = Bit(true);
    result.qp_state = Plain::small(own);
    result.peer_state = Plain::small(peer);
    result.own_receive = result.peer_receive = Plain::small(Outcome::none);
    return result;
  }

  static Result<Plain> refused(std::uint64_t error) {
    Result<Plain> result = seen(Outcome::refused);
    result.error = Plain::key(error);
    return result;
  }

  [[nodiscard]] Judgement judgement(const Call<Plain>& call, const Result<Plain>& result) const {
    return judge(linux_rulebook(), {state_, call, result});
  }

  /// "deviates rdma_write.ok accepted remote_key_live".
  [[nodiscard]] std::string told(const Call<Plain>& call, const Result<Plain>& result) const {
    const Judgement j = judgement(call, result);
    std::string text(kVerdictNames.at(static_cast<std::size_t>(j.verdict)));
    text += j.rule == nullptr ? " -" : std::string(" ") + j.rule->id;
    if (j.verdict != Verdict::deviates) return text;
    return text + " " + std::string(name_of(j.kind)) + " " + BrokenConditions(j.broken).text();
  }

  void take(const Call<Plain>& call, const Result<Plain>& result) {
    const Judgement j = judgement(call, result);
    ASSERT_NE(j.rule, nullptr);
    advance(*j.rule, {state_, call, result}, state_);
  }

  State<Plain> state_ = initial_state();
};

TEST_F(JudgeTest, NamesTheRuleThatWasTaken) {
  EXPECT_EQ(told(write(), seen(Outcome::ok)), "conforms rdma_write.ok");
  EXPECT_EQ(told(write(0x999), seen(Outcome::rem_access_err, QpState::err, QpState::err)),
      "conforms rdma_write.rem_access_err");
  EXPECT_EQ(told(reg(3, 0, kRemoteWrite), refused(EINVAL)), "conforms reg_mr.refused");
}

TEST_F(JudgeTest, ClassifiesDeviations) {
  EXPECT_EQ(
      told(write(0x999), seen(Outcome::ok)), "deviates rdma_write.ok accepted remote_key_live");
  EXPECT_EQ(told(write(), seen(Outcome::rem_access_err, QpState::err, QpState::err)),
      "deviates rdma_write.rem_access_err rejected nothing_forbids");
  EXPECT_EQ(told(write(0x999), seen(Outcome::loc_prot_err, QpState::err)),
      "deviates rdma_write.loc_prot_err status nothing_forbids");
  EXPECT_EQ(told(write(), seen(Outcome::ok, QpState::err)),
      "deviates rdma_write.ok detail requester_stays");
  EXPECT_EQ(told(write(), seen(Outcome::mw_bind_err, QpState::err, QpState::err)),
      "deviates - rejected outcome_known+nothing_forbids");
  EXPECT_EQ(told(write(0x999), seen(Outcome::mw_bind_err, QpState::err, QpState::err)),
      "deviates - status outcome_known");
}

TEST_F(JudgeTest, SaysAllThatIsBrokenAndNothingOfWhatCameWithIt) {
  Call<Plain> call = write(0x102);
  call.length = Plain::address(kBufferSize + 1);
  Result<Plain> result = seen(Outcome::ok, QpState::err);
  EXPECT_EQ(told(call, result),
      "deviates rdma_write.ok accepted "
      "message_not_too_long+local_in_bounds+remote_same_pd+remote_in_bounds");
}

TEST_F(JudgeTest, WeighsWhatProvesNothing) {
  EXPECT_EQ(told(reg(3, 0, kAll), refused(ENOMEM)), "inconclusive reg_mr.no_resources");
  EXPECT_EQ(told(reg(3, 0, kOnDemand), refused(EOPNOTSUPP)), "unsupported reg_mr.unsupported");
  EXPECT_EQ(told(reg(3, 0, kRemoteWrite), refused(ENOMEM)), "conforms reg_mr.refused")
      << "a reason to refuse is worth more than the errno";
  EXPECT_EQ(told(write(), seen(Outcome::retry_exc_err, QpState::err)),
      "inconclusive rdma_write.transport");
}

TEST_F(JudgeTest, WhatOnceSucceededIsSupported) {
  Result<Plain> result;
  result.lkey = result.rkey = Plain::key(0x300);
  take(reg(3, 0, kOnDemand), result);
  EXPECT_EQ(told(reg(4, 0, kOnDemand), refused(EOPNOTSUPP)),
      "deviates reg_mr.refused rejected nothing_forbids+on_demand_asked");
}

TEST_F(JudgeTest, AllowedIsWhatTheSituationAllowsResourcesAside) {
  const auto allowed_of = [&](const Call<Plain>& call) {
    const Result<Plain> nothing;
    const OutcomeSet set = allowed(linux_rulebook(), {state_, call, nothing});
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kOutcomes; ++i)
      if (set.contains(static_cast<Outcome>(i))) names.emplace_back(kOutcomeNames.at(i));
    return names;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(allowed_of(write()), ElementsAre("ok"));
  EXPECT_THAT(allowed_of(write(0x999)), ElementsAre("REM_ACCESS_ERR"));
  EXPECT_THAT(allowed_of(reg(3, 0, kRemoteWrite)), ElementsAre("refused"));
  EXPECT_THAT(allowed_of(reg(3, 0, kOnDemand)), ElementsAre("ok", "refused"));
  Call<Plain> call = write();
  call.lkey = Plain::key(0x999);
  EXPECT_THAT(allowed_of(call), ElementsAre("refused", "LOC_PROT_ERR"));
}

/// Calls on the state above, right and wrong in many ways.
std::vector<Call<Plain>> many_calls() {
  std::vector<Call<Plain>> calls;
  for (std::size_t verb = 0; verb < kVerbs; ++verb)
    for (const std::uint64_t key : {0x100U, 0x101U, 0x102U, 0x999U})
      for (const std::uint64_t length : {0U, 1U, 64U, 1001U, 8193U})
        for (const auto address : {buffer_address(0), buffer_address(1) - 1, ~std::uint64_t{0}})
          for (const auto slot : std::initializer_list<std::uint8_t>{0, 2, 3}) {
            Call<Plain> call;
            call.verb = static_cast<Verb>(verb);
            call.pd = call.qp = slot;
            call.mr = slot;
            call.lkey = call.rkey = Plain::key(key);
            call.address = Plain::address(address);
            call.remote = Plain::address(buffer_address(2));
            call.length = Plain::address(length);
            call.access = Plain::flags(key & 0xff);
            calls.push_back(call);
          }
  return calls;
}

TEST_F(JudgeTest, AlwaysHasAnAnswerThatItsRulesBearOut) {
  for (const auto& call : many_calls())
    for (std::size_t outcome = 0; outcome < kOutcomes; ++outcome)
      for (const auto error : std::initializer_list<std::uint32_t>{0, EINVAL, ENOMEM}) {
        Result<Plain> result = seen(static_cast<Outcome>(outcome));
        result.error = Plain::key(error);
        const PlainView view{state_, call, result};
        const Judgement j = judge(linux_rulebook(), view);
        if (j.verdict != Verdict::deviates) {
          ASSERT_NE(j.rule, nullptr);
          ASSERT_EQ(j.rule->outcome, result.outcome);
          for (const auto& term : j.rule->requires_all)
            ASSERT_EQ(term.condition->holds(view).truth(), term.holds);
          ASSERT_EQ(j.broken.size(), 0U);
          continue;
        }
        ASSERT_GE(j.broken.size(), 1U);
        ASSERT_NE(j.kind, DeviationClass::none);
        ASSERT_EQ(j.kind == DeviationClass::accepted,
            result.outcome == Outcome::ok && j.kind != DeviationClass::detail);
      }
}

TEST_F(JudgeTest, LeavesNoCallWithoutAnAllowedResult) {
  for (const auto& call : many_calls()) {
    if (linux_rulebook().forbids(state_, call) != nullptr) continue;
    const Result<Plain> nothing;
    EXPECT_FALSE(allowed(linux_rulebook(), {state_, call, nothing}).none())
        << kVerbNames.at(static_cast<std::size_t>(call.verb));
  }
}

TEST_F(JudgeTest, ForbidsWhatTheCallerMustNotDo) {
  const auto precondition = [&](const Call<Plain>& call) {
    const auto* broken = linux_rulebook().forbids(state_, call);
    return std::string(broken == nullptr ? "" : broken->id);
  };
  EXPECT_EQ(precondition(write()), "");
  EXPECT_EQ(precondition(reg(0, 0, kAll)), "mr_slot_free");
  EXPECT_EQ(precondition(reg(3, 2, kAll)), "pd_live");
  Call<Plain> overlapping = write(0x100);
  overlapping.remote = Plain::address(buffer_address(0) + 63);
  EXPECT_EQ(precondition(overlapping), "copy_defined");
  overlapping.remote = Plain::address(buffer_address(0) + 64);
  EXPECT_EQ(precondition(overlapping), "");
}

}  // namespace
}  // namespace mrproof::model
