#include "model/trace/setup.hpp"

#include <gtest/gtest.h>

#include "model/trace/layout.hpp"

namespace mrproof::model {
namespace {

TEST(InitialState, HoldsWhatIsGivenAndNothingElse) {
  using Given = mrproof::model::Setup;  // gtest has a Setup of its own
  const Given setup{{Given::kAbsent, Given::kAbsent, 0, 3}, {true, false, false, true}};
  const auto state = initial_state(setup, {Plain::flags(5), Plain::address(77)});
  for (std::size_t i = 0; i < Plain::kPds; ++i)
    EXPECT_EQ(state.pds.at(i).live.truth(), setup.pd.at(i));
  for (std::size_t i = 0; i < Plain::kQps; ++i) {
    EXPECT_EQ(state.qps.at(i).live.truth(), i >= 2);
    EXPECT_FALSE(state.qps.at(i).posted.truth());
  }
  EXPECT_EQ(state.qps.at(3).pd.value(), 3U);
  EXPECT_EQ(state.qps.at(3).state.value(), static_cast<std::uint64_t>(QpState::rts));
  for (const auto& region : state.regions) EXPECT_FALSE(region.live.truth());
  for (std::size_t i = 0; i < kBufferCount; ++i) {
    EXPECT_EQ(state.buffers.at(i).first.value(), buffer_address(i));
    EXPECT_EQ(state.buffers.at(i).last.value(), buffer_address(i) + buffer_size(i) - 1);
  }
  EXPECT_EQ(state.can.claimed.value(), 5U);
  EXPECT_EQ(state.can.max_message.value(), 77U);
  EXPECT_EQ(state.demonstrated_access.value(), 0U);
}

TEST(InitialState, PeersAreEachOthers) {
  for (std::uint32_t qp = 0; qp < Plain::kQps; ++qp) {
    EXPECT_NE(model::peer_of(qp), qp);
    EXPECT_EQ(model::peer_of(model::peer_of(qp)), qp);
  }
}

}  // namespace
}  // namespace mrproof::model
