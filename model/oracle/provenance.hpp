// Which rules made the objects of a case what they are: where a surprise may have its origin.
#pragma once

#include <array>
#include <bitset>
#include <string>
#include <vector>

#include "model/judge/rulebook.hpp"

namespace mrproof::model {

/// Remembers for each object of the state the rules that were taken with it since it was made. A
/// deviation is often seen long after the call that the device got wrong: a key that was to end
/// still works, a region that was to change is what it was.
class Provenance {
 public:
  /// One object that a call meets, and its rules, in the order of the catalogue.
  struct Origin {
    std::string object;  ///< as traces name it: "mr3"
    std::vector<const PlainRule*> rules;
  };

  /// Notes that the rule was taken; the view shows the state before it.
  void note(const Rulebook& book, const PlainRule& rule, const PlainView& view);
  /// The objects that the call names, by slot or by key, now or before; those with rules only.
  [[nodiscard]] std::vector<Origin> of(const Rulebook& book, const PlainView& view) const;

 private:
  static constexpr std::size_t kMostRules = 512;
  using Taken = std::bitset<kMostRules>;
  struct Objects;
  static Objects met(const PlainView& view);

  std::array<Taken, Plain::kPds> pds_{};
  std::array<Taken, Plain::kRegions> regions_{};
  std::array<Taken, Plain::kWindows> windows_{};
  std::array<Taken, Plain::kQps> qps_{};
};

}  // namespace mrproof::model
