// Files that list what is known, a line each: "NAME,STATUS  # reason"; a line that begins with "#"
// is a comment.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace mrproof::conformance {

/// A line that is no comment, in parts.
struct ListLine {
  std::string file;
  std::size_t number = 0;
  const char* form = "";  ///< what it should look like
  std::string name;
  std::string status;
  std::string reason;  ///< never empty

  /// Throws ToolError that names file, line, what is wrong and the form.
  [[noreturn]] void fail(const char* what) const;
};

/// Hands over each line of the text. Throws ToolError of one without a reason.
void each_line(const std::string& text, const std::string& file, const char* form,
               const std::function<void(const ListLine&)>& take);

/// The text of such a file. Throws ToolError if it cannot be read.
std::string text_of_list(const std::string& file);

/// Without white space at both ends.
std::string trimmed(std::string_view text);

/// Whether the text is as the pattern of the shell says: fnmatch(3) with FNM_EXTMATCH.
bool fits(const std::string& pattern, const std::string& text);

}  // namespace mrproof::conformance
