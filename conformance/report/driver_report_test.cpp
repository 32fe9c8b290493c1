#include "conformance/report/driver_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Of a driver with two functions, of three instructions and of two: a hexadecimal digit each.
DriverCoverage reached(const std::string& one, const std::string& two) {
  const auto function = [](const char* file, const char* name, int count, const std::string& map) {
    return json{{"module", "drv"},
                {"file", file},
                {"function", name},
                {"instructions", count},
                {"map", map}};
  };
  return DriverCoverage::from_json(
      {function("drv/a.c", "one", 3, one), function("drv/b.c", "two", 2, two)});
}

TEST(DriverReport, HasAColumnForEachRun) {
  const std::vector<NamedCoverage> runs{{"few", reached("8", "0")}, {"more", reached("8", "4")}};
  const auto files = driver_table(runs, false);
  EXPECT_THAT(files, AllOf(HasSubstr("\ndrv "), HasSubstr("  20.0 %    40.0 %\n"),
                           HasSubstr("\n  b.c "), Not(HasSubstr("two"))));
  EXPECT_THAT(driver_table(runs, true), HasSubstr("\n    two "));
}

TEST(DriverReport, HasNoColumnOfAnotherDriver) {
  const auto other = DriverCoverage::from_json(
      {{{"module", "drv"}, {"file", ""}, {"function", "one"}, {"instructions", 4}, {"map", "0"}}});
  EXPECT_THROW(driver_table({{"few", reached("8", "0")}, {"other", other}}, false),
               model::ToolError);
}

TEST(DriverReport, SaysInALineHowMuch) {
  EXPECT_EQ(driver_line(reached("8", "4")),
            "instructions reached: drv 40.0 % of 5, by file: mrproof reached\n");
}

TEST(DriverReport, TellsWhatOnlyOneReached) {
  const auto few = reached("8", "0"), more = reached("8", "4");
  EXPECT_EQ(only_reached_by(few, more), "");
  EXPECT_EQ(only_reached_by(more, few), "     1 of     2  b.c two (the other: nothing of it)\n");
  EXPECT_EQ(only_reached_by(reached("c", "0"), few), "     1 of     3  a.c one\n");
}

TEST(DriverReport, ShowsOnThePageWhatIsMissing) {
  const auto page = driver_section(reached("e", "4"));
  EXPECT_THAT(page, AllOf(HasSubstr("<b>drv</b>"), HasSubstr("&nbsp; a.c<"), HasSubstr("two<"),
                          Not(HasSubstr("one<"))));
}

TEST(DriverReport, NamesTheLinesThatWereNotReached) {
  const auto coverage = DriverCoverage::from_json(nlohmann::json::parse(
      R"([{"module":"drv","file":"","function":"f","instructions":0,"map":"",
           "lines":{"a.c":{"reached":[3,9],"missed":[4,5,7,12,0]}}}])"));
  EXPECT_EQ(lines_by_file(coverage), "a.c: 2 of 6 lines; not 4-7 12\n");
  EXPECT_THAT(driver_section(coverage), HasSubstr("<summary>By line</summary>"));
  EXPECT_EQ(lines_by_file(reached("8", "4")), "");
}

}  // namespace
}  // namespace mrproof::conformance
