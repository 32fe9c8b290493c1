#include "conformance/citations.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "specs/clauses.hpp"

namespace mrproof {

using specs::Clause;
using specs::Gap;

namespace {

bool speaks_for(const Clause& clause, std::string_view dialect) {
  return std::find(clause.dialects.begin(), clause.dialects.end(), dialect) !=
         clause.dialects.end();
}

/// The clause, or what says the same on a page of the dialect, or nullptr.
const Clause* edition(const Clause& clause, std::string_view dialect) {
  if (speaks_for(clause, dialect)) return &clause;
  for (const Clause& other : specs::clauses())
    if (other.same_as == clause.id && speaks_for(other, dialect)) return &other;
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

std::string cite(std::string_view clauses, std::string_view dialect) {
  Pages spoken, others;
  std::vector<std::string> open;
  for (const auto id : specs::words(clauses)) {
    const Clause* clause = specs::find_clause(id);
    const Clause* own = clause == nullptr ? nullptr : edition(*clause, dialect);
    if (own != nullptr) spoken.add(*own);
    if (clause != nullptr) others.add(*clause);
    if (const Gap* gap = specs::find_gap(id)) open.push_back(gap_citation(*gap));
  }
  auto parts = spoken.citations();
  if (parts.empty() && open.empty()) parts = others.citations();
  parts.insert(parts.end(), open.begin(), open.end());
  std::string text;
  for (const auto& part : parts) (text += text.empty() ? "" : "; ") += part;
  return text;
}

}  // namespace mrproof
