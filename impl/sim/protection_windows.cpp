// The part of the protection table that is about memory windows.
#include <algorithm>

#include "impl/sim/protection_table.hpp"
#include "model/access.hpp"

namespace mrproof::impl {

void ProtectionTable::erase_window(std::size_t entry) {
  unbind(entry, Ending::deallocated);
  MemoryWindow& window = windows_[entry];
  window.live = false;
  --taken_;
  // The next key of the entry must not be the one that ends here.
  variants_[entry] = static_cast<std::uint8_t>(window.key);
}

void ProtectionTable::bind(std::size_t entry, const Binding& binding) {
  unbind(entry, Ending::rebound);
  MemoryWindow& window = windows_[entry];
  window.key = binding.key;
  window.bound = binding;
  ++regions_[binding.region].windows;
}

void ProtectionTable::unbind(std::size_t entry, Ending ending) {
  MemoryWindow& window = windows_[entry];
  if (!window.bound.valid) return;
  const bool leaked = broken(Fault::dealloc_mw_keeps_region_busy) && ending == Ending::deallocated;
  if (!leaked) --regions_[window.bound.region].windows;
  window.previous = window.bound;
  window.bound.valid = false;
  window.ending = ending;
}

void ProtectionTable::unbind_all(std::uint32_t qp) {
  for (std::size_t entry = 0; entry < windows_.size(); ++entry) {
    const MemoryWindow& window = windows_[entry];
    if (window.live && window.two && window.bound.valid && window.bound.qp == qp)
      unbind(entry, Ending::queue_pair_gone);
  }
}

bool ProtectionTable::binds(std::uint32_t qp) const {
  return std::any_of(windows_.begin(), windows_.end(), [qp](const MemoryWindow& window) {
    return window.live && window.two && window.bound.valid && window.bound.qp == qp;
  });
}

std::optional<std::size_t> ProtectionTable::window_with(std::uint32_t key) const {
  const auto entry = entry_of(key);
  if (!entry || kinds_[*entry] != Kind::window) return std::nullopt;
  const MemoryWindow& window = windows_[*entry];
  if (!window.live || window.key != key) return std::nullopt;
  return entry;
}

/// The binding that the key stands for; nullptr if it gives access to nothing.
const Binding* ProtectionTable::find_binding(const MemoryWindow& window, std::uint32_t key) const {
  const bool matches = window.bound.key == key || broken(Fault::window_key_byte_ignored);
  if (window.live && window.bound.valid && matches) return &window.bound;
  const bool old_key = window.previous.valid && window.previous.key == key;
  const bool served = (broken(Fault::rebound_window_key_works) && window.live) ||
                      (broken(Fault::invalidated_window_key_works) &&
                       window.ending == Ending::invalidated && window.live) ||
                      (broken(Fault::deallocated_window_key_works) && !window.live);
  return old_key && served ? &window.previous : nullptr;
}

/// Whether the QP of the access may use the window.
bool ProtectionTable::may_use(const MemoryWindow& window, const Binding& binding,
                              const MemoryAccess& access) const {
  if (window.pd != access.pd && !broken(Fault::window_pd_unchecked)) return false;
  return !window.two || binding.qp == access.qp || broken(Fault::window_qp_unchecked);
}

bool ProtectionTable::grants(const Binding& binding, const MemoryAccess& access) const {
  std::uint32_t granted = binding.access;
  switch (fault_) {
    case Fault::window_write_right_unchecked: granted |= model::kRemoteWrite; break;
    case Fault::window_read_right_unchecked: granted |= model::kRemoteRead; break;
    case Fault::window_rights_of_region: granted = regions_[binding.region].access; break;
    case Fault::window_key_as_lkey:
      if (access.side != Side::remote) granted = access.rights;
      break;
    default: break;
  }
  return (access.rights & ~granted) == 0;
}

std::optional<Run> ProtectionTable::through_window(std::size_t entry,
                                                   const MemoryAccess& access) const {
  const MemoryWindow& window = windows_[entry];
  const Binding* binding = find_binding(window, access.key);
  if (binding == nullptr) return std::nullopt;
  const MemoryRegion& region = regions_[binding->region];
  if (!region.usable || !may_use(window, *binding, access) || !grants(*binding, access))
    return std::nullopt;
  const std::uint64_t from = access.start - binding->first;
  const std::uint64_t memory = binding->memory + from;
  const bool fits = broken(Fault::window_bounds_unchecked)
                        ? inside(memory - region.memory, access.length, region.length)
                        : inside(from, access.length, binding->length);
  const bool one_beyond = broken(Fault::window_end_off_by_one) &&
                          inside(from, access.length, binding->length + 1) &&
                          inside(memory - region.memory, access.length, region.length);
  if (!fits && !one_beyond) return std::nullopt;
  const Run found = run(region, memory, access.length);
  if (!present(region, access, found)) return std::nullopt;
  return found;
}

}  // namespace mrproof::impl
