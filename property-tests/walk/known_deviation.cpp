#include "property-tests/walk/known_deviation.hpp"

#include <algorithm>
#include <optional>

namespace mrproof::property_tests {

using namespace model;

namespace {

DeviationName name_of(Verb verb, const Judgement& trouble) {
  BrokenConditions broken(trouble.broken);
  if (broken.empty()) broken = std::string_view("-");
  return {rule_id(verb, Outcome::none), DeviationClass::none, std::move(broken)};
}

}  // namespace

DeviationName trouble_name(const Rulebook& book, const PlainView& view) {
  return name_of(view.call.verb, judge_trouble(book, view, Verdict::hang));
}

DeviationName trouble_name(const Oracle& oracle, const Step& step) {
  const Judgement trouble = oracle.trouble_with(step);
  return name_of(trouble.other ? trouble.other->first : step.call.verb, trouble);
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
