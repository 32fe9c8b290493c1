// Every rule's guard and effect means the same in terms as in plain words, on random states.
#include <gtest/gtest.h>

#include <cassert>
#include <random>

#include "specs/prover/rows.hpp"

namespace mrproof::specs {
namespace {

using model::View;
/// The oracle's kind of words with the slots of the proofs.
using Words = model::Concrete<64, Terms::kPds, Terms::kRegions, Terms::kWindows, Terms::kQps>;

/// Values that meet often.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  template <class Of>
  std::uint64_t value(const std::string& path) {
    if (Of::kWidth == 8) return random_() % 4;
    if (path.find("key") != std::string::npos) return 0x100 * (random_() % 3) + random_() % 2;
    if (path.ends_with("length")) return random_() % 5 == 0 ? 8 : random_() % 64;
    if (Of::kWidth == 32) return random_() & random_() & 0x1fff;
    return random_() % 9 == 0 ? ~(random_() % 3) : random_() % 256;
  }
  bool bit() { return random_() % 2 == 0; }

 private:
  std::mt19937_64 random_;
};

/// Draws a value for each unknown and its field in words.
class Pairing {
 public:
  explicit Pairing(std::uint64_t seed) : draw_(seed) {}
  void operator()(const std::string& path, const smt::Bit& term, model::Bit& word) {
    const bool value = draw_.bit();
    word = model::Bit(set(term.ref(), value ? 1 : 0) != 0);
    (void)path;
  }
  template <unsigned N>
  void operator()(const std::string& path, const smt::Word<N>& term, model::Word<N>& word) {
    word = model::Word<N>(set(term.ref(), draw_.value<smt::Word<N>>(path)));
  }
  [[nodiscard]] const smt::Assignment& values() const { return values_; }

 private:
  std::uint64_t set(smt::Ref term, std::uint64_t value) {
    const auto& node = smt::Store::current().node(term);
    if (node.op != smt::Op::unknown) return static_cast<std::uint64_t>(node.value);
    const auto index = static_cast<std::size_t>(node.value);
    if (values_.size() <= index) values_.resize(index + 1);
    values_.at(index) = value & smt::greatest(node.width);
    return value;
  }
  Draw draw_;
  smt::Assignment values_;
};

/// Whether the terms have the words' values.
struct Compare {
  const smt::Store& store;
  const smt::Assignment& values;
  std::string differs;
  void check(const std::string& path, smt::Ref term, std::uint64_t word) {
    if (smt::evaluate(store, {term}, values).front() != word) differs += path + " ";
  }
  void operator()(const std::string& path, const smt::Bit& term, const model::Bit& word) {
    check(path, term.ref(), word.truth() ? 1 : 0);
  }
  template <unsigned N>
  void operator()(const std::string& path, const smt::Word<N>& term, const model::Word<N>& word) {
    check(path, term.ref(), word.value());
  }
};

/// What the oracle takes for granted (proved as "features_shown").
void keep_what_is_known(model::State<Words>& s) {
  s.demonstrated_features =
      s.demonstrated_features | Words::flags(model::kMwType1 | model::kMwType2A | model::kMwType2B);
  s.demonstrated_access = s.demonstrated_access | Words::flags(model::kOnDemand);
}

/// The rule of the same name in words.
model::Rule<Words> in_words(const Row& row) {
  const auto find = [&](const auto& groups) -> const model::Rule<Words>* {
    for (const auto& group : groups)
      for (const auto& of : group)
        for (const auto& rule : of.rules)
          if (of.verb == row.verb && std::string_view(rule.name) == row.rule.name) return &rule;
    return nullptr;
  };
  const auto* rule = (row.dialects & 4U) != 0 && (row.dialects & 1U) == 0
                         ? find(model::kExperimentalRules<Words>)
                         : find(model::kLinuxRules<Words>);
  if (rule == nullptr) rule = find(model::kExperimentalRules<Words>);
  assert(rule != nullptr);
  return *rule;
}

void check(const Row& row, const Shape& shape, std::uint64_t seed) {
  const smt::Store store;
  auto state = unknown_state("before.");
  const auto call = unknown_call("call.", shape);
  const auto result = unknown_result("result.", row.rule.outcome);
  Pairing pairing(seed);
  model::State<Words> words;
  state_fields(pairing, state, words);
  // The fourth buffer and its kin are not in the proofs: they hold nothing.
  for (std::size_t i = Terms::kBuffers; i < Words::kBuffers; ++i)
    words.buffers.at(i).first = Words::address(1);
  keep_what_is_known(words);
  state.demonstrated_features = state.demonstrated_features |
                                Terms::flags(model::kMwType1 | model::kMwType2A | model::kMwType2B);
  state.demonstrated_access = state.demonstrated_access | Terms::flags(model::kOnDemand);
  model::Call<Words> call_words;
  copy_slots(call_words, call);
  call_fields(pairing, call, call_words);
  model::Result<Words> result_words;
  result_words.outcome = row.rule.outcome;
  result_fields(pairing, result, result_words);
  const View<Terms> view{state, call, result};
  const View<Words> view_words{words, call_words, result_words};
  const auto rule = in_words(row);
  Compare compare{store, pairing.values(), {}};
  const auto terms = [&](const auto& list, const auto& in_words_list) {
    ASSERT_EQ(list.size(), in_words_list.size());
    for (std::size_t i = 0; i < list.size(); ++i)
      compare(list[i].condition->id, list[i].condition->holds(view),
              in_words_list[i].condition->holds(view_words));
  };
  terms(row.rule.requires_all, rule.requires_all);
  terms(row.rule.reasons, rule.reasons);
  auto after = state;
  auto after_words = words;
  if (row.rule.effect != nullptr) {
    row.rule.effect(view, after);
    rule.effect(view_words, after_words);
  }
  state_fields(compare, after, after_words);
  if (row.rule.transfer != nullptr) {
    const auto moved = row.rule.transfer(view);
    const auto moved_words = rule.transfer(view_words);
    for (std::size_t i = 0; i < 2; ++i) {
      compare("from", moved.from.at(i).length, moved_words.from.at(i).length);
      compare("to", moved.to.at(i).length, moved_words.to.at(i).length);
    }
  }
  EXPECT_EQ(compare.differs, "") << row.id << " " << text_of(shape) << ", seed " << seed;
}

TEST(BothDomains, GiveEachRuleTheSameMeaning) {
  for (const Row& row : rows_of(kEveryDialect))
    for (const Shape& shape : shapes_of(row.verb, false))
      for (std::uint64_t seed = 0; seed < 20; ++seed) check(row, shape, seed);
}

}  // namespace
}  // namespace mrproof::specs
