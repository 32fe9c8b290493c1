// Letter, page, drawing and annotated trace of findings.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "conformance/report/finding.hpp"
#include "conformance/report/finding_drawing.hpp"
#include "conformance/report/finding_letter.hpp"
#include "conformance/report/finding_page.hpp"
#include "conformance/report/finding_path.hpp"
#include "conformance/report/finding_words.hpp"
#include "conformance/report/repro.hpp"
#include "model/oracle/judge_trace.hpp"
#include "model/testing/test_files.hpp"
#include "model/trace/pattern.hpp"
#include "model/trace/trace_dialect.hpp"

namespace mrproof::conformance {
namespace {

using namespace model;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWindowTrace =
    "# mrproof trace v1\n"
    "# device rxe0  driver rxe  kernel 6.1  rdma-core 44.0\n"
    "# One byte gives all of it away.\n"
    "given capabilities(REMOTE_ATOMIC|MW_BIND, 8388608, MW_TYPE_1)\n"
    "given pd0\n"
    "given qp0(pd0) <-> qp1(pd0)\n"
    "mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE) -> ok\n"
    "mr1 = reg_mr(pd0, buf1+0, 4096, MW_BIND|REMOTE_READ) -> ok\n"
    "mw0 = alloc_mw(pd0, TYPE_1) -> ok\n"
    "bind_mw(qp1, mw0, mr1, buf1+0, 1, REMOTE_READ) -> SUCCESS\n"
    "rdma_read(qp0, mr0.lkey, buf0+0, 8, mw0.rkey, buf1+1) -> SUCCESS\n";

Evidence evidence_of(const std::string& text) {
  return gather_evidence(model::parse_trace(text, "a.mrt"), linux_rulebook(), "a.mrt");
}

/// Calls the check with the evidence of every scenario.
void each_scenario(const std::function<void(const Evidence&)>& check) {
  for (const auto& file : model::testing::scenario_files()) {
    SCOPED_TRACE(file);
    const model::Trace trace = model::load_trace(file);
    check(gather_evidence(trace, model::book_of(trace, "", file), file));
  }
}

TEST(FindingWords, SayWhatIsWrong) {
  const Evidence e = evidence_of(kWindowTrace);
  EXPECT_EQ(finding_title(e), "rdma_read succeeds; allowed here: REM_ACCESS_ERR");
  EXPECT_EQ(finding_target(e), "device rxe0  driver rxe  kernel 6.1  rdma-core 44.0");
  EXPECT_EQ(finding_story(e), "One byte gives all of it away.");
  EXPECT_THAT(finding_reasons(e).front(), HasSubstr("REM_ACCESS_ERR"));
  EXPECT_FALSE(finding_clauses(e).empty());
}

TEST(FindingWords, ValuesThatDoNotMatterAreTold) {
  const auto values = irrelevant_values(evidence_of(kWindowTrace));
  // The region need not be readable itself, and where behind the window is read is all the same.
  EXPECT_THAT(values.at(1), Contains("access REMOTE_READ"));
  EXPECT_THAT(values.at(4), Contains("remote address buf1+1"));
  // Without these the trace would be another one.
  EXPECT_THAT(values.at(1), Not(Contains("access MW_BIND")));
  EXPECT_THAT(values.at(3), Not(Contains("access REMOTE_READ")));
}

TEST(FindingWords, TheAnnotatedTraceIsATraceThatIsJudgedTheSame) {
  each_scenario([](const Evidence& e) {
    const auto text = model::print_trace(annotated_trace(e));
    const Evidence again =
        gather_evidence(model::parse_trace(text, "again.mrt"), *e.book, "again.mrt");
    EXPECT_EQ(again.finding(), e.finding());
    EXPECT_EQ(again.open, e.open);
    EXPECT_EQ(model::print_trace(annotated_trace(again)), text);
  });
}

TEST(FindingLetter, HasAllThatIsNeeded) {
  const Evidence e = evidence_of(kWindowTrace);
  const auto letter = finding_letter(e, repro_program(e), "");
  for (const char* part :
       {"# rdma_read succeeds", "kernel 6.1", "LOCAL_WRITE) -> ok\n",
        "mw0.rkey, buf1+1) -> SUCCESS\n! deviates", "C9-222.1", "cc -std=c11", "int main("})
    EXPECT_THAT(letter, HasSubstr(part));
  EXPECT_THAT(finding_letter(e, repro_program(e), "a NIC"), HasSubstr("Seen on: a NIC"));
}

TEST(FindingLetter, SaysThatAWireHasToBeThere) {
  Evidence e = evidence_of(kWindowTrace);
  EXPECT_THAT(finding_letter(e, repro_program(e), ""), Not(HasSubstr("netem")));
  e.trace.guest = model::GuestSetup{1, 2, false, "delay 100ms"};
  EXPECT_THAT(finding_letter(e, repro_program(e), ""), HasSubstr("root netem delay 100ms"));
}

TEST(FindingLetter, HasTheWholeProgramWhereItFits) {
  const Evidence e = evidence_of(
      "# mrproof trace v1\ngiven pd0\nmr0 = reg_mr(pd0, buf0+0, 8, 0) -> refused EINVAL\n");
  EXPECT_THAT(finding_letter(e, "#include <x.h>\nint main(void)\n{\n}\n", ""),
              HasSubstr("```c\n#include <x.h>"));
}

TEST(FindingLetter, IsNeverTooLong) {
  each_scenario([](const Evidence& e) {
    const auto letter = finding_letter(e, repro_program(e), "");
    EXPECT_LE(std::count(letter.begin(), letter.end(), '\n'), 100);
    EXPECT_THAT(letter, HasSubstr("repro.c"));
  });
}

/// A text of a drawing.
struct Words {
  double left, base, width;
  std::string text;
};

std::vector<Words> words_of(const std::string& svg) {
  static const std::string kText("<text x=\"([0-9.]+)\" y=\"([0-9.]+)\"([^>]*)>([^<]*)<");
  std::vector<Words> all;
  for (const auto& match : model::all_matches(svg, kText)) {
    const double letter = match[3].find("offset") != std::string::npos ? 6 : 6.6;
    all.push_back({std::stod(match[1]), std::stod(match[2]),
                   letter * static_cast<double>(match[4].length()), match[4]});
  }
  return all;
}

TEST(FindingDrawing, TextsHaveRoom) {
  std::size_t drawn = 0;
  each_scenario([&](const Evidence& e) {
    const auto all = words_of(draw_finding(e));
    drawn += all.empty() ? 0 : 1;
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_LE(all[i].left + all[i].width, 362) << all[i].text;
      for (std::size_t k = 0; k < i; ++k) {
        const bool level = std::abs(all[i].base - all[k].base) < 11;
        const bool apart =
            all[i].left >= all[k].left + all[k].width || all[k].left >= all[i].left + all[i].width;
        EXPECT_TRUE(!level || apart) << all[i].text << " and " << all[k].text;
      }
    }
  });
  EXPECT_GT(drawn, 800U);
}

TEST(FindingDrawing, ShowsWhatLiesInTheBuffers) {
  const auto svg = draw_finding(evidence_of(kWindowTrace));
  for (const char* part : {"buf0 at", "mr1 in pd0", "mw0 in pd0", "step 5: remote range, 8 bytes"})
    EXPECT_THAT(svg, HasSubstr(part));
}

TEST(FindingPath, GoesThroughTheStatesOfTheObject) {
  const auto paths = paths_of(evidence_of(kWindowTrace));
  ASSERT_EQ(paths.size(), 3U);  // the window, and both regions
  EXPECT_THAT(paths[0].title, HasSubstr("mw0"));
  EXPECT_THAT(paths[0].caption, HasSubstr("“no MW”, by step 3 “free”, by step 4 “bound”"));
  const auto here = [](const DiagramState& state) { return state.here; };
  EXPECT_EQ(std::count_if(paths[0].states.begin(), paths[0].states.end(), here), 1);
}

TEST(FindingPage, StandsAlone) {
  const Evidence e = evidence_of(kWindowTrace);
  const auto page = finding_page(e, repro_program(e), "");
  for (const char* part : {"<title>rdma_read", "prefers-color-scheme:dark", "width=device-width",
                           "class=\"memory\"", "mw0: life of a memory window", "int main("})
    EXPECT_THAT(page, HasSubstr(part));
  for (const char* foreign : {"src=", "href=", "url(http", "<script"})
    EXPECT_THAT(page, Not(HasSubstr(foreign)));
}

TEST(FindingPage, ShowsOfManyObjectsThoseThatMatter) {
  const Evidence e = evidence_of(
      "# mrproof trace v1\ngiven pd0\ngiven qp0(pd0) <-> qp1(pd0)\n"
      "repeat 1000\n"
      "mr0+i = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE|REMOTE_WRITE) -> ok\n"
      "end\n"
      "repeat 500\n"
      "dereg_mr(mr3) -> ok\n"
      "mr3 = reg_mr(pd0, buf1+0, 64, LOCAL_WRITE) -> ok\n"
      "end\n"
      "rdma_write(qp0, mr3.lkey, buf1+0, 8, mr700.rkey, buf0+60) -> SUCCESS qp=RTS peer=RTS\n");
  const auto page = finding_page(e, repro_program(e), "");
  EXPECT_THAT(page, HasSubstr("1000 times, i = 0, 1, 2...:"));
  EXPECT_THAT(page, HasSubstr("<code>mr0+i = reg_mr(pd0, buf0+0, 64,"));
  EXPECT_THAT(page, HasSubstr("<span class=\"n\">2001</span>"));
  EXPECT_THAT(page, HasSubstr("1000 regions, of which those are shown that the step names"));
  EXPECT_THAT(page, HasSubstr("mr700 in pd0"));
  EXPECT_THAT(page, Not(HasSubstr("mr699 in pd0")));
  EXPECT_THAT(page, HasSubstr("after 989 moves that are not drawn"));
  EXPECT_LT(page.size(), 60'000U);
}

TEST(Finding, OfWhatIsLeftHasNoProgram) {
  const model::testing::TemporaryFolder folder;
  const model::Trace trace = model::parse_trace(
      "# mrproof trace v1\ngiven pd0\nmr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\n"
      "! deviates reset.ok detail pages_unpinned\n",
      "a.mrt");
  try {
    write_finding(trace, linux_rulebook(), "a.mrt", "", folder.file("out"));
    ADD_FAILURE() << "written";
  } catch (const model::TraceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a.mrt:3:1: this tells of what is left"));
  }
}

TEST(FindingPage, ShowsBytesThatShouldNotBeThere) {
  const Evidence e = evidence_of(
      "# mrproof trace v1\ngiven pd0\n"
      "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok bytes buf0+64=0000\n");
  const auto page = finding_page(e, repro_program(e), "");
  EXPECT_THAT(page, HasSubstr("<td>buf0+64</td>"));
  EXPECT_THAT(page, HasSubstr("changed, and should not have: 2 bytes"));
}

TEST(FindingPage, NothingIsDueFromWhatMustNotSucceed) {
  const Evidence e = evidence_of(
      "# mrproof trace v1\ngiven pd0\ngiven qp0(pd0) <-> qp1(pd0)\n"
      "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\n"
      "rdma_write(qp0, mr0.lkey, buf0+0, 1, mr0.rkey, buf0+1) -> SUCCESS bytes buf0+1=6f\n");
  const auto page = finding_page(e, repro_program(e), "");
  const auto before = page.find("<td>buf0+1</td><td>");
  ASSERT_NE(before, std::string::npos);
  EXPECT_EQ(page.substr(before + 19, 2), page.substr(before + 19 + 11, 2))
      << page.substr(before, 60);
}

}  // namespace
}  // namespace mrproof::conformance
