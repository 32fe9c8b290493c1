// Reads one line of a trace from left to right; every error names file, line and column.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/trace/trace.hpp"

namespace mrproof::model {

/// The text of a file. Throws a TraceError if it cannot be read.
std::string read_text(const std::string& file);

/// A trace's text with empty lines in place of its comments and annotations: its steps stay in
/// their lines.
std::string without_comments(std::string_view text);

/// A cursor in one line.
class LineScanner {
 public:
  LineScanner(std::string_view line, std::string file, std::size_t number)
      : line_(line), file_(std::move(file)), number_(number) {}

  /// Throws a TraceError at the cursor (or at `column`, from 0).
  [[noreturn]] void fail(const std::string& message) const { fail_at(position_, message); }
  [[noreturn]] void fail_at(std::size_t column, const std::string& message) const;

  [[nodiscard]] bool at_end() const { return position_ == line_.size(); }
  [[nodiscard]] std::size_t position() const { return position_; }
  /// What is left.
  [[nodiscard]] std::string_view rest() const { return line_.substr(position_); }
  /// Skips blanks.
  void skip_blanks();
  /// Takes `text` if it comes next.
  bool take(std::string_view text);
  /// Takes `text`, after blanks, or fails saying that it was expected; `remedy` begins with "; ".
  void expect(std::string_view text, std::string_view remedy = "");
  /// Fails unless only blanks are left.
  void expect_end();
  /// The run of letters, digits and '_' that comes next, after blanks; it is not taken.
  [[nodiscard]] std::string_view next_word();
  /// The same, taken; if it is empty, `what` names it in the error.
  std::string_view word(std::string_view what);
  /// An unsigned number, decimal or 0x..; fails above `most`.
  std::uint64_t number(std::uint64_t most, std::string_view what);
  /// A handle such as mr3: `prefix` and a slot below `slots`. In a round: mr3+i, too.
  std::uint32_t handle(std::string_view prefix, std::size_t slots);
  /// The line is read for that round of steps that repeat, from 0.
  void set_round(std::uint32_t round) { round_ = round; }

 private:
  std::string_view line_;
  std::string file_;
  std::size_t number_;
  std::size_t position_ = 0;
  std::optional<std::uint32_t> round_;
};

}  // namespace mrproof::model
