// How a simulated device behaves: its dialect, its capabilities, its fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/access.hpp"

namespace mrproof::impl {

/// Everything a simulated device can do. Type 2A windows are not among it: a device offers 2A or
/// 2B, not both (o10-37.2.31).
inline constexpr std::uint32_t kSimFeatures =
    model::kMwType1 | model::kMwType2B | model::kMemoryExtensions | model::kImplicitOnDemand |
    model::kAtomics | model::kReregTranslation | model::kReregPd | model::kReregAccess |
    model::kAdviseMr | model::kNullMr | model::kDmabufMr | model::kRegMrEx |
    model::kModifyRights | model::kInlineData;
/// What a device can claim to be able to do; the rest shows when it is asked for.
inline constexpr std::uint32_t kSimClaimable =
    model::kClaimable | model::kIwarp | model::kOnDemandMissing;
/// The feature access flags that go with them.
inline constexpr std::uint32_t kSimAccess =
    model::kRemoteAtomic | model::kMwBind | model::kZeroBased | model::kOnDemand | model::kHugetlb;

/// How a simulated device behaves.
struct SimOptions {
  /// Id of a seeded fault (see faults()); nothing for the correct device.
  std::optional<std::string> fault = std::nullopt;
  /// Feature access flags it supports; registrations with others are refused with EOPNOTSUPP.
  std::uint32_t claimed = kSimAccess;
  /// Longest message in bytes; 1 GiB is what ports report (ibv_query_port(3), max_msg_sz).
  std::uint64_t max_message = 1ULL << 30;
  /// Whose pages it follows: linux, linux-2006 or mlnx-exp.
  std::string dialect = "linux";
  /// Feature flags of what it supports; other calls are refused with EOPNOTSUPP.
  std::uint32_t features = kSimFeatures;
  /// In how many processes it claims to be used. It is always in one; with two it knows the owner
  /// of each object, and throws std::logic_error if a call names objects of both.
  std::size_t processes = 1;
  /// Whether registered memory is protected on fork, as by ibv_fork_init(3). Two codes of
  /// ibv_rereg_mr(3) are about that, and half of a third. To show all of them, the device also
  /// undoes protection that it has not made: a library that counts its pages gives
  /// IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW only if memory goes away during the call.
  bool fork_protection = false;
};

/// Devices that can do more or less, or are used otherwise, by name; the first can do everything.
const std::vector<std::pair<std::string_view, SimOptions>>& capability_sets();

}  // namespace mrproof::impl
