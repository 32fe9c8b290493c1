// Which rules made the objects of a case what they are: where a surprise may have its origin.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <span>
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
  /// A few slots: of more than a call can name, the first ones.
  class SlotSet {
   public:
    void add(std::uint32_t slot);
    [[nodiscard]] std::span<const std::uint32_t> slots() const {
      return std::span(slots_).first(count_);
    }

   private:
    std::array<std::uint32_t, 16> slots_{};
    std::size_t count_ = 0;
  };
  struct Objects;
  static Objects met(const PlainView& view);
  static Taken& grown(std::vector<Taken>& objects, std::uint32_t slot);

  std::vector<Taken> pds_, regions_, windows_, qps_;
};

}  // namespace mrproof::model
