#include "specs/explore/packed_state.hpp"

#include <gmock/gmock.h>

#include <set>

#include "model/testing/test_files.hpp"
#include "model/trace/pattern.hpp"
#include "specs/explore/explorer.hpp"
#include "specs/symbolic/fields.hpp"

namespace mrproof::specs {
namespace {

using namespace model;

Scope everything(bool symmetry) {
  Scope scope = load_scope(model::testing::tree_file("specs/explore/scopes/everything.scope"));
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

/// Some fields, and why no rule asks about them.
struct Unasked {
  const char* fields;
  const char* why;
};

constexpr std::array kNeverAsked{
    Unasked{"mr[0-9]\\.(rkey|old_lkey|old_rkey)|mr[12]\\.lkey|mw[0-9]\\.(rkey|old_rkey)",
            "the slot says which keys an object has (the receives below name mr0 by its key)"},
    Unasked{"buf[0-9]\\.(first|last)|can\\..*|defined", "the same in all states of a scope"},
};

/// What is not asked about while other fields are off.
struct Variant {
  const char* off;
  Unasked unasked;
};

constexpr std::array kVariants{
    Variant{"none", {"none", "all is there"}},
    Variant{"mr0\\.live", {"mr0\\.([^l]|l[^i]).*", "a free slot"}},
    Variant{"mr[0-9]\\.unmapped", {"mr[0-9]\\.unmapped_.*", "all pages are there"}},
    Variant{"mw[0-9]\\.live", {"mw[0-9]\\.([^l]|l[^i]).*", "a free slot"}},
    Variant{"mw[0-9]\\.bound",
            {"mw[0-9]\\.(region|qp|access|first|last|memory)", "a window that gives no access"}},
    Variant{"mw[0-9]\\.two", {"mw[0-9]\\.qp", "a window of type 1 is bound for all queue pairs"}},
    Variant{"qp[0-9]\\.live", {"qp[0-9]\\.([^l]|l[^i]).*|mr0\\.lkey", "a free slot"}},
    Variant{"qp[0-9]\\.posted", {"qp[0-9]\\.(two|element.*)|mr0\\.lkey", "no receive"}},
    Variant{"qp[0-9]\\.two", {"qp[0-9]\\.element1.*", "no second element"}},
    Variant{"buf[0-9]\\.hole", {"buf[0-9]\\.(read_only|hole_.*)", "no hole"}},
};

/// A state in which everything is live, bound, posted and holed, and no two objects are alike.
WorldState full_state(WorldState state) {
  std::uint32_t number = 0;
  specs::state_fields(
      [&](const std::string& path, auto& to) {
        using Field = std::remove_reference_t<decltype(to)>;
        static const std::string on(".*\\.(live|unmapped|bound|two|posted|hole)");
        static const std::string given("buf[0-9]\\.(first|last)|can\\..*|defined|demonstrated_.*");
        if constexpr (std::is_same_v<Field, Bit>)
          to = Bit(model::matches(path, on));
        else if (path.ends_with("key"))
          to = kStaleKey;
        else if (!model::matches(path, given))
          to = ++number;
      },
      state);
  for (std::size_t i = 0; i < state.regions.size(); ++i) state.regions[i].lkey = region_key(i);
  for (std::uint32_t i = 0; i < state.windows.size(); ++i) state.windows[i].region = i;
  for (auto& qp : state.qps)
    for (auto& element : qp.elements) element.lkey = region_key(0);
  return state;
}

/// The state with all fields changed whose paths match.
WorldState changed(WorldState state, const std::string& which) {
  specs::state_fields(
      [&](const std::string& path, auto& to) {
        if (!model::matches(path, which)) return;
        if constexpr (std::is_same_v<std::remove_reference_t<decltype(to)>, Bit>)
          to = !to;
        else if (path.find("element") != path.npos && path.ends_with("lkey"))
          to = to + (region_key(1) - region_key(0));
        else if (path == "demonstrated_access")  // other flags need no proof, and are not kept
          to = to + (kFeatureFlags & -kFeatureFlags);
        else
          to = to + 1U;
      },
      state);
  return state;
}

class PackedFields : public ::testing::TestWithParam<bool> {
 public:
  /// Whether the rules are thought to ask about the field.
  static bool is_asked(const std::string& path, const Variant& variant) {
    const auto is_one_of = [&](const Unasked& u) { return model::matches(path, u.fields); };
    return !is_one_of(variant.unasked) &&
           std::none_of(kNeverAsked.begin(), kNeverAsked.end(), is_one_of);
  }
};

TEST_P(PackedFields, AllCountThatRulesAskAbout) {
  const Scope scope = everything(GetParam());
  const RuleMasks masks(scope.dialect);
  StateCodec codec(scope, masks.defined_access());
  const WorldState full = full_state(codec.initial());
  std::vector<std::string> paths;
  specs::state_fields([&](const std::string& path, auto&) { paths.push_back(path); }, full);
  EXPECT_GT(paths.size(), 100U);
  for (const Variant& variant : kVariants) {
    const WorldState state = changed(full, variant.off);
    const PackedState packed = codec.pack(state);
    for (const auto& path : paths) {
      const auto other = codec.pack(changed(state, path));
      EXPECT_EQ(other != packed, is_asked(path, variant))
          << path << " where off is " << variant.off << ": " << variant.unasked.why;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(WithSymmetryOrNot, PackedFields, ::testing::Bool());

}  // namespace
}  // namespace mrproof::specs
