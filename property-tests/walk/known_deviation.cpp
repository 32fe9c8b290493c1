#include "property-tests/walk/known_deviation.hpp"

#include <algorithm>
#include <optional>

namespace mrproof::property_tests {

using namespace model;

DeviationName trouble_name(const Rulebook& book, const PlainView& view) {
  const Judgement judgement = judge_trouble(book, view, Verdict::hang);
  BrokenConditions broken(judgement.broken);
  if (broken.empty()) broken = std::string_view("-");
  return {rule_id(view.call.verb, Outcome::none), DeviationClass::none, std::move(broken)};
}

DeviationName known_trouble(const DeviationName& trouble) {
  return {trouble.verb() + ".ok", DeviationClass::none, trouble.broken};
}

bool is_known_trouble(const std::vector<DeviationName>& known, const Rulebook& book,
                      const PlainView& view) {
  std::optional<DeviationName> name;  // the same for each that is known
  return std::any_of(known.begin(), known.end(), [&](const DeviationName& k) {
    if (!is_trouble(k)) return false;
    const PlainRule* rule = book.find(k.rule);
    if (rule == nullptr || rule->verb != view.call.verb) return false;
    if (!name) name = trouble_name(book, view);
    return name->broken.contains_all(k.broken);
  });
}

}  // namespace mrproof::property_tests
