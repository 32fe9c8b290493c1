#include "model/judge/deviation_name.hpp"

#include <algorithm>
#include <cctype>

namespace mrproof::model {

namespace {

std::vector<std::string> split(std::string_view text, char between) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(between, from), text.size());
    parts.emplace_back(text.substr(from, end - from));
    from = end + 1;
  }
  return parts;
}

}  // namespace

BrokenConditions::BrokenConditions(std::string_view text) {
  if (!text.empty()) ids_ = split(text, '+');
}

BrokenConditions::BrokenConditions(std::span<const PlainCondition* const> conditions) {
  for (const PlainCondition* condition : conditions) ids_.emplace_back(condition->id);
}

std::string BrokenConditions::text() const {
  std::string text;
  for (const std::string& id : ids_) {
    if (&id != &ids_.front()) text += '+';
    text += id;
  }
  return text;
}

bool BrokenConditions::contains(std::string_view id) const {
  return std::find(ids_.begin(), ids_.end(), id) != ids_.end();
}

bool BrokenConditions::contains_all(const BrokenConditions& others) const {
  return std::all_of(
      others.ids_.begin(), others.ids_.end(), [&](const auto& id) { return contains(id); });
}

std::string DeviationName::verb() const { return rule.substr(0, rule.find('.')); }
std::string DeviationName::outcome() const { return rule.substr(rule.find('.') + 1); }

std::string rule_id(Verb verb, Outcome outcome) {
  std::string id(kVerbNames.at(static_cast<std::size_t>(verb)));
  id += '.';
  for (const char c : kOutcomeNames.at(static_cast<std::size_t>(outcome)))
    id += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return id;
}

std::string_view name_of(DeviationClass kind) {
  return kClassNames.at(static_cast<std::size_t>(kind));
}

std::optional<DeviationClass> parse_class(std::string_view name) {
  const auto* found = std::find(kClassNames.begin(), kClassNames.end(), name);
  if (found == kClassNames.end()) return std::nullopt;
  return static_cast<DeviationClass>(found - kClassNames.begin());
}

std::string print_name(const DeviationName& name, char between) {
  std::string text = name.rule;
  text += between;
  text += name_of(name.kind);
  text += between;
  return text += name.broken.text();
}

std::optional<std::array<std::string, 3>> split_name(std::string_view text) {
  auto parts = split(text, '/');
  if (parts.size() != 3) return std::nullopt;
  return std::array{std::move(parts[0]), std::move(parts[1]), std::move(parts[2])};
}

std::optional<DeviationName> parse_name(std::string_view text) {
  auto parts = split_name(text);
  if (!parts) return std::nullopt;
  auto& [rule, kind, broken] = *parts;
  const auto known = parse_class(kind);
  if (!known) return std::nullopt;
  return DeviationName{std::move(rule), *known, std::string_view(broken)};
}

}  // namespace mrproof::model
