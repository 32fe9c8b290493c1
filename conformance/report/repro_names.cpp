#include "conformance/report/repro_names.hpp"

#include <fmt/format.h>

#include <cctype>

#include "model/trace/trace_loops.hpp"

namespace mrproof::conformance {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Whether the digits behind `end` number an object: in C as mr[8], in a text as mr8.
bool numbers_object(const std::string& text, std::size_t end, bool literal) {
  if (!literal && (end == 0 || text[--end] != '[')) return false;
  std::size_t begin = end;
  while (begin > 0 && is_word(text[begin - 1])) --begin;
  const auto word = text.substr(begin, std::min<std::size_t>(2, end - begin));
  const bool object = word == "pd" || word == "mr" || word == "mw";
  return object && (literal ? end - begin == 2 : end - begin == 2 || text[begin + 2] == '_');
}

/// Calls word(begin, size) and number(digits begin, size) for what a step's statements consist of.
void take_apart(const std::string& text, auto&& word, auto&& number) {
  bool literal = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"' && (at == 0 || text[at - 1] != '\\')) literal = !literal;
    if (!is_digit(text[at]) || !numbers_object(text, at, literal)) {
      word(at++, 1);
      continue;
    }
    const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
    number(at, end - at);
    at = end;
  }
}

/// The text without its numbers and as if each statement stood in one line: longer numbers have
/// others.
model::LoopText loop_text(const std::string& text) {
  model::LoopText loop;
  std::string& words = loop.words;
  take_apart(
      text,
      [&](std::size_t at, std::size_t) {
        const bool blank = text[at] == ' ' || text[at] == '\n';
        if (!blank || !words.ends_with(' ')) words += blank ? ' ' : text[at];
        if (words.ends_with("\" \"")) words.resize(words.size() - 3);  // a literal in two lines
      },
      [&](std::size_t at, std::size_t size) {
        loop.numbers.push_back(std::stoull(text.substr(at, size)));
        words += '\0';
      });
  return loop;
}

/// The statements of the first round, with `i` where numbers grow.
std::string with_growth(const std::string& text, const std::vector<bool>& grows) {
  std::string grown;
  std::size_t which = 0;
  take_apart(
      text, [&](std::size_t at, std::size_t size) { grown.append(text, at, size); },
      [&](std::size_t at, std::size_t size) {
        const bool in_c = text[at - 1] == '[';
        grown.append(text, at, size);
        if (grows[which++]) grown += in_c ? " + i" : "+i";
      });
  return grown;
}

constexpr std::string_view kBegin = "    step = \"@";

/// A step's statements with the step's number; in a loop of `size` steps, with the way it grows.
std::string numbered(const std::string& text, std::size_t number, std::size_t size = 0) {
  std::string name = std::to_string(number);
  if (size > 0) name += fmt::format("+{}i", size == 1 ? "" : std::to_string(size) + "*");
  const std::size_t end = text.find(";\n") + 2;
  std::string statement = text.substr(kBegin.size(), end - kBegin.size());
  if (size == 0) return "    step = \"" + name + statement + text.substr(end);
  statement.insert(statement.size() - 2, ", i)");
  return "    step = in_round(\"" + name + statement + text.substr(end);
}

std::string indented(const std::string& text) {
  std::string all = "    ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    all += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) all += "    ";
  }
  return all;
}

}  // namespace

ReproNames::ReproNames(const model::Trace& trace) {
  using Kind = model::KeyName::Kind;
  const auto add_key = [this](const model::KeyName& key) {
    if (key.kind == Kind::value) return;
    const bool window = key.kind == Kind::window_rkey || key.kind == Kind::old_window_rkey;
    add(window ? ReproKind::mw : ReproKind::mr, key.slot);
  };
  for (std::size_t i = 0; i < trace.setup.pd.size(); ++i)
    if (trace.setup.pd.at(i)) add(ReproKind::pd, i);
  for (const model::Step& step : trace.steps) {
    if (model::is_overlapping(step.call)) few_ = 0;
    add(ReproKind::pd, step.call.pd);
    add(ReproKind::mr, std::max(step.call.mr, step.call.source));
    add(ReproKind::mw, step.call.mw);
    for (const auto* key : {&step.lkey, &step.second, &step.rkey}) add_key(*key);
  }
}

const char* ReproNames::name(ReproKind kind) {
  constexpr std::array kNames{"pd", "mr", "mw"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string ReproNames::of(ReproKind kind, std::size_t slot, const std::string& what) const {
  const std::string behind = what.empty() ? "" : "_" + what;
  if (many(kind)) return fmt::format("{}{}[{}]", name(kind), behind, slot);
  return fmt::format("{}{}{}", name(kind), slot, behind);
}

std::string looped(const std::vector<std::string>& texts) {
  std::vector<model::LoopText> steps;
  for (const auto& text : texts) steps.push_back(loop_text(text));
  std::string all;
  for (const model::Loop& loop : model::find_loops(steps)) {
    if (loop.rounds == 1) {
      all += numbered(texts[loop.begin], loop.begin + 1);
      continue;
    }
    all += fmt::format("    for (unsigned i = 0; i < {}; ++i) {{\n", loop.rounds);
    for (std::size_t k = 0; k < loop.size; ++k) {
      const std::string text = with_growth(texts[loop.begin + k], loop.grows[k]);
      all += indented(numbered(text, loop.begin + k + 1, loop.size));
    }
    all += "    }\n";
  }
  return all;
}

}  // namespace mrproof::conformance
