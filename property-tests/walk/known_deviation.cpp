#include "property-tests/walk/known_deviation.hpp"

#include <algorithm>
#include <optional>

namespace mrproof::property_tests {

using namespace model;

bool covers(const std::string& known, const std::string& names) {
  const std::string all = "+" + names + "+";
  for (std::size_t from = 0; from < known.size();) {
    const std::size_t end = std::min(known.find('+', from), known.size());
    if (all.find("+" + known.substr(from, end - from) + "+") == std::string::npos) return false;
    from = end + 1;
  }
  return true;
}

std::string joined_names(const Judgement& judgement) {
  std::string names;
  for (std::size_t i = 0; i < judgement.broken_count; ++i) {
    if (i != 0) names += '+';
    names += judgement.broken.at(i)->id;
  }
  return names;
}

std::string trouble_name(const Rulebook& book, const PlainView& view) {
  const Judgement judgement = judge_trouble(book, view, Verdict::hang);
  return judgement.broken_count == 0 ? "-" : joined_names(judgement);
}

bool is_known_trouble(const std::vector<KnownDeviation>& known, const Rulebook& book,
                      const PlainView& view) {
  std::optional<std::string> name;  // the same for each that is known
  return std::any_of(known.begin(), known.end(), [&](const KnownDeviation& k) {
    if (k.kind != KnownDeviation::kTrouble) return false;
    const PlainRule* rule = book.find(k.rule);
    if (rule == nullptr || rule->verb != view.call.verb) return false;
    if (!name) name = trouble_name(book, view);
    return covers(k.broken, *name);
  });
}

}  // namespace mrproof::property_tests
