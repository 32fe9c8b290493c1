#include "conformance/session/guided.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/trace/trace_scanner.hpp"

namespace mrproof::conformance {
namespace {

using ::testing::HasSubstr;

/// Of a driver with one function of four instructions: a hexadecimal digit.
DriverCoverage reached(const std::string& digit) {
  return DriverCoverage::from_json({{{"module", "drv"},
                                     {"file", "drivers/drv/a.c"},
                                     {"function", "f"},
                                     {"instructions", 4},
                                     {"map", digit}}});
}

class Guided : public ::testing::Test {
 protected:
  /// Each case takes a second and reaches what its digit says.
  std::vector<KeptCase> run(const std::string& digits, std::uint64_t of = 1) {
    ran_ = 0;
    return run_guided(
        {{}, static_cast<double>(digits.size()), of - 1, of, tally_},
        [&](const property_tests::Plan& plan, std::uint64_t number) -> CaseRun {
          EXPECT_EQ(plan.cases(), 1U);
          EXPECT_EQ(plan.case_name(0), guided_name(number));
          EXPECT_TRUE(plan.more_to_come);
          patient_ = plan.patient;
          return {{}, 1, false, reached(digits.substr(ran_++, 1))};
        },
        reached("1"));
  }

  Tally tally_{model::linux_rulebook()};
  std::size_t ran_ = 0;
  bool patient_ = false;  ///< in the last case
};

TEST_F(Guided, KeepsWhatReachesSomethingNew) {
  const auto kept = run("0183394");
  EXPECT_EQ(ran_, 7U);
  ASSERT_EQ(kept.size(), 3U);
  EXPECT_EQ(kept[0].number, 2U);
  EXPECT_EQ(kept[0].first.to_json(), reached("8").to_json());
  EXPECT_EQ(kept[1].number, 3U);
  EXPECT_EQ(kept[1].first.to_json(), reached("2").to_json());
  EXPECT_EQ(kept[2].number, 6U);
}

TEST_F(Guided, MakesSomeRequestsThatNobodyAnswers) {
  const auto judged = [&](const char* rule) -> std::uint64_t& {
    return tally_.judged.at(tally_.book->index(*tally_.book->find(rule)));
  };
  judged("send.rnr_retry_exc_err") = 9;  // those take no time
  judged("send.retry_exc_err") = 1;
  judged("rdma_read.retry_exc_err") = 1;
  run("0");
  EXPECT_TRUE(patient_);
  judged("send.retry_exc_err") = 2;
  run("0");
  EXPECT_FALSE(patient_);
}

TEST_F(Guided, CasesOfOneGuestHaveNumbersOfTheirOwn) {
  const auto kept = run("08", 2);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].number, 3U);
}

TEST_F(Guided, WhatTwoGuestsReachedCountsForTheFirst) {
  const auto kept = join_kept({{5, {}, reached("c")}, {4, {}, reached("8")}, {6, {}, reached("4")}},
                              reached("0"));
  ASSERT_EQ(kept.size(), 2U);
  EXPECT_EQ(kept[0].number, 4U);
  EXPECT_EQ(kept[1].number, 5U);
  EXPECT_EQ(kept[1].first.to_json(), reached("4").to_json());
}

TEST_F(Guided, ACorpusSaysWhatEachReachedFirst) {
  const Folder folder("");
  write_corpus({{1, {}, reached("8"), true}}, folder);
  write_corpus({{2, {}, reached("c"), false}}, folder);
  EXPECT_FALSE(std::filesystem::exists(folder.file("corpus/guided-000001.mrt")));
  const auto text = model::read_text(folder.file("corpus/guided-000002.mrt"));
  EXPECT_THAT(text, HasSubstr("a.c f 2 of 4"));
  EXPECT_THAT(text, HasSubstr("not on its own"));
  EXPECT_NO_THROW(model::parse_trace(text, "corpus"));
}

}  // namespace
}  // namespace mrproof::conformance
