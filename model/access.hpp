// Access flags of a memory region, by their values in the uverbs ABI.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mrproof::model {

/// Bits of `access` in ibv_reg_mr(3), DESCRIPTION; values of enum ib_uverbs_access_flags in
/// <rdma/ib_user_ioctl_verbs.h>. FLUSH_* are younger than rdma-core 44, so they stand here and are
/// not taken from an installed header.
enum Access : std::uint32_t {
  kLocalWrite = 1U << 0,
  kRemoteWrite = 1U << 1,
  kRemoteRead = 1U << 2,
  kRemoteAtomic = 1U << 3,
  kMwBind = 1U << 4,
  kZeroBased = 1U << 5,
  kOnDemand = 1U << 6,
  kHugetlb = 1U << 7,
  kFlushGlobal = 1U << 8,
  kFlushPersistent = 1U << 9,
  kRelaxedOrdering = 1U << 20,
};

/// Rights that let a remote QP touch the region.
inline constexpr std::uint32_t kRemoteRights =
    kRemoteWrite | kRemoteRead | kRemoteAtomic | kFlushGlobal | kFlushPersistent;

/// Bits that a provider ignores when it does not know them (IB_UVERBS_ACCESS_OPTIONAL_RANGE).
inline constexpr std::uint32_t kOptionalRange = 0x3ff00000U;

/// Flags that name a feature a device may lack.
inline constexpr std::uint32_t kFeatureFlags =
    kRemoteAtomic | kMwBind | kZeroBased | kOnDemand | kHugetlb | kFlushGlobal | kFlushPersistent;

/// Every bit that the pages or the uverbs header give a meaning.
inline constexpr std::uint32_t kDefinedAccess =
    kLocalWrite | kRemoteWrite | kRemoteRead | kFeatureFlags | kOptionalRange;

/// A flag and its name without the IBV_ACCESS_ prefix.
struct AccessName {
  std::uint32_t flag;
  std::string_view name;
};

/// Names of all single flags, in bit order.
inline constexpr std::array<AccessName, 11> kAccessNames{{
    {kLocalWrite, "LOCAL_WRITE"},
    {kRemoteWrite, "REMOTE_WRITE"},
    {kRemoteRead, "REMOTE_READ"},
    {kRemoteAtomic, "REMOTE_ATOMIC"},
    {kMwBind, "MW_BIND"},
    {kZeroBased, "ZERO_BASED"},
    {kOnDemand, "ON_DEMAND"},
    {kHugetlb, "HUGETLB"},
    {kFlushGlobal, "FLUSH_GLOBAL"},
    {kFlushPersistent, "FLUSH_PERSISTENT"},
    {kRelaxedOrdering, "RELAXED_ORDERING"},
}};

}  // namespace mrproof::model
