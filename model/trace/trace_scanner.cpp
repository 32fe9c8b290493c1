#include "model/trace/trace_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

namespace mrproof::model {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// What stands at the cursor, for error messages.
std::string found(std::string_view rest) {
  if (rest.empty()) return "the line ends";
  return fmt::format("found '{}'", rest.substr(0, rest.find_first_of(" \t")));
}

}  // namespace

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text;
  bool readable = in.is_open();
  try {
    text.assign(std::istreambuf_iterator<char>(in), {});
  } catch (const std::exception&) {
    readable = false;  // a folder, say
  }
  if (!readable || in.bad())
    throw TraceError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  return text;
}

std::string without_comments(std::string_view text) {
  std::string kept;
  for (bool first = true; !text.empty(); first = false) {
    const auto line = text.substr(0, text.find('\n'));
    const auto start = std::min(line.find_first_not_of(" \t"), line.size());
    if (first || (!line.starts_with('#') && !line.substr(start).starts_with('!'))) kept += line;
    if (line.size() < text.size()) kept += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return kept;
}

void LineScanner::fail_at(std::size_t column, const std::string& message) const {
  throw TraceError(fmt::format("{}:{}:{}: {}", file_, number_, column + 1, message));
}

void LineScanner::skip_blanks() {
  while (!at_end() && (line_[position_] == ' ' || line_[position_] == '\t')) ++position_;
}

bool LineScanner::take(std::string_view text) {
  skip_blanks();
  if (!rest().starts_with(text)) return false;
  position_ += text.size();
  return true;
}

void LineScanner::expect(std::string_view text, std::string_view remedy) {
  if (!take(text)) fail(fmt::format("expected '{}', {}{}", text, found(rest()), remedy));
}

void LineScanner::expect_end() {
  skip_blanks();
  if (!at_end()) fail(fmt::format("expected the end of the line, {}", found(rest())));
}

std::string_view LineScanner::next_word() {
  skip_blanks();
  std::size_t length = 0;
  while (length < rest().size() && is_word(rest()[length])) ++length;
  return rest().substr(0, length);
}

std::string_view LineScanner::word(std::string_view what) {
  const auto taken = next_word();
  if (taken.empty()) fail(fmt::format("expected {}, {}", what, found(rest())));
  position_ += taken.size();
  return taken;
}

std::uint64_t LineScanner::number(std::uint64_t most, std::string_view what) {
  skip_blanks();
  const std::size_t start = position_;
  const bool hex = rest().starts_with("0x");
  if (hex) position_ += 2;
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(line_.data() + position_, line_.data() + line_.size(), value, hex ? 16 : 10);
  if (error == std::errc::invalid_argument) {
    position_ = start;
    fail(fmt::format("expected {} (a number), {}", what, found(rest())));
  }
  if (error == std::errc::result_out_of_range || value > most)
    fail_at(start, fmt::format("{} is too large; at most {:#x}", what, most));
  position_ = static_cast<std::size_t>(end - line_.data());
  if (!at_end() && is_word(line_[position_])) fail_at(start, fmt::format("{} is no number", what));
  return value;
}

std::uint32_t LineScanner::handle(std::string_view prefix, std::size_t slots) {
  skip_blanks();
  const std::size_t start = position_;
  if (!rest().starts_with(prefix))
    fail(fmt::format("expected a handle {}N, {}", prefix, found(rest())));
  position_ += prefix.size();
  const std::size_t digits = position_;
  while (!at_end() && std::isdigit(static_cast<unsigned char>(line_[position_])) != 0) ++position_;
  unsigned slot = 0;
  const auto error = std::from_chars(line_.data() + digits, line_.data() + position_, slot, 10).ec;
  if (error == std::errc{} && rest().starts_with("+i")) {
    if (!round_)
      fail("'+i' grows with the rounds of 'repeat N', and stands between that and 'end'");
    position_ += 2;
    slot += *round_;
  }
  const bool ends = at_end() || !is_word(line_[position_]);
  if (digits == position_ || error != std::errc{} || slot >= slots || !ends)
    fail_at(start, fmt::format("no such handle; use {}0 to {}{}", prefix, prefix, slots - 1));
  return slot;
}

}  // namespace mrproof::model
