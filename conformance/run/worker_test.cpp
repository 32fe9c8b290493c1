#include "conformance/run/worker.hpp"

#include <gmock/gmock.h>

#include <numeric>
#include <thread>

#include "conformance/run/supervisor.hpp"
#include "impl/sim/sim_device.hpp"
#include "model/testing/test_files.hpp"
#include "property-tests/walk/test_walk.hpp"

namespace mrproof::conformance {
namespace {

using model::Verdict;

/// The simulated device, with something that goes wrong around some of its calls.
class Disturbed : public impl::Device {
 public:
  /// At the calls of these numbers, counted from 1 over all cases; or from `from` on at each.
  explicit Disturbed(std::vector<int> at, int from = 1 << 30) : at_(std::move(at)), from_(from) {}

  [[nodiscard]] impl::Description description() const override { return sim_.description(); }
  [[nodiscard]] model::Capabilities<model::Plain> capabilities() const override {
    return sim_.capabilities();
  }
  std::uint64_t reset(const model::Setup& setup) override {
    if (std::exchange(warns_, false)) warning_ = "WARNING: CPU: 1 at lib/refcount.c:28 f+0x1";
    return sim_.reset(setup);
  }
  [[nodiscard]] std::span<const std::byte> buffer(std::size_t index) const override {
    return sim_.buffer(index);
  }
  impl::Observation perform(const model::Call<model::Plain>& call) override {
    impl::Observation seen = sim_.perform(call);
    ++calls_;
    if (calls_ >= from_ || std::find(at_.begin(), at_.end(), calls_) != at_.end()) disturb(seen);
    return seen;
  }
  void mark_suspect() override { ++distrusted_; }
  std::string late_warnings() override { return std::exchange(warning_, ""); }
  [[nodiscard]] int distrusted() const { return distrusted_; }

 private:
  virtual void disturb(impl::Observation& seen) {
    seen.disturbance = "a bird sat on the cable";
    seen.result.outcome = model::Outcome::wr_flush_err;  // which may not count
  }

 protected:
  bool warns_ = false;  ///< at the next reset()

 private:
  impl::SimDevice sim_;
  std::vector<int> at_;
  int from_ = 0;
  int calls_ = 0;
  int distrusted_ = 0;
  std::string warning_;
};

/// Some calls leave something behind that the kernel complains of when it is destroyed; they hang,
/// or return as if nothing were.
class LeavesSomething : public Disturbed {
 public:
  LeavesSomething(int at, bool hangs) : Disturbed({at}), hangs_(hangs) {}

 private:
  void disturb(impl::Observation& seen) override {
    warns_ = true;
    if (!hangs_) return;
    seen.timed_out = true;
    seen.result.outcome = model::Outcome::none;
  }

  bool hangs_;
};

/// Each case leaves something, from the second on in the second process; what the system does not
/// tell, and what was there before, does not count.
class LeavesObjects : public Disturbed {
 public:
  LeavesObjects() : Disturbed({}) {}
  [[nodiscard]] Left left() const override {
    using enum model::Held;
    Left left;
    left.before.of(pinned) = left.before.of(users) = 4;
    left.before.of(regions) = 0;
    if (resets_++ == 0) return left;
    left.process = resets_ > 2 ? 1 : 0;
    left.after.of(pinned) = 12;
    left.after.of(regions) = 1;
    left.after.of(users) = 3;
    left.after.of(files) = 1;
    return left;
  }

 private:
  mutable int resets_ = 0;
};

/// The kernel keeps an object of each call, of each third call, and some from the beginning.
class KeepsMemory : public Disturbed {
 public:
  KeepsMemory() : Disturbed({}, 1) {}
  [[nodiscard]] impl::KernelCaches kernel_caches() const override {
    return {{"each", {calls_, 64}}, {"third", {calls_ / 3, 8}}, {"first", {1000, 512}}};
  }

 private:
  void disturb(impl::Observation& /*seen*/) override { ++calls_; }
  std::uint64_t calls_ = 0;
};

/// After some calls a completion comes that is of nothing posted.
class SendsStray : public Disturbed {
 public:
  using Disturbed::Disturbed;

 private:
  void disturb(impl::Observation& seen) override { seen.stray = true; }
};

/// A worker in a thread of this process.
class ThreadHost : public Host {
 public:
  ThreadHost(Channel& channel, impl::Device& device) : channel_(channel), device_(device) {}
  void start() override {
    thread_ = std::jthread([this] {
      std::uint64_t first = 0;
      property_tests::Plan plan = property_tests::parse_request(channel_.request(), first);
      work_off(channel_, std::move(plan), device_, first);
      over_ = true;
    });
  }
  std::optional<Ended> ended() override { return over_ ? std::optional(at_rest()) : std::nullopt; }
  bool renew() override { return false; }
  [[nodiscard]] std::string name() const override { return "a thread"; }

