#include "conformance/run/fingerprint.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/testing/test_files.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string report(const std::string& kernel, const std::string& features,
                   const std::string& choices) {
  nlohmann::json made = {{"format", "mrproof-report"},
                         {"version", 1},
                         {"dialect", "linux"},
                         {"target", {{"driver", "rxe"}, {"kernel", kernel}, {"rdma_core", "44"}}},
                         {"capabilities", {{"access", "MW_BIND"}, {"features", features}}},
                         {"choices", nlohmann::json::parse("[" + choices + "]")},
                         {"deviations",
                          {{{"rule", "dereg_mr.ok"},
                            {"class", "accepted"},
                            {"condition", "no_bound_window"},
                            {"case", "f"},
                            {"first_step", 3},
                            {"call", "dereg_mr(mr" + kernel + ")"}}}},
                         {"incidents",
                          {{{"verdict", "hang"},
                            {"name", "send.none/none/" + kernel},
                            {"case", "g"},
                            {"step", 0},
                            {"call", "h"}},
                           {{"verdict", "inconclusive"}, {"name", ""}}}}};
  return made.dump();
}

const char* const kRefused = R"({"rule":"reg_mr.refused","answer":"refused EINVAL","times":3,)"
                             R"("case":"a/b","step":1,"call":"c"})";
const char* const kFree =
    R"({"rule":"send.ok","answer":"","times":1,"case":"x","step":0,"call":"d"})";

TEST(Fingerprint, SaysWhatWasChosenAndWhere) {
  const TemporaryFolder folder;
  const auto read = load_fingerprint(folder.write(
      "report.json", report("6.1", "MW_TYPE_1|ATOMICS", std::string(kRefused) + "," + kFree)));
  EXPECT_EQ(read.target, "rxe, kernel 6.1, rdma-core 44");
  EXPECT_EQ(load_fingerprint(folder.file("")).target, read.target) << "the run's folder will do";
  const std::string text = print_fingerprint(read);
  EXPECT_THAT(text, HasSubstr("\nclaims ATOMICS\nclaims MW_BIND\nclaims MW_TYPE_1\n"));
  EXPECT_THAT(text, HasSubstr("reg_mr.refused: refused EINVAL"));
  EXPECT_THAT(text, HasSubstr(" c  # a/b step 2\n"));
  EXPECT_THAT(text, HasSubstr("\ndeviates dereg_mr.ok accepted no_bound_window"));
  EXPECT_THAT(text, HasSubstr(" dereg_mr(mr6.1)  # f step 4\n"));
}

TEST(Fingerprint, TellsWhatChanged) {
  const TemporaryFolder folder;
  const auto old = load_fingerprint(folder.write("a.json", report("6.1", "0", kRefused)));
  const auto young = load_fingerprint(folder.write("b.json", report("7.2", "ATOMICS", kFree)));
  EXPECT_EQ(print_changes(old, old), "");
  const std::string changes = print_changes(old, young);
  EXPECT_THAT(changes, HasSubstr("--- rxe, kernel 6.1, rdma-core 44\n+++ rxe, kernel 7.2"));
  EXPECT_THAT(changes, HasSubstr("\n- reg_mr.refused: refused EINVAL"));
  EXPECT_THAT(changes, HasSubstr("\n- hang send.none/none/6.1"));
  EXPECT_THAT(changes, HasSubstr("\n+ claims ATOMICS\n+ hang send.none/none/7.2"));
  EXPECT_THAT(changes, HasSubstr("\n+ send.ok"));
  EXPECT_THAT(changes, Not(HasSubstr("no_bound_window"))) << "both have it";
}

TEST(Pin, HoldsTheProviderToItsChoices) {
  const TemporaryFolder folder;
  const auto read = [&](const std::string& features, const std::string& choices) {
    return load_fingerprint(folder.write("report.json", report("6.1", features, choices)));
  };
  const auto both = std::string(kRefused) + "," + kFree;
  const auto before = read("MW_TYPE_1|LOSSLESS", both);
  const auto pin = load_pin(folder.write("pin", print_fingerprint(before)));
  EXPECT_THAT(drift(pin, before), IsEmpty());
  EXPECT_THAT(drift(pin, read("MW_TYPE_1", kFree)), IsEmpty()) << "not all is met each time";
  const std::string other = R"({"rule":"reg_mr.refused","answer":"refused EPERM","times":1,)"
                            R"("case":"a/b","step":1,"call":"c"})";
  EXPECT_THAT(drift(pin, read("MW_TYPE_1", other)),
              ElementsAre(AllOf(HasSubstr("reg_mr.refused: refused EPERM"),
                                HasSubstr("  c  # a/b step 2"))));
  EXPECT_THAT(drift(pin, read("MW_TYPE_2A", both)),
              ElementsAre("no longer claims MW_TYPE_1", "claims MW_TYPE_2A"));
  const auto two = load_pin(folder.write(
      "pin", print_fingerprint(before) + print_fingerprint(read("MW_TYPE_1", other))));
  EXPECT_THAT(drift(two, read("MW_TYPE_1", other)), IsEmpty());
}

TEST(Pin, ThatIsNoneIsRefused) {
  const TemporaryFolder folder;
  const auto refused = [](const std::string& file, const std::string& where) {
    try {
      load_pin(file);
      FAIL() << where;
    } catch (const model::ToolError& error) {
      EXPECT_THAT(error.what(), HasSubstr(file + where));
      EXPECT_THAT(error.what(), HasSubstr("mrproof fingerprint REPORT"));
    }
  };
  refused(folder.file("none"), ":1: cannot be read");
  refused(folder.write("empty", ""), ":1: is empty");
  refused(folder.write("other", "claims ATOMICS\n"), ":1: is no fingerprint");
  refused(folder.write("bad", "# mrproof fingerprint v1\nclaims ATOMICS\nwhat\n"),
          ":3: is no entry");
}

TEST(Fingerprint, NamesTheFileThatIsNoReport) {
  const TemporaryFolder folder;
  for (const char* text : {"", "[]", "{}", R"({"format":"mrproof-report","version":2})"}) {
    const std::string file = folder.write("r.json", text);
    try {
      load_fingerprint(file);
      FAIL() << text;
    } catch (const model::ToolError& error) {
      EXPECT_THAT(error.what(), HasSubstr(file)) << text;
    }
  }
  EXPECT_THROW(load_fingerprint(folder.file("none")), model::ToolError);
  std::filesystem::create_directory(folder.file("empty"));
  EXPECT_THROW(load_fingerprint(folder.file("empty")), model::ToolError);
}

}  // namespace
}  // namespace mrproof::conformance
