#include "impl/sim/protection_table.hpp"

#include "model/access.hpp"

namespace mrproof::impl {
namespace {

/// The index of entry 0. Not 0, so that small numbers are never keys.
constexpr std::uint32_t kFirstIndex = 0x18;
/// Odd, so that an index goes through all 256 variants before one comes again.
constexpr std::uint8_t kVariantStep = 0x25;

/// Whether `length` bytes at offset `from` end within `size`. Sums of the caller's numbers are
/// avoided, since they may wrap around; before the region, `from` has done so and is huge.
constexpr bool inside(std::uint64_t from, std::uint64_t length, std::uint64_t size) {
  return length <= size && from <= size - length;
}

}  // namespace

ProtectionTable::ProtectionTable(Fault fault) : fault_(fault) { clear(); }

void ProtectionTable::clear() {
  regions_.fill(MemoryRegion{});
  for (std::size_t entry = 0; entry < kEntries; ++entry)
    variants_[entry] = static_cast<std::uint8_t>(entry * 0x4f + 0x61);
  last_ = kEntries - 1;
}

std::size_t ProtectionTable::insert(const MemoryRegion& region) {
  std::uint32_t key = 0;
  if (broken(Fault::key_of_live_region) && regions_[last_].live) {
    key = regions_[last_].key;
  } else {
    do last_ = (last_ + 1) % kEntries;
    while (regions_[last_].live);
    variants_[last_] = static_cast<std::uint8_t>(variants_[last_] + kVariantStep);
    key = (kFirstIndex + static_cast<std::uint32_t>(last_)) << 8U | variants_[last_];
  }
  regions_[last_] = region;
  regions_[last_].key = key;
  regions_[last_].live = true;
  return last_;
}

void ProtectionTable::erase(std::size_t entry) { regions_[entry].live = false; }

std::optional<std::uint64_t> ProtectionTable::translate(const MemoryAccess& asked) const {
  MemoryAccess access = asked;
  if (access.length == 0) {
    const bool remote = access.side == Side::remote;
    if (broken(Fault::zero_length_checked_as_one) && access.side == Side::local)
      access.length = 1;
    else if (!(broken(Fault::zero_length_rkey_checked) && remote))
      return 0;
  }
  const MemoryRegion* region = find(access.key, access.side);
  if (region == nullptr || !same_domain(*region, access) || !grants(*region, access) ||
      !contains(*region, access))
    return std::nullopt;
  return region->memory + offset(*region, access);
}

std::optional<std::uint64_t> ProtectionTable::translate_unchecked(
    const MemoryAccess& access) const {
  const MemoryRegion* region = find(access.key, access.side);
  if (region == nullptr) return std::nullopt;
  return region->memory + offset(*region, access);
}

const MemoryRegion* ProtectionTable::find(std::uint32_t key, Side side) const {
  const std::uint32_t entry = (key >> 8U) - kFirstIndex;  // below kFirstIndex it is huge
  if (entry >= kEntries) return nullptr;
  const MemoryRegion& region = regions_[entry];
  const bool remote = side == Side::remote;
  const bool stale_works = broken(remote ? Fault::stale_rkey_accepted : Fault::stale_lkey_accepted);
  if (!region.live && !stale_works) return nullptr;
  if (region.key != key && !broken(Fault::key_byte_ignored)) return nullptr;
  return &region;
}

bool ProtectionTable::same_domain(const MemoryRegion& region, const MemoryAccess& access) const {
  if (region.pd == access.pd) return true;
  switch (access.side) {
    case Side::local:
      return broken(Fault::local_pd_unchecked);
    case Side::receive:
      return broken(Fault::receive_pd_unchecked);
    case Side::remote:
      return broken(Fault::remote_pd_unchecked);
  }
  return false;
}

bool ProtectionTable::grants(const MemoryRegion& region, const MemoryAccess& access) const {
  const std::uint32_t missing = access.rights & ~region.access;
  switch (fault_) {
    case Fault::remote_write_right_unchecked:
      return (missing & ~model::kRemoteWrite) == 0;
    case Fault::remote_read_right_unchecked:
      return (missing & ~model::kRemoteRead) == 0;
    case Fault::read_local_write_unchecked:
      return missing == 0 || access.side == Side::local;
    case Fault::receive_local_write_unchecked:
      return missing == 0 || access.side == Side::receive;
    case Fault::any_remote_right_suffices:
      return missing == 0 ||
             (access.side == Side::remote && (region.access & model::kRemoteRights) != 0);
    case Fault::remote_read_implies_write:
      return missing == 0 ||
             (missing == model::kRemoteWrite && (region.access & model::kRemoteRead) != 0);
    case Fault::local_write_implies_remote_write:
      return missing == 0 ||
             (missing == model::kRemoteWrite && (region.access & model::kLocalWrite) != 0);
    case Fault::read_sink_needs_remote_write:
      return missing == 0 && (access.side != Side::local || access.rights == 0 ||
                              (region.access & model::kRemoteWrite) != 0);
    default:
      return missing == 0;
  }
}

std::uint64_t ProtectionTable::offset(const MemoryRegion& region,
                                      const MemoryAccess& access) const {
  const std::uint64_t whole = access.start - region.first;
  const bool remote = access.side == Side::remote;
  if (broken(remote ? Fault::remote_offset_truncated : Fault::local_offset_truncated))
    return static_cast<std::uint32_t>(whole);
  return whole;
}

bool ProtectionTable::contains(const MemoryRegion& region, const MemoryAccess& access) const {
  const std::uint64_t from = offset(region, access);
  const std::uint64_t length = access.length;
  const bool remote = access.side == Side::remote;
  const bool local = access.side == Side::local;
  const bool right = inside(from, length, region.length);
  const bool without_wrap_check =
      access.start >= region.first && access.start + length <= region.first + region.length;
  switch (fault_) {
    case Fault::remote_end_off_by_one:
      return right || (remote && inside(from, length, region.length + 1));
    case Fault::local_end_off_by_one:
      return right || (local && inside(from, length, region.length + 1));
    case Fault::remote_start_off_by_one:
      return right || (remote && inside(from + 1, length, region.length + 1));
    case Fault::local_start_off_by_one:
      return right || (local && inside(from + 1, length, region.length + 1));
    case Fault::remote_last_byte_refused:
      return right && !(remote && from + length == region.length);
    case Fault::remote_bounds_wrap:
      return remote ? without_wrap_check : right;
    case Fault::local_bounds_wrap:
      return local ? without_wrap_check : right;
    case Fault::receive_bounds_unchecked:
      return right || access.side == Side::receive;
    default:
      return right;
  }
}

}  // namespace mrproof::impl
