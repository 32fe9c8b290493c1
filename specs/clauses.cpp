#include "specs/clauses.hpp"

#include <algorithm>
#include <cctype>

namespace mrproof::specs {
namespace {

template <class T>
const T* find(std::span<const T> all, std::string_view id) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const T& one) { return one.id == id; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const Clause* find_clause(std::string_view id) { return find(clauses(), id); }

const Gap* find_gap(std::string_view id) { return find(gaps(), id); }

bool names_rule(std::string_view pattern, std::string_view rule) {
  if (!pattern.starts_with("*.")) return pattern == rule;
  const auto dot = rule.find('.');
  return dot != rule.npos && rule.substr(dot) == pattern.substr(1);
}

bool speaks_for(const Clause& clause, std::string_view dialect) {
  return std::find(clause.dialects.begin(), clause.dialects.end(), dialect) !=
         clause.dialects.end();
}

std::string_view place(const Clause& clause) {
  const auto dot = clause.id.find('.');
  const auto after = dot == clause.id.npos ? dot : dot + 1;
  const bool slug = after < clause.id.size() && std::isalpha(clause.id[after]) != 0;
  return slug ? clause.section : clause.id;
}

std::vector<std::string_view> words(std::string_view list) {
  std::vector<std::string_view> all;
  while (!list.empty()) {
    const auto end = std::min(list.find(' '), list.size());
    if (end > 0) all.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return all;
}

}  // namespace mrproof::specs
