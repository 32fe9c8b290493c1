#include "conformance/explore/packed_state.hpp"

#include <gmock/gmock.h>

#include <deque>
#include <map>
#include <set>

#include "conformance/explore/explorer.hpp"
#include "conformance/oracle/synthesize.hpp"
#include "conformance/trace/key_value.hpp"
#include "model/judge.hpp"

namespace mrproof {
namespace {

using namespace model;

// Small enough to be explored without any reduction; it has all that reductions are about: posted
// receives, windows of both types, failed queue pairs, holes in memory, flags shown on the way.
const std::string kEverything = R"(# mrproof scope v1
given capabilities(MW_BIND, 1073741824, MW_TYPE_1|MW_TYPE_2B|MEM_MGT_EXTENSIONS)
given pd0
given qp0(pd0) <-> qp1(pd0)
regions 2
windows 2
mr* = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|REMOTE_WRITE|MW_BIND)
dereg_mr(mr*)
mw* = alloc_mw(pd0, TYPE_1)
mw* = alloc_mw(pd0, TYPE_2)
dealloc_mw(mw*)
bind_mw(qp0, mw*, mr*, {buf0+0, 64; buf0-1, 64}, REMOTE_WRITE)
post_bind_mw(qp0, mw*, {mw*.rkey^0x1; 0x7a7a00}, mr*, buf0+0, 64, REMOTE_WRITE)
local_inv(qp0, mw*.rkey)
post_recv(qp1, mr*.lkey, buf0+0, 64)
send(qp0, mr*.lkey, buf0+128, 8)
protect(buf0+0, 4096, {NONE; WRITE})
connect(qp0)
)";

Scope everything(bool symmetry) {
  Scope scope = parse_scope(kEverything, "everything");
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
