#include "conformance/catalogue/catalogue.hpp"

#include "model/trace/pattern.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <set>

namespace mrproof::conformance {
namespace {

using namespace model;
using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const Rulebook& book() { return linux_rulebook(); }

std::vector<std::string> ids(const std::vector<const PlainRule*>& rules) {
  std::vector<std::string> all;
  for (const auto* rule : rules) all.push_back(rule->id);
  return all;
}

TEST(FindRules, LooksAtIdsSentencesClausesAndTheirTexts) {
  EXPECT_EQ(find_rules(book(), "").size(), book().rules().size());
  EXPECT_THAT(ids(find_rules(book(), "dereg_mr.refused_doubtful")),
              ElementsAre("dereg_mr.refused_doubtful"));
  for (const auto search : {"no_bound_window",                 // a condition
                            "No Memory Window is bound to",    // its sentence, whatever its case
                            "reg_mr.dereg_bound_window",       // its clause
                            "gap.dereg_of_bound_mr",           // its gap
                            "while a memory window is bound",  // the clause's text
                            "the architecture lets a device allow it"})
    EXPECT_THAT(
        ids(find_rules(book(), search)),
        AllOf(Contains("dereg_mr.ok"), Contains("dereg_mr.refused"), Not(Contains("reg_mr.ok"))))
        << search;
  EXPECT_THAT(find_rules(book(), "no such thing"), IsEmpty());
}

TEST(FindGaps, AreThoseThatTheDialectMeets) {
  EXPECT_EQ(find_gaps(book(), "gap.rereg_no_flags").size(), 1U);
  EXPECT_THAT(find_gaps(linux_2006_rulebook(), "gap.rereg_no_flags"), IsEmpty());
  EXPECT_GT(find_gaps(book(), "").size(), 60U);
}

TEST(ListRules, NamesPageAndSectionOfEachClause) {
  const Listing listing = list_rules(book(), "reg_mr_iova.refused_doubtful");
  EXPECT_EQ(listing.all, book().rules().size());
  EXPECT_EQ(listing.shown, 1U);
  EXPECT_THAT(listing.text,
              AllOf(HasSubstr("reg_mr_iova -> refused\n"), HasSubstr("not access_bits_defined: "),
                    HasSubstr("[ibv_reg_mr(3), DESCRIPTION (reg_mr.access_known); "),
                    HasSubstr("(gap.undefined_access_bits)"), HasSubstr("left open")));
}

TEST(ListGaps, SaysWhatIsOpenAndWhatWasDecided) {
  const Listing listing = list_gaps(book(), "gap.length_zero");
  EXPECT_EQ(listing.shown, 1U);
  EXPECT_THAT(listing.text,
              AllOf(HasSubstr("open      Whether a registration of length zero succeeds."),
                    HasSubstr("decided   Both are allowed."), HasSubstr("if        length_zero: "),
                    HasSubstr("reg_mr.refused_doubtful")));
}

TEST(RulesJson, HasRulesAndWhatTheyName) {
  const auto all = json::parse(rules_json(book(), ""));
  EXPECT_EQ(all["format"], "mrproof-rules");
  EXPECT_EQ(all["rules"].size(), book().rules().size());
  EXPECT_EQ(all["conditions"].size(), book().conditions().size());
  EXPECT_THAT(all["duties"]["dereg_mr"], ElementsAre("mr_live"));
  const auto some = json::parse(rules_json(book(), "dereg_mr.refused_doubtful"));
  ASSERT_EQ(some["rules"].size(), 1U);
  const auto& rule = some["rules"][0];
  EXPECT_EQ(rule["verb"], "dereg_mr");
  EXPECT_EQ(rule["result"], "refused");
  EXPECT_EQ(rule["counts_as"], "verdict");
  EXPECT_THAT(rule["left_open"], Contains("gap.window_after_qp_error"));
  EXPECT_EQ(rule["reasons"][0]["condition"], "no_doubtful_window");
  EXPECT_EQ(rule["reasons"][0]["holds"], false);
  std::set<std::string> named;
  for (const auto& condition : some["conditions"]) named.insert(condition["condition"]);
  EXPECT_THAT(named, ElementsAre("errno_value", "no_doubtful_window"));
}

TEST(GapsJson, HasTextDecisionAndCarriers) {
  const auto all = json::parse(gaps_json(book(), "gap.length_zero"));
  EXPECT_EQ(all["format"], "mrproof-gaps");
  ASSERT_EQ(all["gaps"].size(), 1U);
  EXPECT_EQ(all["gaps"][0]["conditions"][0], "length_zero");
  EXPECT_THAT(all["gaps"][0]["rules"], Contains("reg_mr.refused_doubtful"));
}

TEST(CatalogueHtml, LinksOnlyToWhatIsThereAndNeedsNothingElse) {
  static const std::string kId("[ <]id=\"([^\"]+)\"");
  static const std::string kLink("href=\"#([^\"]+)\"");
  for (const auto dialect : kDialects) {
    const std::string page = catalogue_html(*find_rulebook(dialect));
    std::set<std::string> known;
    for (const auto& match : model::all_matches(page, kId))
      EXPECT_TRUE(known.insert(match[1]).second) << match[1];
    std::set<std::string> broken;
    for (const auto& match : model::all_matches(page, kLink))
      if (known.count(match[1]) == 0) broken.insert(match[1]);
    EXPECT_THAT(broken, IsEmpty()) << dialect;
    EXPECT_THAT(page, AllOf(Not(HasSubstr("http")), Not(HasSubstr("src=")), HasSubstr("<svg")));
    EXPECT_THAT(page, testing::EndsWith("</html>\n"));
  }
}

TEST(CatalogueHtml, HasEveryRuleAndCondition) {
  const std::string page = catalogue_html(book());
  for (const auto* rule : book().rules())
    EXPECT_THAT(page, HasSubstr("id=\"rule-" + rule->id + "\""));
  for (const auto* condition : book().conditions())
    EXPECT_THAT(page, HasSubstr(std::string("id=\"condition-") + condition->id + "\""));
}

}  // namespace
}  // namespace mrproof::conformance