 private:
  Channel& channel_;
  impl::Device& device_;
  std::jthread thread_;
  std::atomic<bool> over_ = false;
};

std::uint32_t steps_of(const CaseOutcome& outcome) {
  return std::accumulate(outcome.counts.begin(), outcome.counts.end(), 0U);
}

class WorkerTest : public ::testing::Test {
 protected:
  /// The run's tally; each case has 20 steps.
  Tally run(Disturbed& device, std::uint64_t cases) {
    property_tests::Plan plan = property_tests::testing::plan_of(20 * cases);
    plan.case_steps = 20;
    return run(device, plan);
  }
  Tally run(Disturbed& device, const property_tests::Plan& plan) {
    Channel channel = Channel::create(folder_.file("channel"), kChannelSize);
    ThreadHost host(channel, device);
    Journal journal(journal_);
    Tally tally(model::linux_rulebook());
    Supervisor supervisor({}, plan, channel, host, tally, journal);
    supervisor.run();
    return tally;
  }

  model::testing::TemporaryFolder folder_;
  std::string journal_ = folder_.file("journal.jsonl");
};

TEST_F(WorkerTest, WhatACaseLeavesIsTold) {
  LeavesObjects device;
  const Tally tally = run(device, 2);
  ASSERT_EQ(tally.incidents.size(), 2U);  // of the last case, too
  for (const Incident& incident : tally.incidents) {
    EXPECT_EQ(incident.verdict, Verdict::deviates);
    EXPECT_EQ(incident.name_text(), "reset.ok/detail/pages_unpinned+regions_gone");
    EXPECT_THAT(incident.text, ::testing::EndsWith("pinned KiB: 8, memory regions: 1"));
    EXPECT_EQ(incident.trace.steps.size(), 20U);
    EXPECT_TRUE(incident.counts());
  }
  EXPECT_THAT(tally.incidents[0].text, ::testing::Not(::testing::HasSubstr("peer")));
  EXPECT_THAT(tally.incidents[1].text, ::testing::HasSubstr("of the other process, or the peer"));
  EXPECT_TRUE(tally.findings.empty());
}

TEST_F(WorkerTest, MemoryThatTheKernelKeepsOfEachRoundIsTold) {
  KeepsMemory device;
  property_tests::Plan plan = property_tests::testing::plan_of(1);
  plan.steps = 0;
  plan.scenarios.emplace_back();
  plan.scenarios.front().text =
      "# mrproof trace v1\ngiven pd0\nmr0 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE)\n";
  for (const std::uint64_t rounds : {0U, 10U}) {
    plan.leak_rounds = rounds;
    const Tally tally = run(device, plan);
    EXPECT_EQ(tally.steps, 1U);  // the rounds are nobody's steps
    ASSERT_EQ(tally.incidents.size(), rounds == 0 ? 0U : 1U);
    if (rounds == 0) continue;
    EXPECT_EQ(tally.incidents[0].name_text(), "reset.ok/detail/kernel_memory_freed");
    EXPECT_THAT(tally.incidents[0].text, ::testing::EndsWith("each round: 64 (each: 1)"));
    EXPECT_EQ(tally.incidents[0].trace.steps.size(), 1U);
  }
  // The trace of such a finding says so itself.
  plan.leak_rounds = 0;
  plan.scenarios.front().keeps_memory = true;
  EXPECT_EQ(run(device, plan).incidents.size(), 1U);
}

TEST_F(WorkerTest, ADisturbedCaseIsRepeated) {
  Disturbed device({7, 30});
  const Tally tally = run(device, 3);
  ASSERT_EQ(tally.incidents.size(), 2U);
  for (const Incident& incident : tally.incidents) {
    EXPECT_EQ(incident.verdict, Verdict::inconclusive);
    EXPECT_EQ(incident.text, "a bird sat on the cable; the case is repeated");
    EXPECT_FALSE(incident.counts());
  }
  EXPECT_EQ(tally.incidents[0].step, 6U);  // and the 13th of what follows: six were made, then 20
  EXPECT_EQ(tally.incidents[1].step, 2U);
  EXPECT_TRUE(tally.findings.empty());
  ASSERT_EQ(tally.outcomes.size(), 3U);
  for (const CaseOutcome& outcome : tally.outcomes) {
    EXPECT_EQ(outcome.verdict(), Verdict::conforms) << outcome.name;
    EXPECT_EQ(steps_of(outcome), 20U) << outcome.name;
  }
  EXPECT_EQ(device.distrusted(), 2);
}

TEST_F(WorkerTest, ACaseThatIsDisturbedAgainAndAgainIsSkipped) {
  Disturbed device({}, 21);
  const Tally tally = run(device, 2);
  ASSERT_EQ(tally.incidents.size(), 5U);
  EXPECT_EQ(tally.incidents.back().text, "a bird sat on the cable; the case is given up");
  EXPECT_TRUE(tally.findings.empty());
  ASSERT_EQ(tally.outcomes.size(), 2U);
  EXPECT_EQ(tally.outcomes[0].skip_reason, "");
  EXPECT_EQ(tally.outcomes[1].skip_reason, "given up after 5 attempts: a bird sat on the cable");
  EXPECT_EQ(device.distrusted(), 5);
}

TEST_F(WorkerTest, AHangTellsWhatTheKernelComplainsOfAfterwards) {
  LeavesSomething device(7, true);
  const Tally tally = run(device, 3);
  ASSERT_EQ(tally.incidents.size(), 1U);
  EXPECT_EQ(tally.incidents[0].verdict, Verdict::hang);
  EXPECT_EQ(tally.incidents[0].step, 6U);
  EXPECT_EQ(tally.incidents[0].case_name, tally.outcomes[0].name);
  EXPECT_THAT(tally.incidents[0].text, ::testing::HasSubstr("lib/refcount.c:28"));
  EXPECT_EQ(tally.counts.at(static_cast<std::size_t>(Verdict::hang)), 1U);
  EXPECT_EQ(tally.counts.at(static_cast<std::size_t>(Verdict::kernel_warning)), 0U);
}

TEST_F(WorkerTest, NoStepIsBlamedForAWarningOfWhatAnotherCaseLeft) {
  LeavesSomething device(7, false);
  const Tally ran = run(device, 3);
  Tally read(model::linux_rulebook());
  property_tests::Plan plan = property_tests::testing::plan_of(60);
  plan.case_steps = 20;
  EXPECT_EQ(read_journal(journal_, plan, "", read).first_case, 3U);
  for (const Tally* tally : {&ran, &std::as_const(read)}) {
    ASSERT_EQ(tally->incidents.size(), 1U);
    EXPECT_EQ(tally->incidents[0].verdict, Verdict::kernel_warning);
    EXPECT_EQ(tally->incidents[0].case_name, "");
    EXPECT_EQ(tally->incidents[0].name_text(), "reset.none/none/-");
    EXPECT_EQ(tally->counts.at(static_cast<std::size_t>(Verdict::kernel_warning)), 1U);
    for (const CaseOutcome& outcome : tally->outcomes)
      EXPECT_EQ(outcome.verdict(), Verdict::conforms) << outcome.name;
  }
  EXPECT_EQ(ran.incidents[0].trace.steps.size(), 20U) << "of the case that left it";
}

TEST_F(WorkerTest, ACaseEndsAtACompletionOfNothingPosted) {
  SendsStray device({7});
  const Tally tally = run(device, 2);
  ASSERT_EQ(tally.outcomes.size(), 2U);
  EXPECT_EQ(steps_of(tally.outcomes[0]), 7U);
  EXPECT_EQ(steps_of(tally.outcomes[1]), 20U);
  EXPECT_EQ(device.distrusted(), 1);
}

TEST_F(WorkerTest, ALedCaseLeavesOutWhatMayNotBeCalledAndWalksOn) {
  Disturbed device({});
  property_tests::Plan plan = property_tests::testing::plan_of(1);
  plan.steps = 0;
  plan.more_to_come = true;
  plan.scenarios.emplace_back();
  plan.scenarios.front().text =
      "# mrproof trace v1\ngiven pd0\ndereg_mr(mr5)\nmr0 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE)\n";
  plan.scenarios.front().led = true;
  plan.scenarios.front().walk_steps = 7;
  plan.scenarios.front().walk_seed = 3;
  const auto made_calls = [&] {
    Channel channel = Channel::create(folder_.file("channel"), kChannelSize);
    ThreadHost host(channel, device);
    Journal journal("");
    Tally tally(model::linux_rulebook());
    Supervisor supervisor({}, plan, channel, host, tally, journal);
    supervisor.run();
    return supervisor.last_case();
  };
  const model::Trace seen = made_calls();
  EXPECT_EQ(seen.steps.size(), 8U);
  EXPECT_EQ(model::print_call(seen.steps.front()), "mr0 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE)");
}

TEST_F(WorkerTest, WhatWasDisturbedIsReadBackFromTheJournal) {
  Disturbed device({7});
  const Tally ran = run(device, 2);
  Tally read(model::linux_rulebook());
  property_tests::Plan plan = property_tests::testing::plan_of(40);
  plan.case_steps = 20;
  EXPECT_EQ(read_journal(journal_, plan, "", read).first_case, 2U);
  EXPECT_EQ(read.incidents.size(), 1U);
  ASSERT_EQ(read.outcomes.size(), 2U);
  EXPECT_EQ(read.outcomes[0].counts, ran.outcomes[0].counts);
}

}  // namespace
}  // namespace mrproof::conformance
