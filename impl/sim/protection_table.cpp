#include "impl/sim/protection_table.hpp"

#include <algorithm>

#include "model/access.hpp"

namespace mrproof::impl {
namespace {

/// The index of entry 0. Not 0, so that small numbers are never keys.
constexpr std::uint32_t kFirstIndex = 0x18;
constexpr std::size_t kEntriesAtFirst = 64;
/// Odd, so that an index goes through all 256 variants before one comes again.
constexpr std::uint8_t kVariantStep = 0x25;

}  // namespace

ProtectionTable::ProtectionTable(Fault fault, const Memory& memory)
    : fault_(fault), memory_(memory) {
  clear();
}

void ProtectionTable::clear() {
  kinds_.clear();
  regions_.clear();
  windows_.clear();
  variants_.clear();
  taken_ = 0;
  grow(kEntriesAtFirst);
  last_ = kEntriesAtFirst - 1;
}

void ProtectionTable::grow(std::size_t entries) {
  kinds_.resize(entries, Kind::none);
  regions_.resize(entries);
  windows_.resize(entries);
  while (variants_.size() < entries)
    variants_.push_back(static_cast<std::uint8_t>(variants_.size() * 0x4f + 0x61));
}

/// The next free entry.
std::size_t ProtectionTable::take_entry() {
  // Half of them are free, so that indices do not come again at once.
  if (2 * taken_ >= kinds_.size()) grow(2 * kinds_.size());
  ++taken_;
  do last_ = (last_ + 1) % kinds_.size();
  while (regions_[last_].live || windows_[last_].live || is_taken(last_));
  return last_;
}

/// Whether a window of another entry has a key of this one, as a fault may let it.
bool ProtectionTable::is_taken(std::size_t entry) const {
  if (fault_ == Fault::none) return false;
  return std::any_of(windows_.begin(), windows_.end(), [&](const MemoryWindow& window) {
    return window.live && entry_of(window.key) == entry;
  });
}

std::uint32_t ProtectionTable::next_key(std::size_t entry) {
  variants_[entry] = static_cast<std::uint8_t>(variants_[entry] + kVariantStep);
  return (kFirstIndex + static_cast<std::uint32_t>(entry)) << 8U | variants_[entry];
}

std::size_t ProtectionTable::insert(const MemoryRegion& region) {
  std::uint32_t key = 0;
  if (broken(Fault::key_of_live_region) && regions_[last_].live)
    key = regions_[last_].key;
  else
    key = next_key(take_entry());
  kinds_[last_] = Kind::region;
  regions_[last_] = region;
  regions_[last_].key = key;
  regions_[last_].live = true;
  return last_;
}

std::size_t ProtectionTable::insert(const MemoryWindow& window) {
  const std::uint32_t live = regions_[last_].live ? regions_[last_].key : 0;
  const std::size_t entry = take_entry();
  const std::uint32_t fresh = next_key(entry);
  kinds_[entry] = Kind::window;
  windows_[entry] = window;
  windows_[entry].key = broken(Fault::window_key_of_region) && live != 0 ? live : fresh;
  windows_[entry].live = true;
  return entry;
}

void ProtectionTable::erase_region(std::size_t entry) {
  regions_[entry].live = false;
  --taken_;
}

std::optional<std::size_t> ProtectionTable::entry_of(std::uint32_t key) const {
  const std::uint32_t entry = (key >> 8U) - kFirstIndex;  // below kFirstIndex it is huge
  if (entry >= kinds_.size()) return std::nullopt;
  return entry;
}

std::optional<std::size_t> ProtectionTable::region_with(std::uint32_t key) const {
  const auto entry = entry_of(key);
  if (!entry || kinds_[*entry] != Kind::region) return std::nullopt;
  const MemoryRegion& region = regions_[*entry];
  if (!region.live || !region.usable || region.key != key) return std::nullopt;
  return entry;
}

std::optional<Run> ProtectionTable::translate(const MemoryAccess& asked) const {
  MemoryAccess access = asked;
  if (access.length == 0) {
    const bool remote = access.side == Side::remote;
    if (broken(Fault::zero_length_checked_as_one) && access.side == Side::local)
      access.length = 1;
    else if (!(broken(Fault::zero_length_rkey_checked) && remote))
      return Run{};
  }
  const bool windows = access.side == Side::remote || broken(Fault::window_key_as_lkey);
  const auto entry = entry_of(access.key);
  if (windows && entry && kinds_[*entry] == Kind::window) return through_window(*entry, access);

  const MemoryRegion* region = find(access.key, access.side);
  if (region == nullptr || !same_domain(*region, access) || !grants(*region, access) ||
      !contains(*region, access))
    return std::nullopt;
  Run found = run(*region, region->memory + offset(*region, access), asked.length);
  const Fault leak = access.stores ? Fault::null_mr_writes_memory : Fault::null_mr_reads_memory;
  if (region->null && broken(leak)) found = {access.start, asked.length, nullptr, false};
  if (!present(*region, access, found)) return std::nullopt;
  return found;
}

std::optional<Run> ProtectionTable::translate_unchecked(const MemoryAccess& access) const {
  const MemoryRegion* region = find(access.key, access.side);
  if (region == nullptr) return std::nullopt;
  return run(*region, region->memory + offset(*region, access), access.length);
}

const MemoryRegion* ProtectionTable::find(std::uint32_t key, Side side) const {
  const auto entry = entry_of(key);
  if (!entry || kinds_[*entry] != Kind::region) return nullptr;
  const MemoryRegion& region = regions_[*entry];
  const bool remote = side == Side::remote;
  const bool stale_works = broken(remote ? Fault::stale_rkey_accepted : Fault::stale_lkey_accepted);
  if ((!region.live || !region.usable) && !stale_works) return nullptr;
  // ibv_alloc_null_mr(3): only the lkey is valid.
  if (region.null && remote && !broken(Fault::null_mr_exposed)) return nullptr;
  const bool old_works =
      region.key != region.old_key && region.old_key == key && broken(Fault::rereg_old_key_works);
  if (region.key != key && !old_works && !broken(Fault::key_byte_ignored)) return nullptr;
  return &region;
}

/// The bytes at virtual address `memory` of the region.
Run ProtectionTable::run(const MemoryRegion& region, std::uint64_t memory,
                         std::uint64_t length) const {
  const bool pinned = !region.on_demand || broken(Fault::odp_stale_mapping);
  return {memory, length, pinned ? &region.pins : nullptr, region.hidden};
}

/// Whether the pages that an access to an ON_DEMAND region needs can be had.
bool ProtectionTable::present(const MemoryRegion& region, const MemoryAccess& access,
                              const Run& run) const {
  if (!region.on_demand) return true;
  const bool promised_huge = (region.access & model::kHugetlb) != 0;  // and no page is
  if (!access.pages || promised_huge) return false;
  if (region.hidden) return true;
  if (broken(Fault::odp_unmapped_access_succeeds) && !memory_.mapped(run.address, run.length))
    return true;
  if (!access.stores || broken(Fault::odp_read_only_page_written))
    return memory_.mapped(run.address, run.length);
  return memory_.writable(run.address, run.length);
}

bool ProtectionTable::same_domain(const MemoryRegion& region, const MemoryAccess& access) const {
  if (region.pd == access.pd) return true;
  switch (access.side) {
    case Side::local: return broken(Fault::local_pd_unchecked);
    case Side::receive: return broken(Fault::receive_pd_unchecked);
    case Side::remote: return broken(Fault::remote_pd_unchecked);
  }
  return false;
}

bool ProtectionTable::grants(const MemoryRegion& region, const MemoryAccess& access) const {
  const std::uint32_t missing = access.rights & ~region.access;
  switch (fault_) {
    case Fault::remote_write_right_unchecked: return (missing & ~model::kRemoteWrite) == 0;
    case Fault::remote_read_right_unchecked: return (missing & ~model::kRemoteRead) == 0;
    case Fault::read_local_write_unchecked: return missing == 0 || access.side == Side::local;
    case Fault::receive_local_write_unchecked: return missing == 0 || access.side == Side::receive;
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
    default: return missing == 0;
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
  if (region.null) return true;  // it has the maximum length
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
    case Fault::remote_bounds_wrap: return remote ? without_wrap_check : right;
    case Fault::local_bounds_wrap: return local ? without_wrap_check : right;
    case Fault::receive_bounds_unchecked: return right || access.side == Side::receive;
    default: return right;
  }
}

}  // namespace mrproof::impl
