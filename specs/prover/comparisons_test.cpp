// Comparisons are told apart by what they say, in whichever order they were made.
#include "specs/prover/comparisons.hpp"

#include <gmock/gmock.h>

#include "specs/prover/term_kinds.hpp"

namespace mrproof::specs {
namespace {

using smt::Orderings;
using smt::Store;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

smt::Word<64> unknown(const char* name) { return smt::Word<64>::unknown(name); }

/// The kind of what `make` makes of three words, whose places in the store are in that order.
template <class Make>
std::uint64_t kind(Make&& make, const char* first, const char* second, const char* third) {
  const Store store;
  for (const char* name : {first, second, third}) unknown(name);
  return TermKinds().kind(make(unknown("a0"), unknown("b"), unknown("c")).ref());
}

TEST(TermKinds, DoNotHangOnTheOrderOfMaking) {
  const auto alike = [](auto make) {
    return kind(make, "a0", "b", "c") == kind(make, "c", "b", "a0");
  };
  EXPECT_TRUE(alike([](auto a, auto b, auto c) { return a + b + c; }));
  EXPECT_TRUE(alike([](auto a, auto b, auto c) { return c - a - b; }));
  EXPECT_TRUE(alike([](auto a, auto b, auto) { return a == b; }));
  EXPECT_TRUE(alike([](auto a, auto b, auto c) { return (a & b) == c; }));
  EXPECT_TRUE(alike([](auto a, auto b, auto c) { return (a <= b) & (b <= c) & (c == a); }));
}

TEST(TermKinds, AreWhatIsSaid) {
  const auto of = [](auto make) { return kind(make, "a0", "b", "c"); };
  const auto less = of([](auto a, auto b, auto) { return a < b; });
  EXPECT_NE(less, of([](auto a, auto b, auto) { return a <= b; }));
  EXPECT_NE(less, of([](auto a, auto b, auto) { return b < a; }));
  EXPECT_NE(of([](auto a, auto b, auto c) { return a + b - c; }),
            of([](auto a, auto b, auto c) { return a - b + c; }));
}

TEST(TermKinds, DoNotCountSlots) {
  const Store store;
  TermKinds kinds;
  EXPECT_EQ(kinds.kind(unknown("mr0.length").ref()), kinds.kind(unknown("mr1.length").ref()));
  EXPECT_NE(kinds.kind(unknown("mr0.length").ref()), kinds.kind(unknown("mr0.iova").ref()));
}

/// A view: the comparisons of what the words are there, in one order or the other.
template <class Ask>
void look(Comparisons& comparisons, Ask&& ask) {
  const Store store;
  const Orderings orderings;
  ask();
  comparisons.add(orderings);
}

TEST(Comparisons, OneOfEachKindUnderTheSameNames) {
  const auto chosen = [](bool turned) {
    Comparisons comparisons;
    look(comparisons, [&] {
      const auto bound = [](const char* slot) { return unknown(slot) < unknown("length"); };
      if (turned) (void)(unknown("x") <= unknown("y"));
      (void)(turned ? bound("mr1") : bound("mr0"));
      (void)(turned ? bound("mr0") : bound("mr1"));
      if (!turned) (void)(unknown("x") <= unknown("y"));
    });
    return comparisons.one_of_each_kind();
  };
  const auto first = chosen(false);
  const auto second = chosen(true);
  ASSERT_THAT(first, SizeIs(2));
  ASSERT_THAT(second, SizeIs(2));
  EXPECT_EQ(first.begin()->first, second.begin()->first);
  EXPECT_EQ(first.rbegin()->first, second.rbegin()->first);
  EXPECT_NE(first, second) << "their numbers hang on the order";
}

TEST(Comparisons, WhatIsKnownInEachViewIsNone) {
  Comparisons comparisons;
  look(comparisons, [] {
    const auto one = unknown("a"), other = unknown("a");
    (void)(one < other);
  });
  EXPECT_THAT(comparisons.one_of_each_kind(), IsEmpty());
}

TEST(Comparisons, OneThatSaysSomethingElseInAnotherViewIsThereOnce) {
  Comparisons comparisons;
  look(comparisons, [] { (void)(unknown("a") < unknown("b")); });
  look(comparisons, [] { (void)(unknown("a") < unknown("c")); });
  EXPECT_THAT(comparisons.one_of_each_kind(), ElementsAre(Pair(::testing::_, 0)));
}

}  // namespace
}  // namespace mrproof::specs
