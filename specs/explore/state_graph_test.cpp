#include "specs/explore/state_graph.hpp"

#include "model/testing/test_files.hpp"

#include <gmock/gmock.h>

namespace mrproof::specs {
namespace {

using ::testing::HasSubstr;

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST(StateGraph, HasEachStateAndEachWayBetweenTwo) {
  const Scope scope = parse_scope(
      "# mrproof scope v1\ngiven capabilities(MW_BIND, 64, MW_TYPE_1)\ngiven pd0\n"
      "given qp0(pd0) <-> qp1(pd0)\nregions 1\nwindows 1\nshown all\n"
      "mr* = reg_mr(pd0, buf0+0, 64, MW_BIND)\ndereg_mr(mr*)\n"
      "mw* = alloc_mw(pd0, TYPE_1)\nbind_mw(qp0, mw*, mr*, buf0+0, 64, REMOTE_READ)\n",
      "small.scope");
  const auto svg = draw_states(scope, RuleMasks(scope.dialect));
  // Neither; the region; the window; both; both, bound. Made in two orders, bound from either.
  EXPECT_EQ(count(svg, "<circle"), 5U);
  EXPECT_EQ(count(svg, "marker-end"), 7U);
  EXPECT_THAT(svg, HasSubstr("bind_mw(qp0, mw0, mr0, buf0+0, 64, REMOTE_READ) -&gt; bind_mw.ok"));
  EXPECT_THAT(svg, HasSubstr("small.scope: 5 states"));
}

TEST(StateGraph, IsNotDrawnOfTooMany) {
  const Scope scope = load_scope(model::testing::tree_file("specs/explore/scopes/default.scope"));
  EXPECT_THROW(draw_states(scope, RuleMasks(scope.dialect)), std::length_error);
}

}  // namespace
}  // namespace mrproof::specs
