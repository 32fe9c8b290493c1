#include "conformance/run/list_lines.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <sstream>

#include "model/trace/tool_error.hpp"
#include "model/trace/trace_scanner.hpp"

namespace mrproof::conformance {
namespace {

ListLine parse_line(const std::string& text, const std::string& file, std::size_t number,
                    const char* form) {
  ListLine line{file, number, form, "", "", ""};
  const auto hash = text.find('#');
  if (hash != std::string::npos) line.reason = trimmed(std::string_view(text).substr(hash + 1));
  if (line.reason.empty()) line.fail("the reason is missing");
  const std::string entry = trimmed(std::string_view(text).substr(0, hash));
  const auto comma = entry.find(',');
  line.name = entry.substr(0, comma);
  if (comma != std::string::npos) line.status = entry.substr(comma + 1);
  return line;
}

}  // namespace

void ListLine::fail(const char* what) const {
  throw model::ToolError(fmt::format("{}:{}: {}; write {}  # reason", file, number, what, form));
}

void each_line(const std::string& text, const std::string& file, const char* form,
               const std::function<void(const ListLine&)>& take) {
  std::istringstream in(text);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const auto start = line.find_first_not_of(" \t\r");
    if (start == std::string::npos || line[start] == '#') continue;
    take(parse_line(line, file, number, form));
  }
}

std::string text_of_list(const std::string& file) try {
  return model::read_text(file);
} catch (const model::TraceError& error) {
  throw model::ToolError(error.what());
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") + 1 - first));
}

bool fits(const std::string& pattern, const std::string& text) {
  return fnmatch(pattern.c_str(), text.c_str(), FNM_EXTMATCH) == 0;
}

}  // namespace mrproof::conformance
