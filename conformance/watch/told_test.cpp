// What is told, in its forms.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "conformance/watch/watching.hpp"

namespace mrproof::watch {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

Told some() {
  Finding f;
  f.name = "rdma_write.local_in_bounds";
  f.what = "rdma_write of 64 bytes";
  f.wrong = "it does not hold that a < b & c";
  f.clauses = "reg_mr.range";
  f.objects = {{"lkey 0x4d7", "lkey 0x4d7: region", 1'500'000, 0}};
  f.used = {0x1ff0, 0x202f};
  f.region = {0x1000, 0x1fff};
  f.remedy = "keep it inside";
  f.pid = 7;
  f.place = "main() at src/pair.c:12";
  f.time = 2'000'000;
  f.count = 3;
  Finding known = f;
  known.name = "exit.PD_left";
  known.place = "ib_write_bw+0x12";
  known.known = "librdmacm keeps it";
  return {{f}, {known}, {10, 8, 1, 0}, 0, 1'000'000, 3'000'000};
}

TEST(WatchTold, TextHasAllOfAFindingAndACountAtTheEnd) {
  EXPECT_EQ(finding_text(some().findings[0]),
            "program: rdma_write.local_in_bounds\n  rdma_write of 64 bytes\n"
            "  it does not hold that a < b & c [reg_mr.range]\n  lkey 0x4d7: region\n"
            "  at main() at src/pair.c:12\n  remedy: keep it inside\n\n");
  EXPECT_EQ(summary_text(some()),
            "3 times: rdma_write.local_in_bounds at main() at src/pair.c:12\n"
            "1 findings; 1 suppressed; 10 events seen, 8 judged, 1 unknown, 0 passed through\n");
}

TEST(WatchTold, JsonHasFindingsAndSuppressedOnes) {
  const auto report = json::parse(told_json(some()));
  EXPECT_EQ(report["format"], "mrproof watch v1");
  EXPECT_EQ(report["findings"].size(), 1U);
  EXPECT_EQ(report["findings"][0]["ns"], 1'000'000);
  EXPECT_EQ(report["findings"][0]["count"], 3);
  EXPECT_EQ(report["suppressed"][0]["suppressed"], "librdmacm keeps it");
  EXPECT_EQ(report["counts"]["judged"], 8);
}

TEST(WatchTold, SarifHasFileAndLineAndTheReasonOfASuppression) {
  const auto run = json::parse(told_sarif(some()))["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 2U);
  const auto& place = run["results"][0]["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "src/pair.c");
  EXPECT_EQ(place["region"]["startLine"], 12);
  EXPECT_FALSE(run["results"][0].contains("suppressions"));
  EXPECT_FALSE(run["results"][1]["locations"][0].contains("physicalLocation"));
  EXPECT_EQ(run["results"][1]["suppressions"][0]["justification"], "librdmacm keeps it");
}

TEST(WatchTold, JunitFailsForFindingsOnly) {
  const auto text = told_junit(some());
  EXPECT_THAT(text, HasSubstr("tests=\"2\" failures=\"1\""));
  EXPECT_THAT(text, HasSubstr("a &lt; b &amp; c"));
  EXPECT_THAT(text, HasSubstr("<system-out>suppressed: librdmacm keeps it"));
  EXPECT_THAT(told_junit({}), HasSubstr("tests=\"1\" failures=\"0\""));
}

TEST(WatchTold, PageDrawsLivesAndMemory) {
  const auto text = told_html(some());
  EXPECT_THAT(text, HasSubstr("aria-label=\"when objects lived\""));
  EXPECT_THAT(text, HasSubstr("[0x1000, 0x1fff], 4096 bytes"));
  EXPECT_THAT(text, HasSubstr("[0x1ff0, 0x202f], 64 bytes"));
  EXPECT_THAT(text, HasSubstr("1.000 ms, 3 times"));
  EXPECT_THAT(text, HasSubstr("ib_write_bw+0x12, 3 times: librdmacm keeps it"));
  EXPECT_THAT(told_html({}), Not(HasSubstr("<svg")));
}

}  // namespace
}  // namespace mrproof::watch
