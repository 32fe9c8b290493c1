// Which known deviations a proposed call would meet again: asked of each call that a walk proposes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "property-tests/walk/known_deviation.hpp"

namespace mrproof::property_tests {

/// Known deviations by the verb of their rule, each beside the conditions that its name consists
/// of. Almost no call meets one, and of those that do not, the first condition mostly says so: no
/// name is put together unless all of them are as named.
class KnownDeviationIndex {
 public:
  /// Takes in what `known` has behind what was taken in before. It may only have grown.
  void take(const std::vector<model::DeviationName>& known, const model::Rulebook& book);
  /// The first of `known`, all of which were taken in, that the call of the view would meet again;
  /// null if none.
  [[nodiscard]] const model::DeviationName* met(const std::vector<model::DeviationName>& known,
                                                const model::Rulebook& book,
                                                const model::PlainView& view) const;

 private:
  enum class Kind : std::uint8_t { trouble, accepted, refused };
  /// One that a rule of the verb has.
  struct Entry {
    std::size_t index;  ///< in the list
    Kind kind;
    const model::PlainRule* rule;
    /// The conditions of its name, each as it is where the deviation is met.
    std::vector<model::Term<model::Plain>> named;
  };
  static std::optional<std::vector<model::Term<model::Plain>>> named_by(
      const model::DeviationName& known, const model::PlainRule& rule, const model::Rulebook& book);
  static bool meets(const model::DeviationName& known, const Entry& entry,
                    const model::Rulebook& book, const model::PlainView& view);

  std::size_t taken_ = 0;
  std::array<std::vector<Entry>, model::kVerbs> of_verb_;
};

}  // namespace mrproof::property_tests
