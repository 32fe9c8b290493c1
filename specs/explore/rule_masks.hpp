// The rules of a dialect as the explorer asks them: each condition of a verb once, and which bits
// of the answers each rule wants. They are the templates of model/, in the explorer's domain.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/rule.hpp"
#include "specs/explore/tracked_domain.hpp"

namespace mrproof::specs {

/// The domain that the explorer asks rules in.
using RuleDomain = TrackedDomain;
using RuleView = model::View<RuleDomain>;
using RuleCondition = model::Condition<RuleDomain>;
using RuleRow = model::Rule<RuleDomain>;

/// A rule: bits of the verb's conditions that it wants true, and false.
struct MaskedRule {
  const RuleRow* rule = nullptr;
  std::string id;  ///< "verb.name"
  std::uint64_t required = 0, required_true = 0;
  std::uint64_t reason_true = 0, reason_false = 0;
  bool has_reasons = false;

  /// Whether its situation allows the rule, given the answers.
  [[nodiscard]] bool open(std::uint64_t answers) const {
    return (answers & required) == required_true &&
           (!has_reasons || ((answers & reason_true) | (~answers & reason_false)) != 0);
  }
};

/// The rules of a verb; only what decides about a result: what else is seen with it can always be
/// seen by fresh keys, the right errno and true states.
struct MaskedVerb {
  std::vector<const RuleCondition*> preconditions, conditions;
  std::vector<MaskedRule> rules;
};

/// All verbs of a dialect.
class RuleMasks {
 public:
  /// Without rules that prove nothing (Weight::inconclusive). `dialect` must exist.
  explicit RuleMasks(std::string_view dialect);
  [[nodiscard]] const MaskedVerb& of(model::Verb verb) const {
    return verbs_[static_cast<std::size_t>(verb)];
  }
  /// Puts another condition in the place of that of the same id: to see that a model that is wrong
  /// is found out. Whether there was one.
  bool replace(const RuleCondition& condition);
  /// Takes the rule of that id away, to the same end. Whether there was one.
  bool drop(std::string_view id);
  /// The access flags that the dialect gives a meaning.
  [[nodiscard]] std::uint32_t defined_access() const { return defined_; }

 private:
  void add(const model::VerbRules<RuleDomain>& rules);
  std::vector<MaskedVerb> verbs_;
  std::uint32_t defined_ = 0;
};

}  // namespace mrproof::specs
