// The shrinker: on seeded faults, and on devices of one made-up condition each, which are the
// pitfalls that shrinkers are known to fall into.
#include "property-tests/shrink/shrink.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "impl/sim/sim_device.hpp"
#include "model/oracle/judge_trace.hpp"
#include "property-tests/walk/test_walk.hpp"

namespace mrproof::property_tests {
namespace {

using model::DeviationClass;
using model::Verb;
using model::Verdict;

const model::Annotation kOdd{{"pitfall.odd", DeviationClass::status, {"outcome_known"}},
                             Verdict::deviates};

/// Shows something whenever the calls fulfil a condition: no device would be so simple.
class Pitfall final : public Trials {
 public:
  using Condition = std::function<bool(const std::vector<model::Step>&)>;
  explicit Pitfall(Condition condition) : condition_(std::move(condition)) {}
  std::optional<model::Trace> first_showing(std::span<const model::Trace> candidates,
                                            const model::Annotation& wanted) override {
    for (model::Trace candidate : candidates) {
      EXPECT_TRUE(asked_.insert(calls_text(candidate)).second) << "tried twice";
      if (!condition_(candidate.steps)) continue;
      candidate.steps.back().annotations = {wanted};
      return candidate;
    }
    return std::nullopt;
  }

 private:
  Condition condition_;
  std::set<std::string> asked_;
};

/// The calls that are left of these lines.
std::string shrunk(const std::string& lines, Pitfall::Condition condition) {
  Pitfall trials(std::move(condition));
  ShortTraceStore store;
  Shrinker shrinker(trials, kOdd, store);
  const auto result = shrinker.run(model::parse_trace(
      "# mrproof trace v1\n"
      "given capabilities(MW_BIND, 1073741824, MW_TYPE_1|MW_TYPE_2B|MEM_MGT_EXTENSIONS)\n"
      "given pd0\ngiven qp0(pd0) <-> qp1(pd0)\n" +
          lines,
      "test"));
  if (!result) return "not shown";
  std::string text;
  for (const model::Step& step : result->trace.steps) text += model::print_call(step) + "\n";
  return text;
}

std::uint64_t length(const model::Step& step) { return step.call.length.value(); }

TEST(Pitfalls, ValuesThatAreCoupledShrinkTogether) {
  const auto equal = [](const std::vector<model::Step>& steps) {
    return steps.size() > 1 && length(steps[0]) == length(steps.back()) && length(steps[0]) > 20 &&
           length(steps[0]) < 2000;
  };
  EXPECT_EQ(shrunk("fill(buf0+5, 777, 3)\nfill(buf1+0, 100, 3)\nfill(buf2+9, 777, 4)\n", equal),
            "fill(buf0+0, 64, 7)\nfill(buf0+0, 64, 7)\n");
}

TEST(Pitfalls, WhatIsMadeBehindACallThatIsNotNeeded) {
  const auto overlap = [](const std::vector<model::Step>& steps) {
    const auto begins = [&](Verb verb) {
      return std::any_of(steps.begin(), steps.end(), [&](const model::Step& step) {
        return step.call.part == model::Part::posted && step.call.verb == verb;
      });
    };
    return begins(Verb::dereg_mr) && begins(Verb::alloc_pd);
  };
  EXPECT_EQ(shrunk("a: query_qp(qp0)\nafter a: b: mr0 = reg_mr(pd0, buf0+0, 8, 0)\n"
                   "after b: c: dereg_mr(mr0)\nd: query_qp(qp1)\nafter d: e: pd1 = alloc_pd()\n"
                   "a\nb\nc\nd\ne\n",
                   overlap),
            "e: pd1 = alloc_pd()\nmr0 = reg_mr(pd0, buf0+0, 8, 0)\nc: dereg_mr(mr0)\ne\n");
}

TEST(Pitfalls, AddressesThatAreCoupledMoveTogether) {
  const auto equal = [](const std::vector<model::Step>& steps) {
    return steps.size() > 1 && (steps[0].call.address == steps.back().call.address).truth();
  };
  EXPECT_EQ(shrunk("fill(buf2+100, 8, 7)\nfill(buf1+0, 8, 7)\nfill(buf2+100, 8, 7)\n", equal),
            "fill(buf0+0, 8, 7)\nfill(buf0+0, 8, 7)\n");
}

TEST(Pitfalls, ALengthBoundToTheContent) {
  const auto bound = [](const std::vector<model::Step>& steps) {
    return length(steps.back()) == steps.back().call.seed && length(steps.back()) > 2;
  };
  EXPECT_EQ(shrunk("fill(buf0+0, 100, 100)\n", bound), "fill(buf0+0, 8, 8)\n");
}

TEST(Pitfalls, AKeyUsedInTwoSteps) {
  const auto same_key = [](const std::vector<model::Step>& steps) {
    return steps.size() > 2 && steps[steps.size() - 2].rkey == steps.back().rkey &&
           steps.back().rkey.kind == model::KeyName::Kind::rkey &&
           steps[0].call.verb == Verb::reg_mr;
  };
  EXPECT_EQ(
      shrunk("mr0 = reg_mr(pd0, buf0+0, 8, 0)\nmr1 = reg_mr(pd0, buf1+0, 8, 0)\n"
             "local_inv(qp0, mr1.rkey^0x40)\nlocal_inv(qp1, mr1.rkey^0x40)\n",
             same_key),
      "mr0 = reg_mr(pd0, buf0+0, 8, 0)\nlocal_inv(qp0, mr0.rkey)\nlocal_inv(qp0, mr0.rkey)\n");
}

TEST(Pitfalls, AnAddressThatMovesInRegistrationAndUseAtOnce) {
  const auto beyond = [](const std::vector<model::Step>& steps) {
    if (steps.size() < 2 || steps[0].call.verb != Verb::reg_mr) return false;
    const auto& region = steps[0].call;
    const auto& use = steps.back().call;
    return model::is_remote(use.verb) && steps.back().rkey.kind == model::KeyName::Kind::rkey &&
           use.remote.value() + use.length.value() ==
               region.address.value() + region.length.value() + 1;
  };
  EXPECT_EQ(shrunk("mr0 = reg_mr(pd0, buf2+24, 700, REMOTE_WRITE)\n"
                   "rdma_write(qp1, mr0.lkey, buf2+24, 100, mr0.rkey, buf2+625)\n",
                   beyond),
            "mr0 = reg_mr(pd0, buf0+0, 8, 0)\n"
            "rdma_write(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+1)\n");
}

TEST(Pitfalls, StepsThatMayComeInAnyOrderComeInOne) {
  const auto has_both = [](const std::vector<model::Step>& steps) {
    const auto made = [&](Verb verb) {
      return std::any_of(steps.begin(), steps.end(),
                         [&](const model::Step& step) { return step.call.verb == verb; });
    };
    return made(Verb::reg_mr) && made(Verb::alloc_mw) && steps.back().call.verb == Verb::query_qp;
  };
  const std::string region = "mr3 = reg_mr(pd0, buf1+3, 9, 0)\n";
  const std::string window = "mw1 = alloc_mw(pd0, TYPE_2)\n";
  const std::string query = "query_qp(qp1)\n";
  const std::string plain =
      "mr0 = reg_mr(pd0, buf0+0, 8, 0)\nmw0 = alloc_mw(pd0, TYPE_1)\nquery_qp(qp0)\n";
  EXPECT_EQ(shrunk(region + window + query, has_both), plain);
  EXPECT_EQ(shrunk(window + region + query, has_both), plain);
}

TEST(Pitfalls, CallsThatNeedNotOverlapComeBefore) {
  const auto overlaps = [](const std::vector<model::Step>& steps) {
    return steps.size() >= 3 && model::is_overlapping(steps.back().call) &&
           model::is_overlapping(steps[steps.size() - 2].call) &&
           steps.back().call.part == model::Part::completion &&
           steps.back().call.verb == Verb::dereg_mr &&
           std::any_of(steps.begin(), steps.end(),
                       [](const auto& step) { return step.call.verb == Verb::alloc_mw; });
  };
  EXPECT_EQ(shrunk("mr3 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE)\n"
                   "after 9 us: a: mw2 = alloc_mw(pd0, TYPE_1)\n"
                   "after 3 us: b: dereg_mr(mr3)\n"
                   "a\n"
                   "b\n",
                   overlaps),
            "mr0 = reg_mr(pd0, buf0+0, 8, 0)\n"
            "mw0 = alloc_mw(pd0, TYPE_1)\n"
            "b: dereg_mr(mr0)\n"
            "b\n");
}

TEST(Pitfalls, StepsThatCanGoInTwosAndThreesOnly) {
  // Those of one kind lie apart, and all of the other kind are needed.
  const std::string needed = "fill(buf0+0, 8, 7)\n";
  const std::string other = "protect(buf0+0, 4096, NONE)\n";
  for (const std::size_t size : {2U, 3U}) {
    const auto divides = [&](const std::vector<model::Step>& steps) {
      const auto count = [&](Verb verb) {
        return static_cast<std::size_t>(
            std::count_if(steps.begin(), steps.end(),
                          [&](const model::Step& step) { return step.call.verb == verb; }));
      };
      return count(Verb::fill) == size && count(Verb::protect) % size == 0 &&
             steps.back().call.verb == Verb::query_qp;
    };
    std::string many, few;
    for (std::size_t i = 0; i < size; ++i) {
      many += needed + other;
      few += needed;
    }
    EXPECT_EQ(shrunk(many + "query_qp(qp0)\n", divides), few + "query_qp(qp0)\n") << size;
  }
}

TEST(Pitfalls, ABorderIsFoundWhateverTheDistance) {
  const auto beyond = [](const std::vector<model::Step>& steps) {
    return length(steps.back()) > 1234;
  };
  EXPECT_EQ(shrunk("mr0 = reg_mr(pd0, buf3+0, 16384, 0)\n", beyond),
            "mr0 = reg_mr(pd0, buf0+0, 4096, 0)\n");
  const auto odd = [](const std::vector<model::Step>& steps) {
    return length(steps.back()) > 1234 && length(steps.back()) < 3000;
  };
  EXPECT_EQ(shrunk("mr0 = reg_mr(pd0, buf3+0, 2900, 0)\n", odd),
            "mr0 = reg_mr(pd0, buf0+0, 1235, 0)\n");
}

TEST(Shrinker, SaysSoIfNothingIsShown) {
  EXPECT_EQ(shrunk("query_qp(qp0)\n", [](const auto& /*steps*/) { return false; }), "not shown");
}

/// The first trace of a walk that shows what is expected of the fault.
std::optional<model::Trace> found(impl::Device& device, const impl::FaultInfo& info,
                                  std::uint64_t seed) {
  // The rarest show three times in as many steps.
  const Plan plan = testing::plan_of(40000, seed);
  for (std::uint64_t index = 0; index < plan.cases(); ++index) {
    model::Trace trace = testing::walk_case(device, plan, index);
    const model::Annotation* told = told_by(trace);
    if (told != nullptr && told->rule == info.expected.rule &&
        told->broken.text() == info.expected.condition)
      return trace;
  }
  return std::nullopt;
}

class ShrinkOnFault : public ::testing::TestWithParam<const char*> {
 protected:
  const std::string name_ = GetParam();
  const impl::FaultInfo& info_ = *std::find_if(impl::faults().begin(), impl::faults().end(),
                                               [&](const auto& info) { return info.id == name_; });
  impl::SimDevice device_{{.fault = name_}};
};

TEST_P(ShrinkOnFault, GivesOneTraceWhateverTheSeed) {
  std::set<std::string> traces;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto trace = found(device_, info_, seed);
    ASSERT_TRUE(trace) << "seed " << seed;
    const model::Annotation wanted = *told_by(*trace);
    DeviceTrials trials(device_);
    ShortTraceStore store;
    Shrinker shrinker(trials, wanted, store);
    const auto result = shrinker.run(*trace);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->trace.steps.back().annotations.front(), wanted);
    EXPECT_TRUE(result->is_shortest());
    traces.insert(calls_text(result->trace));
    const model::Trace shown = presentable(*result, wanted);
    const model::Trace judged =
        model::judge_trace(model::parse_trace(model::print_trace(shown), ""),
                           *model::find_rulebook(shown.dialect), "");
    ASSERT_NE(told_by(judged), nullptr);
    EXPECT_EQ(*told_by(judged), wanted) << "the trace tells it without the device";
  }
  EXPECT_EQ(traces.size(), 1U) << ::testing::PrintToString(traces);
}

TEST_P(ShrinkOnFault, LeavesNoStepThatCouldGo) {
  const auto trace = found(device_, info_, 1);
  ASSERT_TRUE(trace);
  const model::Annotation wanted = *told_by(*trace);
  DeviceTrials trials(device_);
  ShortTraceStore store;
  Shrinker shrinker(trials, wanted, store);
  const auto result = shrinker.run(*trace);
  ASSERT_TRUE(result);
  for (std::size_t i = 0; i + 1 < result->trace.steps.size(); ++i) {
    std::vector<model::Trace> less{result->trace};
    less[0].steps.erase(less[0].steps.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(trials.first_showing(less, wanted)) << i;
  }
}

std::string test_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Sim, ShrinkOnFault,
                         ::testing::Values("remote-write-right-unchecked",
                                           "receive-local-write-unchecked", "remote-bounds-wrap",
                                           "remote-end-off-by-one", "stale-rkey-accepted"),
                         test_name);

}  // namespace
}  // namespace mrproof::property_tests
