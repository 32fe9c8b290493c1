#include "specs/citations.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace mrproof::specs {

namespace {

/// The clause, or what says the same on a page of the dialect, or nullptr.
const Clause* edition(const Clause& clause, std::string_view dialect) {
  if (specs::speaks_for(clause, dialect)) return &clause;
  for (const Clause& other : specs::clauses())
    if (other.same_as == clause.id && specs::speaks_for(other, dialect)) return &other;
  return nullptr;
}

/// Pages in the order they are named, each with the places on it.
class Pages {
 public:
  void add(const Clause& clause) {
    const auto page = std::find_if(pages_.begin(), pages_.end(),
                                   [&](const auto& one) { return one.first == clause.page; });
    auto& places =
        page == pages_.end() ? pages_.emplace_back(clause.page, Places{}).second : page->second;
    const auto place = specs::place(clause);
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  [[nodiscard]] std::vector<std::string> citations() const {
    std::vector<std::string> all;
    for (const auto& [page, places] : pages_) {
      std::string text(page);
      for (const auto place : places) (text += ", ") += place;
      all.push_back(text);
    }
    return all;
  }

 private:
  using Places = std::vector<std::string_view>;
  std::vector<std::pair<std::string_view, Places>> pages_;
};

std::string gap_citation(const Gap& gap) {
  auto text = gap.text;
  if (text.ends_with('.')) text.remove_suffix(1);
  return "gap: " + std::string(text);
}

}  // namespace

std::vector<const Clause*> cited(std::string_view clauses, std::string_view dialect) {
  std::vector<const Clause*> spoken, all;
  for (const auto id : specs::words(clauses)) {
    const Clause* clause = specs::find_clause(id);
    if (clause == nullptr) continue;
    all.push_back(clause);
    if (const Clause* own = edition(*clause, dialect)) spoken.push_back(own);
  }
  return spoken.empty() && gaps_of(clauses).empty() ? all : spoken;
}

std::vector<const Gap*> gaps_of(std::string_view clauses) {
  std::vector<const Gap*> all;
  for (const auto id : specs::words(clauses))
    if (const Gap* gap = specs::find_gap(id)) all.push_back(gap);
  return all;
}

std::string clauses_of_rule(std::string_view rule) {
  std::string ids;
  const auto add = [&](const auto& all) {
    for (const auto& one : all)
      if (std::any_of(one.rules.begin(), one.rules.end(),
                      [&](auto pattern) { return specs::names_rule(pattern, rule); }))
        (ids += one.id) += ' ';
  };
  add(specs::clauses());
  add(specs::gaps());
  return ids;
}

std::string citation(const Clause& clause) {
  return std::string(clause.page) + ", " + std::string(specs::place(clause));
}

std::string cite(std::string_view clauses, std::string_view dialect) {
  Pages pages;
  for (const Clause* clause : cited(clauses, dialect)) pages.add(*clause);
  auto parts = pages.citations();
  for (const Gap* gap : gaps_of(clauses)) parts.push_back(gap_citation(*gap));
  std::string text;
  for (const auto& part : parts) (text += text.empty() ? "" : "; ") += part;
  return text;
}

}  // namespace mrproof::specs
