#include "property-tests/series/covering_array.hpp"

#include <set>

namespace mrproof::property_tests {

namespace {

/// Calls visit(row) for each way to complete the triple; stops where it says so.
template <class Visit>
void each_completion(const std::vector<ArrayParameter>& parameters, const ArrayTriple& triple,
                     Visit&& visit) {
  ArrayRow row(parameters.size());
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < row.size(); ++i) free.push_back(i);
  for (std::size_t i = 0; i < 3; ++i) {
    row[triple.parameters[i]] = triple.values[i];
    std::erase(free, triple.parameters[i]);
  }
  for (bool more = true; more;) {
    if (!visit(row)) return;
    more = false;
    for (const auto place : free) {
      if (++row[place] < parameters[place].values.size()) {
        more = true;
        break;
      }
      row[place] = 0;
    }
  }
}

/// Which triples are still in no row: a bit for each, in the order of all_triples().
class Uncovered {
 public:
  explicit Uncovered(const std::vector<ArrayParameter>& parameters)
      : parameters_(parameters), triples_(all_triples(parameters)), left_(triples_.size()) {
    const auto size = parameters.size();
    begins_.resize(size * size * size);
    for (std::size_t i = triples_.size(); i-- > 0;) {
      const auto& [a, b, c] = triples_[i].parameters;
      begins_[(a * size + b) * size + c] = i;
    }
  }
  [[nodiscard]] const std::vector<ArrayTriple>& triples() const { return triples_; }
  [[nodiscard]] bool is_left(std::size_t place) const { return left_[place]; }
  void add(std::size_t place) { left_[place] = true; }
  void add_all() { left_.assign(left_.size(), true); }
  [[nodiscard]] std::size_t count_in(const ArrayRow& row) const {
    std::size_t count = 0;
    each_triple(row, [&](std::size_t place) { count += left_[place] ? 1 : 0; });
    return count;
  }
  void cover(const ArrayRow& row) {
    each_triple(row, [&](std::size_t place) { left_[place] = false; });
  }

 private:
  template <class Visit>
  void each_triple(const ArrayRow& row, Visit&& visit) const {
    const auto size = row.size();
    for (std::size_t a = 0; a < size; ++a)
      for (auto b = a + 1; b < size; ++b)
        for (auto c = b + 1; c < size; ++c)
          visit(begins_[(a * size + b) * size + c] +
                (row[a] * parameters_[b].values.size() + row[b]) * parameters_[c].values.size() +
                row[c]);
  }
  const std::vector<ArrayParameter>& parameters_;
  std::vector<ArrayTriple> triples_;
  std::vector<bool> left_;
  std::vector<std::size_t> begins_;  ///< of three parameters: the place of their first triple
};

}  // namespace

bool ArrayTriple::in(const ArrayRow& row) const {
  return row[parameters[0]] == values[0] && row[parameters[1]] == values[1] &&
         row[parameters[2]] == values[2];
}

std::vector<ArrayTriple> all_triples(const std::vector<ArrayParameter>& parameters) {
  std::vector<ArrayTriple> all;
  const auto size = static_cast<std::uint32_t>(parameters.size());
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (std::uint32_t i = 0; i < parameters[a].values.size(); ++i)
      for (std::uint32_t j = 0; j < parameters[b].values.size(); ++j)
        for (std::uint32_t k = 0; k < parameters[c].values.size(); ++k)
          all.push_back({{a, b, c}, {i, j, k}});
  };
  for (std::uint32_t a = 0; a < size; ++a)
    for (auto b = static_cast<std::uint32_t>(a + 1); b < size; ++b)
      for (auto c = static_cast<std::uint32_t>(b + 1); c < size; ++c) add(a, b, c);
  return all;
}

CoveringArray make_covering_array(const std::vector<ArrayParameter>& parameters,
                                  const ArrayConstraint& constraint) {
  CoveringArray array;
  Uncovered uncovered(parameters);
  for (std::size_t i = 0; i < uncovered.triples().size(); ++i) {
    std::string why;
    bool possible = false;
    each_completion(parameters, uncovered.triples()[i], [&](const ArrayRow& row) {
      const char* broken = constraint(row);
      possible = broken == nullptr;
      if (!possible && why.empty()) why = broken;
      return !possible;
    });
    if (possible)
      uncovered.add(i);
    else
      array.impossible.emplace_back(uncovered.triples()[i], why);
  }
  for (std::size_t i = 0; i < uncovered.triples().size(); ++i) {
    if (!uncovered.is_left(i)) continue;
    ArrayRow best;
    std::size_t most = 0;
    each_completion(parameters, uncovered.triples()[i], [&](const ArrayRow& row) {
      const auto count = uncovered.count_in(row);
      if (count > most && constraint(row) == nullptr) {
        most = count;
        best = row;
      }
      return true;
    });
    uncovered.cover(best);
    array.rows.push_back(std::move(best));
  }
  return array;
}

std::vector<ArrayTriple> uncovered_triples(const std::vector<ArrayParameter>& parameters,
                                           const CoveringArray& made) {
  Uncovered uncovered(parameters);
  uncovered.add_all();
  for (const ArrayRow& row : made.rows) uncovered.cover(row);
  std::set<ArrayTriple> impossible;
  for (const auto& [triple, why] : made.impossible) impossible.insert(triple);
  std::vector<ArrayTriple> left;
  for (std::size_t i = 0; i < uncovered.triples().size(); ++i)
    if (uncovered.is_left(i) && !impossible.contains(uncovered.triples()[i]))
      left.push_back(uncovered.triples()[i]);
  return left;
}

}  // namespace mrproof::property_tests
