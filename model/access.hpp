// Access flags of a memory region, by their values in the uverbs ABI.
#pragma once

#include <cstdint>

namespace mrproof::model {

/// Bits of `access` in ibv_reg_mr(3), DESCRIPTION; values of enum ib_uverbs_access_flags in
/// <rdma/ib_user_ioctl_verbs.h>, of which FLUSH_* are younger than rdma-core 44.
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
  // The vendor's experimental verbs (dialect mlnx-exp), as bits that nothing else uses.
  kAllocateMr = 1U << 16,  ///< the library allocates the memory, contiguous if it can
  kShared = 1U << 17,      ///< others may register the same memory (ibv_exp_reg_shared_mr)
  kPeerMemory = 1U << 18,  ///< the memory is that of a peer device
  kRelaxedOrdering = 1U << 20,
};

/// Operations that a queue pair accepts from its peer (qp_access_flags of ibv_modify_qp(3)), those
/// of one that is connected.
inline constexpr std::uint32_t kPairRights = kRemoteWrite | kRemoteRead | kRemoteAtomic;
/// Stands in Result::rights beside what was told.
inline constexpr std::uint32_t kRightsTold = 1U << 31U;
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
/// What the older page (dialect linux-2006) defines.
inline constexpr std::uint32_t kDefinedAccess2006 =
    kLocalWrite | kRemoteWrite | kRemoteRead | kRemoteAtomic | kMwBind | kOnDemand;
/// What the experimental verbs define.
inline constexpr std::uint32_t kDefinedAccessExperimental =
    kDefinedAccess | kAllocateMr | kShared | kPeerMemory;

/// Optional features besides access flags. The first six, kClaimable, a device can claim
/// (device_cap_flags of ibv_query_device(3), general_odp_caps of ibv_query_device_ex(3)); of the
/// others it is known only after a success that they are there.
enum Feature : std::uint32_t {
  kMwType1 = 1U << 0,           ///< IBV_DEVICE_MEM_WINDOW
  kMwType2A = 1U << 1,          ///< IBV_DEVICE_MEM_WINDOW_TYPE_2A
  kMwType2B = 1U << 2,          ///< IBV_DEVICE_MEM_WINDOW_TYPE_2B
  kMemoryExtensions = 1U << 3,  ///< IBV_DEVICE_MEM_MGT_EXTENSIONS: local_inv, send_with_inv
  kImplicitOnDemand = 1U << 4,  ///< IBV_ODP_SUPPORT_IMPLICIT
  kAtomics = 1U << 5,           ///< atomic_cap
  kReregTranslation = 1U << 6,
  kReregPd = 1U << 7,
  kReregAccess = 1U << 8,
  kAdviseMr = 1U << 9,
  kNullMr = 1U << 10,
  kDmabufMr = 1U << 11,
  kRegMrEx = 1U << 12,
  kIwarp = 1U << 13,  ///< not a feature that may be missing: queue pairs are connected over iWARP
  // What a device that pages on demand does not claim for it (rc_odp_caps of
  // ibv_query_device_ex(3)). Told as what is missing, so that a trace that says nothing means all.
  kOnDemandNoSend = 1U << 14,
  kOnDemandNoReceive = 1U << 15,
  kOnDemandNoWrite = 1U << 16,
  kOnDemandNoRead = 1U << 17,
  kOnDemandNoAtomic = 1U << 18,
  /// Not of the device: no packet between its queue pairs is lost or late. An emulated guest whose
  /// time is the count of its instructions is such a place.
  kLossless = 1U << 19,
  kModifyRights = 1U << 20,  ///< rights of a queue pair change while it is connected
  kInlineData = 1U << 21,    ///< requests take kInlineBytes bytes along
};
/// What a device can claim.
inline constexpr std::uint32_t kClaimable =
    kMwType1 | kMwType2A | kMwType2B | kMemoryExtensions | kImplicitOnDemand | kAtomics;
/// Every operation that may be missing on demand.
inline constexpr std::uint32_t kOnDemandMissing =
    kOnDemandNoSend | kOnDemandNoReceive | kOnDemandNoWrite | kOnDemandNoRead | kOnDemandNoAtomic;

}  // namespace mrproof::model
