#include "conformance/run/changed_traces.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "model/testing/test_files.hpp"
#include "model/trace/trace.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::TemporaryFolder;
using ::testing::HasSubstr;

const std::string kDeviation = "deviates dealloc_pd.refused rejected nothing_forbids";

using Json = nlohmann::json;

std::string line(const Json& record) { return record.dump() + "\n"; }

std::string begin(const std::string& name) {
  return line({{"record", "case"}, {"case", name}, {"given", "given pd0\n"}});
}

std::string step(const std::string& call, const std::string& result, const std::string& verdict) {
  return line({{"record", "step"}, {"call", call}, {"result", result}, {"verdict", verdict}});
}

/// A deviation after two steps and, in another case, after one; a refusal; a call that hung.
std::string journal() {
  const std::string can = "given capabilities(MW_BIND, 64, MW_TYPE_1)\n";
  const std::string freed = step("dealloc_pd(pd0)", "refused EBUSY", kDeviation);
  const std::string registered =
      step("mr0 = reg_mr(pd0, buf0+0, 0, 0)", "refused EINVAL", "conforms reg_mr.refused_doubtful");
  return line({{"record", "device"}, {"given", can}}) + begin("long") +
         step("pd1 = alloc_pd()", "ok", "conforms alloc_pd.ok") + freed + begin("short") + freed +
         begin("other") + registered +
         line({{"record", "incident"},
               {"case", "other"},
               {"call", "dealloc_pd(pd0)"},
               {"verdict", "hang"}});
}

const std::string kRefusal = "reg_mr.refused_doubtful: refused EINVAL";
const std::string kHang = "hang dealloc_pd.none/none/-";

const std::map<std::string, FingerprintEntry> kEntries{{kDeviation, {"dealloc_pd(pd0)", "long", 1}},
                                                       {kRefusal, {"", "other", 0}},
                                                       {kHang, {"dealloc_pd(pd0)", "other", 1}},
                                                       {"claims MW_BIND", {}}};

TEST(ChangedTraces, AreTheShortestOfTheJournal) {
  const TemporaryFolder folder;
  ASSERT_NE(folder.write("journal.jsonl", journal()), "");
  const auto traces = shortest_traces(folder.file(""), kEntries, "linux");
  ASSERT_EQ(traces.size(), 3U);
  EXPECT_EQ(traces.at(kDeviation),
            "# mrproof trace v1\n# from short\ngiven capabilities(MW_BIND, 64, MW_TYPE_1)\n"
            "given pd0\ndealloc_pd(pd0) -> refused EBUSY\n! " +
                kDeviation + "\n");
  EXPECT_EQ(model::parse_trace(traces.at(kRefusal), "").steps.size(), 1U);
  EXPECT_THAT(traces.at(kHang), HasSubstr("refused EINVAL\ndealloc_pd(pd0)\n! hang"));
  EXPECT_THAT(shortest_traces(folder.file(""), kEntries, "mlnx-exp").at(kRefusal),
              HasSubstr("\ngiven dialect(mlnx-exp)\n"));
}

TEST(ChangedTraces, TakeAJournal) {
  const TemporaryFolder folder;
  EXPECT_THROW(shortest_traces(folder.file(""), kEntries, "linux"), model::ToolError);
  ASSERT_NE(folder.write("journal.jsonl", "{\"record\":\"case_end\"}\nno record\n"), "");
  try {
    shortest_traces(folder.file(""), kEntries, "linux");
    FAIL() << "a broken journal was taken";
  } catch (const model::ToolError& error) {
    EXPECT_THAT(error.what(), HasSubstr("journal.jsonl:2: "));
  }
}

}  // namespace
}  // namespace mrproof::conformance
