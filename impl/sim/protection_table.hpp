// The table that a device looks keys up in: which memory they name, and who may do what to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "impl/sim/faults.hpp"

namespace mrproof::impl {

/// A registered region. Keys address [first, first + length), whose byte `first` is the one at
/// virtual address `memory`; the two differ for ZERO_BASED regions only.
struct MemoryRegion {
  bool live = false;
  std::uint8_t pd = 0;
  std::uint32_t access = 0;
  std::uint32_t key = 0;  ///< lkey and rkey are one number, as with many drivers
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  std::uint64_t memory = 0;
};

/// Whose key is looked up.
enum class Side : std::uint8_t {
  local,    ///< the scatter/gather element of the work request
  receive,  ///< that of a posted receive
  remote,   ///< the rkey of an RDMA operation
};

/// An access that a work request asks for.
struct MemoryAccess {
  Side side = Side::local;
  std::uint8_t pd = 0;       ///< of the QP that the access is made through
  std::uint32_t rights = 0;  ///< access flags that the region must have
  std::uint32_t key = 0;
  std::uint64_t start = 0;
  std::uint64_t length = 0;
};

/// Keys are `index << 8 | variant`. Indices go round, and the variant of an index changes with
/// every registration, so that a stale key does not name a region again for a long time.
class ProtectionTable {
 public:
  /// More than live regions there can be at once (insert()'s precondition).
  static constexpr std::size_t kEntries = 64;

  /// An empty table that makes the mistake `fault`, if it is one of a table's.
  explicit ProtectionTable(Fault fault);

  /// Forgets all regions and starts the sequence of keys anew.
  void clear();

  /// Makes `region` live under a fresh key. Returns its entry. Precondition: an entry is free.
  std::size_t insert(const MemoryRegion& region);

  /// Ends the region of the entry.
  void erase(std::size_t entry);

  /// The region of an entry that insert() returned.
  [[nodiscard]] const MemoryRegion& region(std::size_t entry) const { return regions_[entry]; }

  /// The virtual address of the first byte, if the access is allowed: the key is that of a live
  /// region (ibv_dereg_mr(3)), of the QP's PD (C10-56), with the rights (C10-57), which contains
  /// the range. For length zero nothing is checked (C9-88), and the address means nothing.
  [[nodiscard]] std::optional<std::uint64_t> translate(const MemoryAccess& access) const;

  /// Where the access would go if nothing but the key were checked.
  [[nodiscard]] std::optional<std::uint64_t> translate_unchecked(const MemoryAccess& access) const;

 private:
  [[nodiscard]] bool broken(Fault fault) const { return fault_ == fault; }
  [[nodiscard]] const MemoryRegion* find(std::uint32_t key, Side side) const;
  [[nodiscard]] bool same_domain(const MemoryRegion& region, const MemoryAccess& access) const;
  [[nodiscard]] bool grants(const MemoryRegion& region, const MemoryAccess& access) const;
  [[nodiscard]] std::uint64_t offset(const MemoryRegion& region, const MemoryAccess& access) const;
  [[nodiscard]] bool contains(const MemoryRegion& region, const MemoryAccess& access) const;

  Fault fault_;
  std::size_t last_ = 0;  ///< the entry that was used last
  std::array<MemoryRegion, kEntries> regions_{};
  std::array<std::uint8_t, kEntries> variants_{};
};

}  // namespace mrproof::impl
