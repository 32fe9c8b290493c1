// What a port says that its device can do; the attributes are made up here.
#include "impl/verbs/port.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "model/access.hpp"

namespace mrproof::impl {
namespace {

constexpr unsigned kEverything = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
                                 IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ |
                                 IBV_ODP_SUPPORT_ATOMIC;

std::uint32_t features(unsigned general, unsigned connected) {
  Port port;
  port.device.odp_caps.general_caps = general;
  port.device.odp_caps.per_transport_caps.rc_odp_caps = connected;
  return port.features();
}

TEST(Port, TellsWhatIsNotClaimedOnDemand) {
  EXPECT_EQ(features(IBV_ODP_SUPPORT, kEverything), 0U);
  EXPECT_EQ(features(IBV_ODP_SUPPORT, 0), model::kOnDemandMissing);
  EXPECT_EQ(features(0, 0), 0U) << "without on-demand paging there is nothing to claim";
  for (const auto& [operation, missing] :
       {std::pair{IBV_ODP_SUPPORT_SEND, model::kOnDemandNoSend},
        std::pair{IBV_ODP_SUPPORT_RECV, model::kOnDemandNoReceive},
        std::pair{IBV_ODP_SUPPORT_WRITE, model::kOnDemandNoWrite},
        std::pair{IBV_ODP_SUPPORT_READ, model::kOnDemandNoRead},
        std::pair{IBV_ODP_SUPPORT_ATOMIC, model::kOnDemandNoAtomic}})
    EXPECT_EQ(features(IBV_ODP_SUPPORT, kEverything & ~unsigned(operation)), missing);
}

TEST(Port, TellsEachFeature) {
  Port port;
  port.device.orig_attr.device_cap_flags = IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_MGT_EXTENSIONS;
  port.device.odp_caps.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT;
  port.device.odp_caps.per_transport_caps.rc_odp_caps = kEverything;
  EXPECT_EQ(port.features(), model::kMwType1 | model::kMemoryExtensions | model::kImplicitOnDemand);
  EXPECT_EQ(port.claimed(), model::kMwBind | model::kOnDemand);
  port.device.orig_attr.atomic_cap = IBV_ATOMIC_HCA;
  port.device.orig_attr.device_cap_flags = IBV_DEVICE_MEM_WINDOW_TYPE_2B;
  EXPECT_EQ(port.features(), model::kMwType2B | model::kImplicitOnDemand | model::kAtomics);
  EXPECT_EQ(port.claimed(), model::kMwBind | model::kOnDemand | model::kRemoteAtomic);
}

}  // namespace
}  // namespace mrproof::impl
