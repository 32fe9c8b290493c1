// Registration in the simulated device: ibv_reg_mr(3), ibv_alloc_null_mr(3), and shared regions as
// the vendor's experimental verbs have them.
#include <cerrno>

#include "impl/sim/sim_checks.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof::impl {
namespace {

using model::Plain;
using model::Verb;

/// What addr and length are together with ON_DEMAND for all of the address space.
constexpr std::uint64_t kWholeSpace = ~std::uint64_t{0};
/// The dma-buf that reg_dmabuf_mr registers ranges of.
constexpr std::uint64_t kDmaBufSize = 2 * model::kPageSize;
/// ibv_reg_mr(3): "only the following flags are supported".
constexpr std::uint32_t kDmaBufAccess = model::kLocalWrite | model::kRemoteWrite |
                                        model::kRemoteRead | model::kRemoteAtomic |
                                        model::kRelaxedOrdering;

/// Whether the last of so many bytes, at least one, has an address below the first.
constexpr bool wraps(std::uint64_t first, std::uint64_t length) {
  return length - 1 > ~std::uint64_t{0} - first;
}

constexpr bool same_page_offset(std::uint64_t a, std::uint64_t b) {
  return a % model::kPageSize == b % model::kPageSize;
}

}  // namespace

SimDevice::Handle& SimDevice::free_region(std::uint32_t slot) {
  Handle& handle = regions_.at(slot);
  require(!handle.live, "simulated device: registration into a slot that is taken");
  return handle;
}

MemoryRegion& SimDevice::region_in(std::uint32_t slot) {
  const Handle& handle = regions_.at(slot);
  require(handle.live, "simulated device: no memory region in this slot");
  return table_.region(handle.entry);
}

void SimDevice::give_region(Handle& handle, const MemoryRegion& region, Result& result) {
  handle = {true, table_.insert(region)};
  ++pds_.at(region.pd).users;
  const std::uint32_t key = table_.region(handle.entry).key;
  result.lkey = Plain::key(key);
  // ibv_alloc_null_mr(3): only the lkey is valid.
  result.rkey = Plain::key(region.null && !broken(Fault::null_mr_exposed) ? 0 : key);
}

int SimDevice::access_refusal(std::uint32_t access) const {
  std::uint32_t defined = model::kDefinedAccess;
  if (dialect_ == Dialect::linux_2006) defined = model::kDefinedAccess2006;
  if (experimental()) defined = model::kDefinedAccessExperimental;
  // IB_UVERBS_ACCESS_OPTIONAL_RANGE: who does not know such a bit ignores it.
  const std::uint32_t ignored = defined & model::kOptionalRange;
  const std::uint32_t mandatory = access & ~ignored;
  if (mandatory != access && broken(Fault::optional_flag_refused)) return EINVAL;
  const bool undefined = (mandatory & ~defined) != 0;
  if (undefined && !broken(Fault::undefined_flag_accepted)) return EINVAL;
  if ((mandatory & model::kFeatureFlags & ~options_.claimed) != 0) return EOPNOTSUPP;
  // ibv_reg_mr(3): with either of them LOCAL_WRITE must be set, too.
  std::uint32_t demanding = model::kRemoteWrite | model::kRemoteAtomic;
  if (broken(Fault::remote_write_alone_accepted)) demanding = model::kRemoteAtomic;
  if (broken(Fault::remote_atomic_alone_accepted)) demanding = model::kRemoteWrite;
  if ((mandatory & demanding) != 0 && (mandatory & model::kLocalWrite) == 0) return EINVAL;
  return 0;
}

int SimDevice::registration_refusal(const Registration& wanted) const {
  if (const int error = access_refusal(wanted.access)) return error;
  const bool on_demand = (wanted.access & model::kOnDemand) != 0;
  const bool implicit = on_demand && wanted.address == 0 && wanted.length == kWholeSpace;
  if (implicit && broken(Fault::implicit_on_demand_refused)) return EINVAL;
  if (implicit && !offers(model::kImplicitOnDemand)) return EOPNOTSUPP;
  // ibv_reg_mr(3): applicable with ON_DEMAND in explicit mode only.
  const bool huge = (wanted.access & model::kHugetlb) != 0;
  if (huge && (!on_demand || implicit) && !broken(Fault::hugetlb_alone_accepted)) return EINVAL;
  if (wanted.allocate) return wanted.length == 0 ? EINVAL : 0;
  if (const int error = range_refusal(wanted)) return error;
  return on_demand ? 0 : memory_refusal(wanted);
}

