#include "specs/explore/scope.hpp"

#include <gmock/gmock.h>

namespace mrproof::specs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kBegin =
    "# mrproof scope v1\n"
    "given pd0\n"
    "given qp0(pd0) <-> qp1(pd0)\n"
    "regions 2\n"
    "windows 1\n";

std::vector<std::string> calls_of(const std::string& lines) {
  std::vector<std::string> calls;
  for (const model::Step& step : parse_scope(kBegin + lines, "a.scope").calls)
    calls.push_back(model::print_call(step));
  return calls;
}

std::string error_of(const std::string& text) {
  try {
    parse_scope(text, "a.scope");
  } catch (const model::TraceError& error) {
    return error.what();
  }
  return "";
}

TEST(Scope, EachStarIsEachNumberAndEachBraceEachChoice) {
  EXPECT_THAT(calls_of("dereg_mr(mr*)\n"), ElementsAre("dereg_mr(mr0)", "dereg_mr(mr1)"));
  EXPECT_THAT(calls_of("local_inv(qp*, {mw*.rkey; 0x7a7a00})\n"),
              ElementsAre("local_inv(qp0, mw0.rkey)", "local_inv(qp0, 0x7a7a00)",
                          "local_inv(qp1, mw0.rkey)", "local_inv(qp1, 0x7a7a00)"));
  EXPECT_THAT(
      calls_of("symmetry none\nmr0 = reg_mr(pd0, {buf0+0, 64; buf0+8, 0xffffffffffffffff}, 0)\n"),
      ElementsAre("mr0 = reg_mr(pd0, buf0+0, 64, 0)",
                  "mr0 = reg_mr(pd0, buf0+8, 18446744073709551615, 0)"));
}

TEST(Scope, KnowsItsWorld) {
  const Scope scope = parse_scope(
      "# mrproof scope v1\n# words\ngiven dialect(mlnx-exp)\n\ngiven capabilities(MW_BIND, 7)\n"
      "given pd1\nregions 3\nshown all\nsymmetry none\ndereg_mr(mr*)\n",
      "a.scope");
  EXPECT_EQ(scope.dialect, "mlnx-exp");
  EXPECT_EQ(scope.can.max_message.value(), 7U);
  EXPECT_FALSE(scope.setup.pd[0]);
  EXPECT_TRUE(scope.setup.pd[1]);
  EXPECT_EQ(scope.calls.size(), 3U);
  EXPECT_TRUE(scope.shown);
  EXPECT_FALSE(scope.symmetry);
}

TEST(Scope, SaysWhereItIsWrong) {
  EXPECT_EQ(error_of(""),
            "a.scope:1:1: the file is empty; a scope starts with '# mrproof scope v1'");
  EXPECT_THAT(error_of("# mrproof trace v1\n"), StartsWith("a.scope:1:1: a scope starts with"));
  EXPECT_THAT(error_of(kBegin), HasSubstr("the scope has no calls"));
  EXPECT_THAT(error_of(kBegin + "dereg_mr(mr0)"), HasSubstr("a.scope:6:"));
  const auto broken = [](const std::string& line) { return error_of(kBegin + "\n" + line + "\n"); };
  EXPECT_THAT(broken("dereg_mr(mr2)"), StartsWith("a.scope:7:1: mrN is not below 2"));
  EXPECT_THAT(broken("dealloc_mw(mw1)"), HasSubstr("mwN is not below 1"));
  EXPECT_THAT(broken("derg_mr(mr0)"), StartsWith("a.scope:7:"));
  EXPECT_THAT(broken("dereg_mr({mr0; mr1)"), HasSubstr("'{' without '}'"));
  EXPECT_THAT(broken("dereg_mr({mr{0; 1}})"), HasSubstr("'{' within '{'"));
  EXPECT_THAT(broken("connect(pair*)"), HasSubstr("'*' stands behind"));
  EXPECT_THAT(broken("dereg_mr(mr0) -> ok"), HasSubstr("leave out '->'"));
  EXPECT_THAT(broken("local_inv(qp0, mr0.old_rkey)"), HasSubstr("alike here"));
  EXPECT_THAT(broken("local_inv(qp0, mw1.rkey)"), HasSubstr("the scope does not have"));
  for (const char* key : {"0x10000", "0x30000", "0x100ff", "0x1000000", "0x2000001", "0x7f7f0000"})
    EXPECT_THAT(broken("local_inv(qp0, " + std::string(key) + ")"), HasSubstr("the explorer's own"))
        << key;
  EXPECT_THAT(broken("local_inv(qp0, mr0.rkey^0x30000)"), HasSubstr("above its low byte"));
  EXPECT_EQ(broken("local_inv(qp0, {0x40000; 0x3000000; mw0.rkey^0xff})"), "");
  EXPECT_THAT(broken("connect(qp0)\nconnect(qp0)"),
              StartsWith("a.scope:8:1: the scope has 'connect(qp0)' already"));
  EXPECT_THAT(broken("connect(qp0)\nregions 1"), HasSubstr("come before the first step"));
  EXPECT_THAT(broken("connect(qp0)\nwindows 2"), HasSubstr("come before the first step"));
  EXPECT_THAT(broken("dereg_mr(mr1)"),
              StartsWith("a.scope:7:1: the scope has 'dereg_mr(mr1)', but not 'dereg_mr(mr0)'"));
  EXPECT_THAT(broken("local_inv(qp0, mr0.rkey)"), HasSubstr("but not 'local_inv(qp0, mr1.rkey)'"));
  EXPECT_EQ(broken("symmetry none\ndereg_mr(mr1)"), "");
  EXPECT_THAT(broken("connect(qp0)\ngiven pd1"), HasSubstr("come before the first step"));
  EXPECT_THAT(broken("regions 4"), StartsWith("a.scope:7:9: "));
  EXPECT_THAT(error_of("# mrproof scope v1\n\ngiven pd9\ndereg_mr(mr0)\n"),
              StartsWith("a.scope:3:"));
  EXPECT_THAT(error_of("# mrproof scope v1\ngiven pd3\n"), HasSubstr("at most 2 PDs"));
  EXPECT_THAT(error_of("# mrproof scope v1\ngiven pd0 in process 1\n"),
              HasSubstr("has one process"));
}

}  // namespace
}  // namespace mrproof::specs
