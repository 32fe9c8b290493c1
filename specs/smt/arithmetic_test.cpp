// Conjunctions of comparisons: what cannot hold together is found, and what can has values.
#include "specs/smt/arithmetic.hpp"

#include <gmock/gmock.h>

#include <random>

#include "specs/smt/values.hpp"

namespace mrproof::specs::smt {
namespace {

using W = Word<64>;

/// A window inside a region, a range inside the window, and a byte of the range outside the region.
std::vector<Ref> window_lemma(bool with_bound) {
  const auto w = [](const char* name) { return W::unknown(name); };
  const auto start = w("w.memory") - w("r.memory") + w("r.first");
  const auto more = w("w.last") - w("w.first");
  const auto end = w("start") + w("length") - W(1);
  const auto byte = start + (w("start") - w("w.first")) + w("offset");
  std::vector<Ref> bits;
  for (const Bit bit : {w("r.first") <= start, start <= start + more, w("w.first") <= w("w.last"),
                        w("w.first") <= w("start"), w("start") <= end, end <= w("w.last"),
                        w("offset") < w("length"), w("x") < w("y"), !(byte <= w("r.last"))})
    bits.push_back(bit.ref());
  if (with_bound) bits.push_back((start + more <= w("r.last")).ref());
  return bits;
}

TEST(Arithmetic, FindsTheSmallestContradiction) {
  const Store store;
  Arithmetic arithmetic({});
  const auto verdict = arithmetic.check(window_lemma(true));
  ASSERT_EQ(verdict.answer, Answer::unsatisfiable);
  ASSERT_EQ(verdict.cores.size(), 1U);
  EXPECT_THAT(verdict.cores.front(), ::testing::Contains(8U));
  EXPECT_THAT(verdict.cores.front(), ::testing::Not(::testing::Contains(7U)));
}

TEST(Arithmetic, FindsValues) {
  const Store store;
  Arithmetic arithmetic({});
  const auto bits = window_lemma(false);
  const auto verdict = arithmetic.check(bits);
  ASSERT_EQ(verdict.answer, Answer::satisfiable);
  EXPECT_THAT(evaluate(store, bits, verdict.values), ::testing::Each(1U));
}

/// Orderings of short sums of few unknowns, some of them negated.
std::vector<Ref> some_bits(std::mt19937_64& random) {
  const auto word = [&] {
    W sum = W(random() % 3);
    for (auto i = random() % 3; i > 0; --i) {
      const auto x = W::unknown("x" + std::to_string(random() % 4));
      sum = random() % 2 == 0 ? sum + x : sum - x;
    }
    return sum;
  };
  std::vector<Ref> bits;
  for (auto i = 1 + random() % 5; i > 0; --i) {
    const auto a = word(), b = word();
    const Bit bit = random() % 3 == 0 ? a == b : random() % 2 == 0 ? a < b : a <= b;
    bits.push_back((random() % 2 == 0 ? bit : !bit).ref());
  }
  return bits;
}

/// As integers and as bits, the questions have the same answers.
TEST(Arithmetic, AgreesWithTheSolver) {
  std::mt19937_64 random(1);
  unsigned contradictions = 0;
  for (int round = 0; round < 300; ++round) {
    const Store store;
    Solver solver({});
    Arithmetic arithmetic({});
    const auto bits = some_bits(random);
    const auto plain = solver.ask({"plain", bits});
    const auto verdict = arithmetic.check(bits);
    EXPECT_EQ(verdict.answer, plain.answer) << round;
    if (verdict.answer == Answer::satisfiable) {
      EXPECT_THAT(evaluate(store, bits, verdict.values), ::testing::Each(1U)) << round;
    }
    contradictions += plain.answer == Answer::unsatisfiable ? 1 : 0;
  }
  EXPECT_GT(contradictions, 40U);
}

}  // namespace
}  // namespace mrproof::specs::smt
