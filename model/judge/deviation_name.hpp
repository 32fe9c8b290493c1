// The name of a deviation, as a value: reports, lists of known deviations and searches tell one
// deviation from another by it. Its text is made and read here only.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/judge/judge.hpp"

namespace mrproof::model {

/// The conditions that a deviation names, in the judge's order. Ids, not conditions: a trace may be
/// of another version of the rules, and name what this one does not have.
class BrokenConditions {
 public:
  /// None: nothing is named, as where nothing deviates.
  BrokenConditions() = default;
  /// Reads text(): "remote_in_bounds+through_window". "-" stands where trouble has a name and no
  /// condition.
  BrokenConditions(std::string_view text);
  explicit BrokenConditions(std::span<const PlainCondition* const> conditions);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::span<const std::string> ids() const { return ids_; }
  [[nodiscard]] bool empty() const { return ids_.empty(); }
  /// Whether it is "-".
  [[nodiscard]] bool is_dash() const { return ids_.size() == 1 && ids_.front() == "-"; }
  [[nodiscard]] bool contains(std::string_view id) const;
  /// Whether all of the others are among these: what is known to make trouble makes it whatever
  /// else is wrong. "-" contains "-" only.
  [[nodiscard]] bool contains_all(const BrokenConditions& others) const;
  /// Takes out those of which `is_wanted(id)` is false.
  void keep_if(const auto& is_wanted) {
    std::erase_if(ids_, [&](const std::string& id) { return !is_wanted(id); });
  }
  friend bool operator==(const BrokenConditions&, const BrokenConditions&) = default;

 private:
  std::vector<std::string> ids_;
};

/// The name of a deviation; of trouble (a call that hangs, kills, or is complained of), which has
/// no class.
struct DeviationName {
  std::string rule;  ///< id; VERB.OUTCOME if no rule has that outcome
  DeviationClass kind = DeviationClass::none;
  BrokenConditions broken;

  /// The two parts of the rule's id, which may be of a verb that nobody knows.
  [[nodiscard]] std::string verb() const;
  [[nodiscard]] std::string outcome() const;
  friend bool operator==(const DeviationName&, const DeviationName&) = default;
};

/// The id that a rule for the verb's outcome has, or would have: "send.rem_op_err".
std::string rule_id(Verb verb, Outcome outcome);

/// "accepted".
std::string_view name_of(DeviationClass kind);
/// The class of that name.
std::optional<DeviationClass> parse_class(std::string_view name);

/// "reg_mr.ok/accepted/memory_mapped", or with blanks, as traces have it.
std::string print_name(const DeviationName& name, char between = '/');
/// Rule, class and conditions of such a text, each as it stands there; they may be patterns.
std::optional<std::array<std::string, 3>> split_name(std::string_view text);
/// Reads print_name().
std::optional<DeviationName> parse_name(std::string_view text);

}  // namespace mrproof::model
