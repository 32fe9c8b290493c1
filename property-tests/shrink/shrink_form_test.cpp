#include "property-tests/shrink/shrink_form.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "model/testing/test_files.hpp"

namespace mrproof::property_tests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

model::Trace trace_of(const std::string& lines) {
  return model::parse_trace(
      "# mrproof trace v1\ngiven pd0\ngiven pd1\ngiven qp0(pd0) <-> qp1(pd1)\n" + lines, "test");
}

/// As the form gives it back.
std::string again(const std::string& lines) {
  const model::Trace trace = trace_of(lines);
  return calls_text(with_slots(numbered(trace), trace));
}

TEST(ShrinkForm, GivesTheLowestSlotsInTheOrderOfTheirMaking) {
  EXPECT_THAT(again("mr5 = reg_mr(pd1, buf0+0, 8, 0) -> ok\nmr2 = reg_mr(pd0, buf1+0, 8, 0) -> ok\n"
                    "query_qp(qp0)\nsend(qp0, mr2.lkey, buf1+0, 8 + mr5.lkey, buf0+0, 8)\n"),
              HasSubstr("mr0 = reg_mr(pd1, buf0+0, 8, 0)\nmr1 = reg_mr(pd0, buf1+0, 8, 0)\n"
                        "query_qp(qp0)\nsend(qp0, mr1.lkey, buf1+0, 8 + mr0.lkey, buf0+0, 8)\n"));
}

TEST(ShrinkForm, KeepsApartWhatOneSlotNamedOneAfterTheOther) {
  EXPECT_THAT(again("mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\ndereg_mr(mr0) -> ok\n"
                    "local_inv(qp0, mr0.rkey)\nmr0 = reg_mr(pd0, buf1+0, 8, 0) -> ok\n"
                    "local_inv(qp0, mr0.rkey)\n"),
              HasSubstr("local_inv(qp0, mr0.rkey)\nmr0 = reg_mr(pd0, buf1+0, 8, 0)\n"
                        "local_inv(qp0, mr0.rkey)\n"));
  const std::string stale = again(
      "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\ndereg_mr(mr0) -> ok\n"
      "mr3 = reg_mr(pd0, buf1+0, 8, 0) -> ok\nlocal_inv(qp0, mr0.rkey)\n");
  EXPECT_THAT(stale, HasSubstr("mr1 = reg_mr(pd0, buf1+0, 8, 0)\nlocal_inv(qp0, mr0.rkey)\n"))
      << "a dead object that is still named keeps its slot";
}

TEST(ShrinkForm, KeepsNoSlotForWhatWasRefused) {
  std::string lines;
  for (int i = 0; i < 7; ++i)
    lines += fmt::format(
        "mr{0} = reg_mr(pd0, buf0+0, 0, 0) -> refused EINVAL\n"
        "mr{0} = reg_mr(pd0, buf0+0, 8, 0) -> ok\n",
        i);
  EXPECT_THAT(again(lines), HasSubstr("mr6 = reg_mr(pd0, buf0+0, 8, 0)\n"));
}

TEST(ShrinkForm, LeavesOutWhatNothingMentions) {
  const std::string text = again("mr0 = reg_mr(pd1, buf0+0, 8, 0)\n");
  EXPECT_THAT(text, HasSubstr("given pd0\nmr0 = reg_mr(pd0"));
  EXPECT_THAT(text, Not(HasSubstr("qp0")));
  EXPECT_THAT(text, Not(HasSubstr("pd1")));
}

TEST(ShrinkForm, TakesEveryScenarioThereAndBack) {
  for (const auto& file : model::testing::scenario_files()) {
    const model::Trace trace = model::load_trace(file);
    const auto back = with_slots(numbered(trace), trace);
    ASSERT_EQ(back.steps.size(), trace.steps.size()) << file;
    const auto third = with_slots(numbered(back), back);
    EXPECT_EQ(calls_text(third), calls_text(back)) << file;
    EXPECT_EQ(weight_parts(third), weight_parts(back)) << file;
  }
}

TEST(ShrinkForm, KeepsWhoseADomainIs) {
  model::Trace trace = trace_of("mr0 = reg_mr(pd2, buf0+0, 8, 0)\n");
  trace.setup = mrproof::model::Setup{{}, {true, false, true}, {0, 0, 1}};
  trace.setup.qp_pd.fill(mrproof::model::Setup::kAbsent);
  const auto back = with_slots(numbered(trace), trace);
  EXPECT_EQ(model::print_setup(back.setup), "given pd0 in process 1\n");
  model::Trace in_one = back;
  in_one.setup.process = {};
  EXPECT_LT(weight_of(in_one), weight_of(back));
}

TEST(TraceWeight, PrefersFewerStepsThenObjectsThenPlainerValues) {
  const auto weight = [](const std::string& lines) { return weight_of(trace_of(lines)); };
  const auto plain = weight("mr0 = reg_mr(pd0, buf0+0, 8, 0)\n");
  EXPECT_LT(plain, weight("mr0 = reg_mr(pd0, buf0+0, 4096, 0)\n"));
  EXPECT_LT(plain, weight("mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE)\n"));
  EXPECT_LT(plain, weight("mr0 = reg_mr(pd0, buf1+0, 8, 0)\n"));
  EXPECT_LT(plain, weight("mr0 = reg_mr(pd0, buf0-1, 8, 0)\n"));
  EXPECT_LT(plain, weight("mr0 = reg_mr_iova(pd0, buf0+0, 8, buf0+0, 0)\n"));
  EXPECT_LT(weight("mr0 = reg_mr(pd0, buf3+77, 99, REMOTE_READ|ON_DEMAND)\n"),
            weight("query_qp(qp0)\nmr0 = reg_mr(pd0, buf0+0, 8, 0)\n"));
  EXPECT_EQ(plain, weight("mr0 = reg_mr(pd0, buf0+0, 8, 0) -> refused EINVAL\n"));
}

}  // namespace
}  // namespace mrproof::property_tests
