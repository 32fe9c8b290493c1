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

/// A step's text, and the numbers of its handles, in whose places stand zero bytes.
struct StepText {
  std::string words;
  std::vector<std::uint64_t> slots;
};

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

StepText taken_apart(const std::string& text) {
  StepText step;
  const std::size_t line = text.find('\n');  // what stands under it grows not
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t name = at < line ? handle_at(text, at) : 0;
    step.words.append(text, at, std::max<std::size_t>(name, 1));
    at += std::max<std::size_t>(name, 1);
    if (name == 0) continue;
    std::size_t digits = 0;
    step.slots.push_back(std::stoull(text.substr(at), &digits));
    step.words += '\0';
    at += digits;
  }
  return step;
}

/// Whether the handles of `step` are those of `first`, `round` rounds before it; `grows` says which
/// of them grow.
bool follows(const StepText& step, const StepText& first, const std::vector<bool>& grows,
    std::uint64_t round) {
  if (step.words != first.words) return false;
  for (std::size_t i = 0; i < step.slots.size(); ++i)
    if (step.slots[i] != first.slots[i] + (grows[i] ? round : 0)) return false;
  return true;
}

/// Steps [begin, begin + size) again and again.
struct Block {
  std::size_t begin = 0, size = 0, rounds = 1;
  std::vector<std::vector<bool>> grows;  // by step and handle
};

Block block_at(const std::vector<StepText>& steps, std::size_t begin, std::size_t size) {
  Block block{begin, size, 1, {}};
  for (std::size_t i = begin; i < begin + size; ++i) {
    auto& grows = block.grows.emplace_back();
    const StepText& next = steps[i + size];
    if (next.words != steps[i].words) return block;
    for (std::size_t k = 0; k < next.slots.size(); ++k)
      grows.push_back(next.slots[k] != steps[i].slots[k]);
  }
  const auto round_follows = [&](std::size_t round) {
    for (std::size_t i = 0; i < size; ++i)
      if (!follows(steps[begin + round * size + i], steps[begin + i], block.grows[i], round))
        return false;
    return true;
  };
  while (begin + (block.rounds + 1) * size <= steps.size() && round_follows(block.rounds))
    ++block.rounds;
  return block;
}

/// The block that makes the text from there on shortest.
std::optional<Block> best_block(const std::vector<StepText>& steps, std::size_t begin) {
  std::optional<Block> best;
  for (std::size_t size = 1; size <= kLongestBlock && begin + 2 * size <= steps.size(); ++size) {
    Block block = block_at(steps, begin, size);
    if (block.rounds < kFewestRounds) continue;
    if (!best || (block.rounds - 1) * size > (best->rounds - 1) * best->size)
      best = std::move(block);
  }
  return best;
}

std::string with_growth(const StepText& step, const std::vector<bool>& grows) {
  std::string text;
  std::size_t handle = 0;
  for (const char c : step.words) {
    if (c != '\0') {
      text += c;
      continue;
    }
    text += std::to_string(step.slots[handle]);
    if (grows[handle++]) text += "+i";
  }
  return text;
}

}  // namespace

std::string rolled(const std::vector<std::string>& texts) {
  std::string all;
  const auto plain = [&] {
    for (const auto& text : texts) all += text;
    return all;
  };
  if (texts.size() < kFewestRounds) return plain();
  std::vector<StepText> steps;
  for (const auto& text : texts) steps.push_back(taken_apart(text));
  for (std::size_t i = 0; i < texts.size();) {
    const auto block = best_block(steps, i);
    if (!block) {
      all += texts[i++];
      continue;
    }
    all += fmt::format("repeat {}\n", block->rounds);
    for (std::size_t k = 0; k < block->size; ++k) all += with_growth(steps[i + k], block->grows[k]);
    all += "end\n";
    i += block->size * block->rounds;
  }
  return all;
}

}  // namespace mrproof::model
