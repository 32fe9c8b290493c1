#include "conformance/explore/packed_state.hpp"

#include <gmock/gmock.h>

#include <set>

#include "conformance/explore/explorer.hpp"

namespace mrproof {
namespace {

using namespace model;

Scope everything(bool symmetry) {
  Scope scope = load_scope(std::string(MRPROOF_SCOPES) + "/everything.scope");
  scope.symmetry = symmetry;
  return scope;
}

std::set<std::pair<std::uint64_t, std::uint64_t>> states_of(const Scope& scope,
                                                            StateCodec* other = nullptr) {
  const RuleMasks masks(scope.dialect);
  Explorer explorer(scope, masks);
  EXPECT_EQ(explorer.run({}).end, ExploreEnd::complete);
  std::set<std::pair<std::uint64_t, std::uint64_t>> states;
  explorer.each_state([&](PackedState state) {
    if (other != nullptr) state = other->pack(explorer.codec().unpack(state));
    states.insert({state.low, state.high});
  });
  return states;
}

TEST(PackedState, UnpacksWhatWasPacked) {
  const Scope scope = everything(false);
  const RuleMasks masks(scope.dialect);
  Explorer explorer(scope, masks);
  explorer.run({});
  std::size_t states = 0;
  explorer.each_state([&](PackedState state) {
    EXPECT_EQ(explorer.codec().pack(explorer.codec().unpack(state)), state);
    ++states;
  });
  EXPECT_GT(states, 1000U);
}

TEST(PackedState, SymmetryMakesOneOfStatesThatDifferInSlotsOnly) {
  const RuleMasks masks("linux");
  const Scope symmetric = everything(true);
  StateCodec codec(symmetric, masks.defined_access());
  const auto folded = states_of(everything(false), &codec).size();
  EXPECT_EQ(folded, states_of(symmetric).size());
  EXPECT_LT(folded, states_of(everything(false)).size());
}

}  // namespace
}  // namespace mrproof
