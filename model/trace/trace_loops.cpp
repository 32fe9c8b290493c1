#include "model/trace/trace_loops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>

namespace mrproof::model {

namespace {

constexpr std::size_t kLongestBlock = 32;
constexpr std::size_t kFewestRounds = 8;

/// The length of the handle's name that begins there, with digits behind it; 0 if none does.
std::size_t handle_at(const std::string& text, std::size_t at) {
  const auto word = [&](std::size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  if (at > 0 && word(at - 1)) return 0;
  for (const char* name : {"mr", "mw", "pd"})
    if (text.compare(at, 2, name) == 0 && digit(at + 2)) return 2;
  return 0;
}

/// Calls word(begin, size) and slot(digits begin, size) for what the text of a step consists of.
void take_apart(const std::string& text, auto&& word, auto&& slot) {
  const std::size_t line = text.find('\n');  // what stands under it grows not
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t name = at < line ? handle_at(text, at) : 0;
    word(at, std::max<std::size_t>(name, 1));
    at += std::max<std::size_t>(name, 1);
    if (name == 0) continue;
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    slot(at, end - at);
    at = end;
  }
}

LoopText loop_text(const std::string& text) {
  LoopText step;
  take_apart(
      text, [&](std::size_t begin, std::size_t size) { step.words.append(text, begin, size); },
      [&](std::size_t begin, std::size_t size) {
        step.numbers.push_back(std::stoull(text.substr(begin, size)));
        step.words += '\0';
      });
  return step;
}

/// Whether the handles of `step` are those of `first`, `round` rounds before it; `grows` says which
/// of them grow.
bool follows(const LoopText& step, const LoopText& first, const std::vector<bool>& grows,
    std::uint64_t round) {
  if (step.words != first.words) return false;
  for (std::size_t i = 0; i < step.numbers.size(); ++i)
    if (step.numbers[i] != first.numbers[i] + (grows[i] ? round : 0)) return false;
  return true;
}

Loop loop_at(const std::vector<LoopText>& steps, std::size_t begin, std::size_t size) {
  Loop loop{begin, size, 1, {}};
  for (std::size_t i = begin; i < begin + size; ++i) {
    auto& grows = loop.grows.emplace_back();
    const LoopText& next = steps[i + size];
    if (next.words != steps[i].words) return loop;
    for (std::size_t k = 0; k < next.numbers.size(); ++k)
      grows.push_back(next.numbers[k] != steps[i].numbers[k]);
  }
  const auto round_follows = [&](std::size_t round) {
    for (std::size_t i = 0; i < size; ++i)
      if (!follows(steps[begin + round * size + i], steps[begin + i], loop.grows[i], round))
        return false;
    return true;
  };
  while (begin + (loop.rounds + 1) * size <= steps.size() && round_follows(loop.rounds))
    ++loop.rounds;
  return loop;
}

/// The block that makes the text from there on shortest.
std::optional<Loop> best_loop(const std::vector<LoopText>& steps, std::size_t begin) {
  std::optional<Loop> best;
  for (std::size_t size = 1; size <= kLongestBlock && begin + 2 * size <= steps.size(); ++size) {
    Loop loop = loop_at(steps, begin, size);
    if (loop.rounds < kFewestRounds) continue;
    if (!best || (loop.rounds - 1) * size > (best->rounds - 1) * best->size) best = std::move(loop);
  }
  return best;
}

}  // namespace

std::vector<Loop> find_loops(const std::vector<LoopText>& texts) {
  std::vector<Loop> loops;
  for (std::size_t i = 0; i < texts.size(); i += loops.back().size * loops.back().rounds)
    loops.push_back(best_loop(texts, i).value_or(Loop{i, 1, 1, {}}));
  return loops;
}

std::string with_growth(const std::string& text, const std::vector<bool>& grows) {
  std::string grown;
  std::size_t handle = 0;
  const auto word = [&](std::size_t begin, std::size_t size) { grown.append(text, begin, size); };
  take_apart(text, word, [&](std::size_t begin, std::size_t size) {
    word(begin, size);
    if (grows[handle++]) grown += "+i";
  });
  return grown;
}

std::vector<Loop> loops_of_steps(const std::vector<std::string>& steps) {
  std::vector<LoopText> texts(steps.size());
  // Of fewer there are no loops.
  for (std::size_t i = 0; steps.size() >= kFewestRounds && i < steps.size(); ++i)
    texts[i] = loop_text(steps[i]);
  return find_loops(texts);
}

std::string rolled(const std::vector<std::string>& texts) {
  std::string all;
  for (const Loop& loop : loops_of_steps(texts)) {
    if (loop.rounds > 1) all += fmt::format("repeat {}\n", loop.rounds);
    for (std::size_t k = 0; k < loop.size; ++k) {
      const auto& text = texts[loop.begin + k];
      all += loop.rounds > 1 ? with_growth(text, loop.grows[k]) : text;
    }
    if (loop.rounds > 1) all += "end\n";
  }
  return all;
}

}  // namespace mrproof::model
