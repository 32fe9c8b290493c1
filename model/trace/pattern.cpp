#include "model/trace/pattern.hpp"

#include <regex.h>

#include <array>
#include <stdexcept>

namespace mrproof::model {
namespace {

/// A compiled pattern; its matches, with up to nine groups.
class Compiled {
 public:
  explicit Compiled(const std::string& pattern) {
    if (regcomp(&compiled_, pattern.c_str(), REG_EXTENDED) != 0)
      throw std::logic_error("no regular expression: " + pattern);
  }
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { regfree(&compiled_); }

  bool find(const char* text, bool is_begin) {
    return regexec(&compiled_, text, groups.size(), groups.data(), is_begin ? 0 : REG_NOTBOL) == 0;
  }

  std::array<regmatch_t, 10> groups{};

 private:
  regex_t compiled_{};
};

std::size_t at(regoff_t offset) { return static_cast<std::size_t>(offset); }

/// Calls visit(begin of the match, its end, groups) for each match.
template <class Visit>
void each_match(const std::string& text, const std::string& pattern, Visit&& visit) {
  Compiled compiled(pattern);
  std::size_t from = 0;
  while (from <= text.size() && compiled.find(text.c_str() + from, from == 0)) {
    std::vector<std::string> groups;
    for (const auto& group : compiled.groups)
      groups.push_back(
          group.rm_so < 0 ? ""
                          : text.substr(from + at(group.rm_so), at(group.rm_eo) - at(group.rm_so)));
    const auto begin = from + at(compiled.groups[0].rm_so);
    const auto end = from + at(compiled.groups[0].rm_eo);
    visit(begin, end, std::move(groups));
    from = end == begin ? end + 1 : end;
  }
}

}  // namespace

bool matches(const std::string& text, const std::string& pattern) {
  return Compiled("^(" + pattern + ")$").find(text.c_str(), true);
}

std::vector<std::vector<std::string>> all_matches(
    const std::string& text, const std::string& pattern) {
  std::vector<std::vector<std::string>> all;
  each_match(text, pattern,
      [&](std::size_t, std::size_t, auto groups) { all.push_back(std::move(groups)); });
  return all;
}

std::string replaced(const std::string& text, const std::string& pattern, const std::string& by) {
  std::string result;
  std::size_t done = 0;
  each_match(text, pattern, [&](std::size_t begin, std::size_t end, const auto&) {
    result += text.substr(done, begin - done) + by;
    done = end;
  });
  return result + text.substr(done);
}

}  // namespace mrproof::model
