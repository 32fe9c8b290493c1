#include "conformance/run/driver_coverage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "model/testing/test_files.hpp"
#include "model/trace/tool_error.hpp"
#include "model/trace/write_file.hpp"

namespace mrproof::conformance {
namespace {

using model::ToolError;
using ::testing::ElementsAre;

/// An image of a driver with two functions, of three instructions and of two.
class ReachedOfADriver : public ::testing::Test {
 protected:
  void SetUp() override {
    write("code.json", R"({"modules":[{"name":"drv","functions":[
        {"name":"one","file":"drivers/drv/a.c","section":".text","start":16,"lengths":"1f2"},
        {"name":"two","file":"drivers/drv/b.c","section":".text.unlikely","start":0,"lengths":"33"}
        ]}]})");
    write("console",
          "mrproof: code of drv .text 0x1000\r\n"
          "mrproof: code of drv .text.unlikely 0x2000\r\nmrproof: guest ready in 1 s\n");
  }

  void write(const std::string& name, const std::string& text) {
    model::write_whole_file(folder_.file(name), text);
  }

  DriverCoverage reached(const std::string& log) {
    CodeLog code(folder_.file(""));
    write("log", log);
    code.read(folder_.file("log"), folder_.file("console"));
    return code.take();
  }

  model::testing::TemporaryFolder folder_;
};

TEST_F(ReachedOfADriver, IsEachInstructionThatWasTranslated) {
  const auto coverage = reached("IN: \n0x0000000000001010:  90  nop\n0x1020: 90 nop\n0x2003: 90\n");
  EXPECT_THAT(coverage.functions().at(0).reached, ElementsAre(true, false, true));
  EXPECT_THAT(coverage.functions().at(1).reached, ElementsAre(false, true));
}

TEST_F(ReachedOfADriver, IsTheSameInAReport) {
  const auto coverage = reached("0x1010: 90\n0x2003: 90\n");
  const auto read = DriverCoverage::from_json(nlohmann::json::parse(coverage.to_json().dump()));
  EXPECT_EQ(read.to_json(), coverage.to_json());
  EXPECT_EQ(read.functions().at(0).file, "drivers/drv/a.c");
}

TEST_F(ReachedOfADriver, AddsUp) {
  auto coverage = reached("0x1010: 90\n");
  coverage.add(reached("0x2003: 90\n"));
  EXPECT_THAT(coverage.functions().at(0).reached, ElementsAre(true, false, false));
  EXPECT_THAT(coverage.functions().at(1).reached, ElementsAre(false, true));
}

TEST_F(ReachedOfADriver, IsToldFromWhereTheLogWasReadLast) {
  CodeLog code(folder_.file(""));
  const auto read = [&](const std::string& log) {
    write("log", log);
    code.read(folder_.file("log"), folder_.file("console"));
    return code.take().count();
  };
  EXPECT_EQ(read("0x1010: 90\n0x20"), 1U);
  EXPECT_EQ(read("0x1010: 90\n0x2003: 90\n"), 1U) << "the rest of a line";
  EXPECT_EQ(read("0x1010: 90\n0x2003: 90\n"), 0U);
  code.restart();
  EXPECT_EQ(read("0x1010: 90\n0x2003: 90\n"), 2U);
}

TEST_F(ReachedOfADriver, LeavesWhatAnotherHasNotReached) {
  auto coverage = reached("0x1010: 90\n0x1020: 90\n");
  coverage.remove(reached("0x1020: 90\n0x2003: 90\n"));
  EXPECT_THAT(coverage.functions().at(0).reached, ElementsAre(true, false, false));
  EXPECT_EQ(coverage.count(), 1U);
}

TEST_F(ReachedOfADriver, OfAnotherDriverIsRefused) {
  auto coverage = reached("");
  write("code.json", R"({"modules":[{"name":"drv","functions":[
      {"name":"one","file":"","section":".text","start":0,"lengths":"1"}]}]})");
  EXPECT_THROW(coverage.add(CodeLog(folder_.file("")).take()), ToolError);
}

TEST_F(ReachedOfADriver, IsUnknownWhereTheConsoleDoesNotTellThePlaces) {
  write("console", "mrproof: guest ready in 1 s\n");
  EXPECT_THROW(reached("0x1010: 90\n"), ToolError);
}

TEST_F(ReachedOfADriver, IsToldByLineWhereTheModuleHasThem) {
  write("code.json", R"({"modules":[{"name":"drv","places":["a.c:7","a.h:3","a.c:?"],
      "functions":[{"name":"one","file":"","section":".text","start":0,
                    "lengths":"1111","lines":[0,1,0,2]}]}]})");
  const auto coverage = reached("0x1002: 90\n");
  const auto read = DriverCoverage::from_json(nlohmann::json::parse(coverage.to_json().dump()));
  const auto& lines = read.functions().at(0).lines;
  EXPECT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines.at({"a.c", 7}));
  EXPECT_FALSE(lines.at({"a.h", 3}));
  auto both = reached("0x1001: 90\n");
  both.add(coverage);
  EXPECT_TRUE(both.functions().at(0).lines.at({"a.h", 3}));
  EXPECT_TRUE(both.functions().at(0).lines.at({"a.c", 7}));
}

TEST_F(ReachedOfADriver, OfADamagedReportIsRefused) {
  auto json = nlohmann::json::parse(reached("").to_json().dump());
  json.at(0).at("map") = "g";
  EXPECT_THROW(DriverCoverage::from_json(json), ToolError);
  json.at(0).at("map") = "00";
  EXPECT_THROW(DriverCoverage::from_json(json), ToolError);
}

}  // namespace
}  // namespace mrproof::conformance
