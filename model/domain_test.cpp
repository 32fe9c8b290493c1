#include "model/domain.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace mrproof::model {
namespace {

__extension__ using Wide = unsigned __int128;

/// within() as one would say it with numbers that never wrap around, in words of `bits` bits.
bool inside(std::uint64_t start, std::uint64_t length, std::uint64_t first, std::uint64_t last,
    unsigned bits) {
  const Wide end = Wide{start} + length;  // one beyond
  return length != 0 && end <= Wide{1} << bits && first <= start && end <= Wide{last} + 1;
}

template <unsigned N> using Narrow = Concrete<N, 4, 8, 4, 4>;

template <unsigned N>
bool within_words(
    std::uint64_t start, std::uint64_t length, std::uint64_t first, std::uint64_t last) {
  const auto word = [](std::uint64_t value) { return Word<N>(value); };
  return within<Narrow<N>>(word(start), word(length), word(first), word(last)).truth();
}

TEST(Within, IsRightForAllWordsOfFourBits) {
  constexpr std::uint64_t kEnd = 16;
  for (std::uint64_t start = 0; start < kEnd; ++start)
    for (std::uint64_t length = 0; length < kEnd; ++length)
      for (std::uint64_t first = 0; first < kEnd; ++first)
        for (std::uint64_t last = 0; last < kEnd; ++last)
          ASSERT_EQ(
              within_words<4>(start, length, first, last), inside(start, length, first, last, 4))
              << start << ' ' << length << ' ' << first << ' ' << last;
}

/// Numbers near the places where 64-bit arithmetic goes wrong.
std::vector<std::uint64_t> edges() {
  std::vector<std::uint64_t> values;
  for (const std::uint64_t middle : {std::uint64_t{0}, std::uint64_t{1} << 31U,
           std::uint64_t{1} << 32U, std::uint64_t{1} << 63U, std::uint64_t{0x200000000000}})
    for (std::uint64_t distance = 0; distance < 3; ++distance) {
      values.push_back(middle + distance);
      values.push_back(middle - distance - 1);
    }
  return values;
}

TEST(Within, IsRightAtTheEdgesOf64Bits) {
  for (const auto start : edges())
    for (const auto length : edges())
      for (const auto first : edges())
        for (const auto last : edges())
          ASSERT_EQ(
              within_words<64>(start, length, first, last), inside(start, length, first, last, 64))
              << start << ' ' << length << ' ' << first << ' ' << last;
}

TEST(Within, IsRightForRandomRangesThatNearlyFit) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200000; ++round) {
    const std::uint64_t first = random() >> (random() % 64);
    const std::uint64_t size = random() >> (random() % 64);
    const std::uint64_t start = first + random() % 5 - 2;
    const std::uint64_t length = size + random() % 5 - 2;
    const std::uint64_t last = first + size - 1;
    ASSERT_EQ(within_words<64>(start, length, first, last), inside(start, length, first, last, 64))
        << start << ' ' << length << ' ' << first << ' ' << last;
  }
}

template <class T> class WordTest : public ::testing::Test {};
using Words = ::testing::Types<Word<1>, Word<4>, Word<8>, Word<13>, Word<16>, Word<31>, Word<32>,
    Word<48>, Word<64>>;
TYPED_TEST_SUITE(WordTest, Words);

TYPED_TEST(WordTest, CountsModuloItsSizeAndComparesUnsigned) {
  std::mt19937_64 random(2);
  const std::uint64_t mask = TypeParam::kMask;
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t a = (random() >> (random() % 64)) & mask;
    const std::uint64_t b = round % 4 == 0 ? a : random() & mask;
    const TypeParam x(a);
    const TypeParam y(b);
    ASSERT_EQ(TypeParam(a | ~mask).value(), a) << "what does not fit is cut off";
    ASSERT_EQ((x + y).value(), (a + b) & mask);
    ASSERT_EQ((x - y).value(), (a - b) & mask);
    ASSERT_EQ((x & y).value(), a & b);
    ASSERT_EQ((x | y).value(), a | b);
    ASSERT_EQ((~x).value(), ~a & mask);
    ASSERT_EQ((x == y).truth(), a == b);
    ASSERT_EQ((x != y).truth(), a != b);
    ASSERT_EQ((x < y).truth(), a < b);
    ASSERT_EQ((x <= y).truth(), a <= b);
    ASSERT_EQ((x > y).truth(), a > b);
    ASSERT_EQ((x >= y).truth(), a >= b);
  }
}

TEST(Bit, HasTheTruthTablesOfLogic) {
  for (const bool a : {false, true}) {
    EXPECT_EQ((!Bit(a)).truth(), !a);
    for (const bool b : {false, true}) {
      EXPECT_EQ((Bit(a) & Bit(b)).truth(), a && b);
      EXPECT_EQ((Bit(a) | Bit(b)).truth(), a || b);
      EXPECT_EQ((Bit(a) == Bit(b)).truth(), a == b);
      EXPECT_EQ(implies(Bit(a), Bit(b)).truth(), !a || b);
      EXPECT_EQ(Plain::select(Bit(a), Bit(b), Bit(!b)).truth(), a ? b : !b);
      EXPECT_EQ(Plain::select(Bit(a), Plain::small(3), Plain::small(5)).value(), a ? 3U : 5U);
    }
  }
}

TEST(Quantifiers, AreOrAndAnd) {
  const auto odd = [](const Word<8>& w) { return (w & Word<8>(1)) == Word<8>(1); };
  const auto words = [](std::uint64_t a, std::uint64_t b) {
    return std::array<Word<8>, 2>{Word<8>(a), Word<8>(b)};
  };
  for (const std::uint64_t a : {0U, 1U})
    for (const std::uint64_t b : {0U, 1U}) {
      EXPECT_EQ(any<Plain>(words(a, b), odd).truth(), a == 1 || b == 1);
      EXPECT_EQ(all<Plain>(words(a, b), odd).truth(), a == 1 && b == 1);
    }
  EXPECT_FALSE(any<Plain>(std::array<Word<8>, 0>{}, odd).truth());
  EXPECT_TRUE(all<Plain>(std::array<Word<8>, 0>{}, odd).truth());
}

TEST(Flags, HasIsAllOfThemAndHasAnyIsOneOfThem) {
  for (std::uint32_t flags = 0; flags < 8; ++flags)
    for (std::uint32_t wanted = 0; wanted < 8; ++wanted) {
      EXPECT_EQ(has<Plain>(Plain::flags(flags), wanted).truth(), (flags & wanted) == wanted);
      EXPECT_EQ(has_any<Plain>(Plain::flags(flags), wanted).truth(), (flags & wanted) != 0);
    }
}

}  // namespace
}  // namespace mrproof::model
