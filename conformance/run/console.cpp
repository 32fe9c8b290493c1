#include "conformance/run/console.hpp"

#include <fstream>

namespace mrproof::conformance {

std::string console_line(const std::string& file, std::initializer_list<const char*> texts) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    for (const char* text : texts)
      if (const auto at = line.find(text); at != std::string::npos)
        return line.substr(at, line.find_last_not_of("\r\n") + 1 - at);
  return "";
}

std::string console_trouble(const std::string& file) {
  // A warning may be of an earlier case.
  const auto fatal = console_line(file, {"BUG:", "Oops", "general protection fault"});
  return fatal.empty() ? console_line(file, {"WARNING:"}) : fatal;
}

}  // namespace mrproof::conformance