int SimDevice::range_refusal(const Registration& wanted) const {
  if (wanted.length == 0) return EINVAL;
  if (wraps(wanted.address, wanted.length)) return EINVAL;
  // Offsets from the region's start are what ZERO_BASED asks for, whatever the iova.
  const std::uint64_t iova = (wanted.access & model::kZeroBased) != 0 ? 0 : wanted.iova;
  if (wraps(iova, wanted.length) && !broken(Fault::iova_wrap_accepted)) return EINVAL;
  // Pages are translated as a whole; 0 is no address but asks for offsets.
  if (iova != 0 && !same_page_offset(iova, wanted.address)) return EINVAL;
  if (broken(Fault::unaligned_range_refused) && wanted.address % model::kPageSize != 0)
    return EINVAL;
  return 0;
}

int SimDevice::memory_refusal(const Registration& wanted) const {
  if (broken(Fault::unmapped_range_accepted)) return 0;
  const std::uint64_t last = wanted.address + wanted.length - 1;
  const bool ends_mapped = memory_.mapped(wanted.address, 1) && memory_.mapped(last, 1) &&
                           wanted.length <= buffer_bytes_from(wanted.address);
  if (!memory_.mapped(wanted.address, wanted.length) &&
      !(ends_mapped && broken(Fault::hole_in_range_accepted)))
    return EFAULT;
  const bool writes = (wanted.access & model::kLocalWrite) != 0;
  const bool writable = memory_.writable(wanted.address, wanted.length);
  if (writes && !writable && !broken(Fault::read_only_memory_accepted) &&
      !broken(Fault::hole_in_range_accepted))
    return EFAULT;
  return 0;
}

MemoryRegion SimDevice::region_of(const Registration& wanted) const {
  MemoryRegion region;
  region.pd = wanted.pd;
  region.access = wanted.access;
  region.length = wanted.length;
  region.memory = wanted.address;
  region.base = broken(Fault::iova_ignored) ? wanted.address : wanted.iova;
  if (wanted.iova == 0 && broken(Fault::iova_zero_not_zero_based)) region.base = wanted.address;
  if (wanted.iova != wanted.address && broken(Fault::iova_page_offset_lost))
    region.memory -= wanted.address % model::kPageSize;
  const bool zero_based =
      (wanted.access & model::kZeroBased) != 0 && !broken(Fault::zero_based_ignored);
  region.first = zero_based ? 0 : region.base;
  region.hidden = wanted.allocate;
  region.on_demand = (wanted.access & model::kOnDemand) != 0;
  if (!region.hidden) region.pins = memory_.pin(wanted.address, wanted.length);
  return region;
}

void SimDevice::reg_mr(const Call& call, Result& result) {
  Handle& handle = free_region(call.mr);
  domain(call.pd);
  if (call.verb == Verb::reg_mr_ex && !offers(model::kRegMrEx)) return refused(result, EOPNOTSUPP);

  Registration wanted;
  wanted.pd = call.pd;
  wanted.access = bits(call.access);
  wanted.address = call.address.value();
  wanted.length = call.length.value();
  wanted.iova = call.verb == Verb::reg_mr ? wanted.address : call.iova.value();
  wanted.allocate = experimental() && (wanted.access & model::kAllocateMr) != 0;
  if (broken(Fault::registration_length_truncated) && wanted.length != kWholeSpace)
    wanted.length = static_cast<std::uint32_t>(wanted.length);
  if (call.verb == Verb::reg_mr_ex && broken(Fault::reg_mr_ex_access_lost)) wanted.access = 0;
  const int error = registration_refusal(wanted);
  if (error != 0 && broken(Fault::refused_registration_pins)) leave(model::Held::pinned);
  if (error != 0) return refused(result, broken(Fault::reg_mr_without_errno) ? 0 : error);
  give_region(handle, region_of(wanted), result);
}

