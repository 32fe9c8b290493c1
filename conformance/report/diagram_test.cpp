#include "conformance/report/diagram.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace mrproof::conformance {
namespace {

using namespace model;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

const Diagram& diagram(const std::vector<Diagram>& all, std::string_view id) {
  return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.id == id; });
}

/// "from -> to: rule" of every transition.
std::set<std::string> steps(const Rulebook& book, std::string_view id) {
  const auto all = life_cycles(book);
  const Diagram& one = diagram(all, id);
  std::set<std::string> texts;
  for (const Transition& t : one.transitions)
    texts.insert(one.states.at(t.from).name + " -> " + one.states.at(t.to).name + ": " +
                 t.rule->id);
  return texts;
}

TEST(LifeCycles, ShowWhatBecomesOfARegion) {
  const auto all = steps(linux_rulebook(), "mr");
  EXPECT_THAT(all,
              IsSupersetOf({"no MR -> registered: reg_mr.ok", "registered -> no MR: dereg_mr.ok",
                            "registered -> window bound: bind_mw.ok",
                            "window bound -> window bound: dereg_mr.refused",
                            "window bound -> registered: dealloc_mw.ok",
                            "window in doubt -> no MR: dereg_mr.ok",
                            "registered -> only deregistration: rereg_mr.err_cmd",
                            "only deregistration -> no MR: dereg_mr.ok"}));
  EXPECT_THAT(all, Not(Contains("window bound -> no MR: dereg_mr.ok")));
  EXPECT_THAT(all, Not(Contains(HasSubstr("only deregistration -> registered"))));
}

TEST(LifeCycles, ShowWhatBecomesOfWindows) {
  EXPECT_THAT(steps(linux_rulebook(), "mw1"),
              AllOf(IsSupersetOf({"no MW -> free: alloc_mw.ok", "free -> bound: bind_mw.ok",
                                  "bound -> free: bind_mw.ok", "bound -> no MW: dealloc_mw.ok"}),
                    Not(Contains("bound -> free: local_inv.ok"))));
  EXPECT_THAT(steps(linux_rulebook(), "mw2"),
              AllOf(IsSupersetOf({"free -> bound: post_bind_mw.ok", "bound -> free: local_inv.ok",
                                  "bound -> free: send_with_inv.ok",
                                  "bound -> only deallocation: destroy_qp.ok"}),
                    Not(Contains("free -> bound: bind_mw.ok"))));
}

TEST(LifeCycles, ShowWhatAReregistrationLeavesBehind) {
  EXPECT_THAT(steps(linux_rulebook(), "rereg"),
              IsSupersetOf({"registered -> the old MR, as it was: rereg_mr.err_input",
                            "registered -> the old MR, as it was: rereg_mr.err_dont_fork_new",
                            "registered -> the new MR: rereg_mr.ok",
                            "registered -> the new MR: rereg_mr.err_do_fork_old",
                            "registered -> only deregistration: rereg_mr.err_cmd",
                            "registered -> only deregistration: rereg_mr.err_cmd_and_do_fork_new",
                            "window bound -> new MR, window in doubt: rereg_mr.ok_while_bound"}));
  EXPECT_THAT(steps(experimental_rulebook(), "rereg"),
              AllOf(Contains("registered -> only deregistration: rereg_mr.refused_peer_memory"),
                    Not(Contains(HasSubstr("as it was")))));
}

TEST(LifeCycles, TakeEveryRuleOfReregistration) {
  for (const Rulebook* book : {&linux_rulebook(), &experimental_rulebook()}) {
    const auto all = life_cycles(*book);
    for (const PlainRule* rule : book->rules()) {
      if (rule->verb != Verb::rereg_mr) continue;
      EXPECT_THAT(diagram(all, "rereg").transitions,
                  Contains(testing::Field(&Transition::rule, rule)))
          << book->dialect() << " " << rule->id;
    }
  }
}

TEST(LifeCycles, LackWhatTheDialectLacks) {
  for (const auto& one : life_cycles(linux_2006_rulebook())) EXPECT_NE(one.id, "rereg");
  EXPECT_EQ(life_cycles(linux_2006_rulebook()).size(), 3U);
}

/// The layouts of all diagrams of all dialects.
std::vector<Layout> layouts() {
  std::vector<Layout> all;
  for (const auto dialect : kDialects)
    for (const auto& one : life_cycles(*find_rulebook(dialect))) all.push_back(lay_out(one));
  return all;
}

TEST(Layouts, CoverNothing) {
  for (const Layout& layout : layouts()) {
    std::vector<Box> boxes = layout.states;
    for (const Arrow& arrow : layout.arrows) boxes.push_back(arrow.place);
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      EXPECT_GE(boxes[i].left, 0);
      EXPECT_GE(boxes[i].top, 0);
      EXPECT_LE(boxes[i].left + boxes[i].width, layout.width);
      EXPECT_LE(boxes[i].top + boxes[i].height, layout.height);
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_FALSE(boxes[i].overlaps(boxes[j])) << i << " " << j;
    }
  }
}

TEST(Layouts, HaveNoArrowThroughAState) {
  for (const Layout& layout : layouts())
    for (const Arrow& arrow : layout.arrows)
      for (std::size_t i = 0; i < layout.states.size(); ++i)
        for (int at = 2; at < 99 && i != arrow.from && i != arrow.to; ++at)
          EXPECT_FALSE(layout.states[i].contains(point_of(arrow, at * 0.01)));
}

TEST(Layouts, KeepThereAndBackApart) {
  for (const Layout& layout : layouts())
    for (const Arrow& a : layout.arrows)
      for (const Arrow& b : layout.arrows) {
        if (a.from != b.to || a.to != b.from) continue;
        const Point one = point_of(a, 0.5);
        const Point other = point_of(b, 0.5);
        EXPECT_GT(std::abs(one.x - other.x) + std::abs(one.y - other.y), 15);
      }
}

TEST(Drawing, NamesEveryState) {
  for (const auto& one : life_cycles(linux_rulebook())) {
    const std::string svg = draw_diagram(one);
    for (const auto& state : one.states) EXPECT_THAT(svg, HasSubstr(">" + state.name + "<"));
    EXPECT_THAT(svg, testing::EndsWith("</svg>\n"));
  }
}

}  // namespace
}  // namespace mrproof::conformance
