#include "specs/explore/invariants.hpp"

#include "specs/theorems/invariants.hpp"

namespace mrproof::specs {

namespace {

/// Takes facts for their truth alone: nothing is named, nothing is kept.
class Truth {
 public:
  struct NoName {
    friend constexpr NoName operator+(NoName name, auto&& /*more*/) { return name; }
  };
  static constexpr NoName named(const char* /*what*/, std::size_t /*index*/) { return {}; }
  void add(NoName /*of*/, model::Bit holds) { holds_ = holds_ & holds; }
  [[nodiscard]] bool holds() const { return holds_.truth(); }

 private:
  model::Bit holds_{true};
};

}  // namespace

bool invariants_hold(const WorldState& state) {
  Truth truth;
  for (const auto& invariant : specs::invariants<World, Truth>()) invariant.facts(state, truth);
  return truth.holds();
}

std::string broken_invariants(const WorldState& state) {
  std::string text;
  for (const auto& invariant : specs::invariants<World>()) {
    Facts<World> facts;
    invariant.facts(state, facts);
    for (const auto& fact : facts.all()) {
      if (fact.holds.truth()) continue;
      if (!text.empty()) text += "; ";
      text += std::string(invariant.name) + ": " + fact.of;
    }
  }
  return text;
}

}  // namespace mrproof::specs