int SimDevice::dmabuf_refusal(const Call& call) const {
  const std::uint32_t access = bits(call.access);
  const std::uint64_t offset = call.address.value();
  const std::uint64_t length = call.length.value();
  if (!offers(model::kDmabufMr)) return EOPNOTSUPP;
  const std::uint32_t more = broken(Fault::dmabuf_flags_unchecked) ? model::kMwBind : 0U;
  if ((access & ~(kDmaBufAccess | more)) != 0) return EINVAL;
  if (const int error = access_refusal(access)) return error;
  if (length == 0) return EINVAL;
  if (!inside(offset, length, kDmaBufSize) && !broken(Fault::dmabuf_range_unchecked)) return EINVAL;
  if (wraps(call.iova.value(), length)) return EINVAL;
  // ibv_reg_mr(3): iova "must have the same page offset as offset"; no exception for 0.
  const bool agree = same_page_offset(call.iova.value(), offset);
  return agree || broken(Fault::dmabuf_page_offset_unchecked) ? 0 : EINVAL;
}

void SimDevice::reg_dmabuf_mr(const Call& call, Result& result) {
  Handle& handle = free_region(call.mr);
  domain(call.pd);
  if (const int error = dmabuf_refusal(call)) return refused(result, error);
  MemoryRegion region;
  region.pd = call.pd;
  region.access = bits(call.access);
  region.length = call.length.value();
  region.base = region.first = call.iova.value();
  region.dma_buf = true;
  region.hidden = true;
  give_region(handle, region, result);
}

void SimDevice::alloc_null_mr(const Call& call, Result& result) {
  Handle& handle = free_region(call.mr);
  domain(call.pd);
  if (!offers(model::kNullMr)) return refused(result, EOPNOTSUPP);
  MemoryRegion region;
  region.pd = call.pd;
  region.access = model::kLocalWrite;
  if (broken(Fault::null_mr_exposed)) region.access |= model::kRemoteWrite | model::kRemoteRead;
  region.length = kWholeSpace;
  region.null = true;
  region.hidden = true;
  give_region(handle, region, result);
}

void SimDevice::reg_shared_mr(const Call& call, Result& result) {
  Handle& handle = free_region(call.mr);
  domain(call.pd);
  if (!experimental()) return refused(result, EOPNOTSUPP);
  const MemoryRegion& source = region_in(call.source);
  if (!source.usable || (source.access & model::kShared) == 0) return refused(result, EINVAL);
  if (source.on_demand) return refused(result, EINVAL);
  const std::uint32_t access = bits(call.access);
  if (const int error = access_refusal(access)) return refused(result, error);
  // What the memory is was settled when the source was registered; addresses are the memory's.
  MemoryRegion region = source;
  region.pd = call.pd;
  region.access = access;
  region.on_demand = (access & model::kOnDemand) != 0;
  region.base = region.memory;
  region.first = (access & model::kZeroBased) != 0 ? 0 : region.base;
  region.windows = 0;
  region.old_key = 0;
  give_region(handle, region, result);
}

void SimDevice::dereg_mr(const Call& call, Result& result) {
  Handle& handle = regions_.at(call.mr);
  const MemoryRegion& region = region_in(call.mr);
  if (broken(Fault::dereg_mr_minus_one)) return refused(result, -1);
  if (!region.usable && broken(Fault::rereg_failure_blocks_dereg)) return refused(result, EINVAL);
  // ibv_dereg_mr(3), NOTES: fails if any memory window is still bound.
  if (region.windows != 0 && !broken(Fault::dereg_with_bound_window)) return refused(result, EBUSY);
  if (in_flight_.empty() || !broken(Fault::dereg_leaves_flight)) table_.erase_region(handle.entry);
  --pds_.at(region.pd).users;
  handle.live = false;
}

}  // namespace mrproof::impl
