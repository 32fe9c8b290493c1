// Terms mean what the model's words mean; the solver and the text export agree with them.
#include "specs/smt/store.hpp"

#include <gtest/gtest.h>

#include <random>

#include "model/domain.hpp"
#include "specs/smt/smtlib.hpp"
#include "specs/smt/values.hpp"

namespace mrproof::specs::smt {
namespace {

/// Words of both domains that have the same value, in an unknown or a constant.
template <unsigned N>
struct Both {
  model::Word<N> plain;
  Word<N> term;
};

template <class T>
class OperatorTest : public ::testing::Test {};
template <unsigned N>
struct Bits {
  static constexpr unsigned kBits = N;
};
using Widths = ::testing::Types<Bits<8>, Bits<32>, Bits<64>>;
TYPED_TEST_SUITE(OperatorTest, Widths);

TYPED_TEST(OperatorTest, AgreesWithTheModelsWords) {
  constexpr unsigned kBits = TypeParam::kBits;
  const Store store;
  const auto x = Word<kBits>::unknown("x");
  const auto y = Word<kBits>::unknown("y");
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const std::uint64_t a = random() >> (random() % 64);
    const std::uint64_t b = round % 3 == 0 ? a + random() % 3 - 1 : random() >> (random() % 64);
    const model::Word<kBits> p(a);
    const model::Word<kBits> q(b);
    const Assignment values{p.value(), q.value()};
    const Word<kBits> constant(b);
    const auto word = [&](Word<kBits> term, model::Word<kBits> expected) {
      EXPECT_EQ(static_cast<std::uint64_t>(evaluate(store, {term.ref()}, values).front()),
                expected.value());
    };
    const auto bit = [&](Bit term, model::Bit expected) {
      EXPECT_EQ(evaluate(store, {term.ref()}, values).front() != 0, expected.truth());
    };
    for (const auto& z : {y, constant}) {
      word(x + z, p + q);
      word(x - z, p - q);
      word(z - x, q - p);
      word(x - z + x - (x - z) + z, p + q);
      word(x & z, p & q);
      word(x | z, p | q);
      word(~x, ~p);
      bit(x == z, p == q);
      bit(x != z, p != q);
      bit(x < z, p < q);
      bit(x <= z, p <= q);
      bit(x > z, p > q);
      bit(x >= z, p >= q);
    }
  }
}

TEST(Terms, AreKeptOnce) {
  const Store store;
  const auto x = Word<64>::unknown("x");
  const auto y = Word<64>::unknown("y");
  EXPECT_EQ((x + y - x).ref(), y.ref());
  EXPECT_EQ((x + (y - Word<64>(1)) - y).ref(), (x - Word<64>(1)).ref());
  EXPECT_EQ((Bit::unknown("a") & !Bit::unknown("a")).ref(), kFalse);
  EXPECT_EQ(Word<64>::unknown("x").ref(), x.ref());
}

TEST(Solver, SaysWhatHolds) {
  const Store store;
  Solver solver({});
  const auto x = Word<64>::unknown("x");
  const auto y = Word<64>::unknown("y");
  EXPECT_EQ(solver.ask({"no sum is smaller", {(x + y < x).ref(), (y == Word<64>(0)).ref()}}).answer,
            Answer::unsatisfiable);
  const auto reply = solver.ask({"sums wrap around", {(x + y < x).ref()}});
  ASSERT_EQ(reply.answer, Answer::satisfiable);
  EXPECT_EQ(evaluate(store, {(x + y < x).ref()}, reply.values).front(), 1U);
}

TEST(Solver, GivesUpAfterSomeSteps) {
  const Store store;
  Solver solver({0, 100});
  auto x = Word<64>::unknown("x");
  Word<64> sum;
  Bit all(true);
  for (int i = 0; i < 40; ++i) {
    const auto y = Word<64>::unknown("y" + std::to_string(i));
    all = all & (sum + y > (sum & y)) & (sum - y < (x | y));
    sum = sum + (y & x);
  }
  const auto answer = solver.ask({"hard", {all.ref()}}).answer;
  EXPECT_TRUE(answer == Answer::limit || answer == Answer::unknown) << static_cast<int>(answer);
}

TEST(Export, IsSmtLib) {
  const Store store;
  const auto x = Word<32>::unknown("call.x");
  const auto small = x < Word<32>(2);
  const auto term = "t" + std::to_string(small.ref());
  EXPECT_EQ(smtlib({"small", {small.ref()}}, Answer::satisfiable),
            "; small\n(set-logic QF_BV)\n(set-info :status sat)\n"
            "(declare-const |call.x| (_ BitVec 32))\n"
            "(define-fun " +
                term + " () Bool (bvult |call.x| #b" + std::string(30, '0') + "10))\n(assert " +
                term + ")\n(check-sat)\n");
}

TEST(Orderings, AreCountedAndShifted) {
  const Store store;
  const auto x = Word<32>::unknown("x");
  const auto y = Word<32>::unknown("y");
  const auto plain = x < y;
  {
    const Orderings counted;
    EXPECT_EQ((x < y).ref(), plain.ref());
    EXPECT_EQ((y >= x).ref(), (x <= y).ref());
    EXPECT_EQ(counted.count(), 3U);
  }
  const Orderings second(1);
  EXPECT_EQ((x < y).ref(), plain.ref());
  const auto shifted = x < y;
  EXPECT_EQ(shifted.ref(), (x <= y).ref());
  EXPECT_EQ((x < y).ref(), plain.ref());
}

}  // namespace
}  // namespace mrproof::specs::smt
