// The table that a device looks keys up in: which memory they name, and who may do what to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "impl/sim/faults.hpp"
#include "impl/sim/memory.hpp"

namespace mrproof::impl {

/// A registered region. Keys address [first, first + length), whose byte `first` is the one at
/// virtual address `memory`.
struct MemoryRegion {
  bool live = false;
  bool usable = true;      ///< false after a failed re-registration: may only be deregistered
  bool null = false;       ///< ibv_alloc_null_mr(3): any address; local key only
  bool dma_buf = false;    ///< ibv_reg_dmabuf_mr(3)
  bool hidden = false;     ///< its bytes are none of the program's
  bool on_demand = false;  ///< pages are looked up at each access, not pinned
  std::uint32_t pd = 0;
  std::uint32_t access = 0;
  std::uint32_t key = 0;      ///< lkey and rkey are one number, as with many drivers
  std::uint32_t old_key = 0;  ///< before the last re-registration that changed it
  std::uint64_t base = 0;     ///< what `first` is unless the region is ZERO_BASED
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  std::uint64_t memory = 0;
  Pins pins{};
  unsigned windows = 0;  ///< bound to it
};

/// What a window's key gives access to while it is bound: [first, first + length), whose byte
/// `first` is the one at virtual address `memory` of the region.
struct Binding {
  bool valid = false;
  std::uint32_t key = 0;
  std::size_t region = 0;  ///< entry
  std::uint32_t qp = 0;    ///< that it was bound through
  std::uint32_t access = 0;
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  std::uint64_t memory = 0;
};

/// How the last binding of a window ended.
enum class Ending : std::uint8_t { none, rebound, invalidated, deallocated, queue_pair_gone };

/// A memory window.
struct MemoryWindow {
  bool live = false;
  bool two = false;  ///< type 2
  std::uint32_t pd = 0;
  std::uint32_t key = 0;
  Binding bound;     ///< valid while it is bound
  Binding previous;  ///< the last binding that ended, for faults that go on serving it
  Ending ending = Ending::none;
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
  std::uint32_t pd = 0;      ///< of the QP that the access is made through
  std::uint32_t qp = 0;      ///< that QP
  std::uint32_t rights = 0;  ///< access flags that the region or window must have
  bool stores = false;       ///< whether memory is changed
  std::uint32_t key = 0;
  std::uint64_t start = 0;
  std::uint64_t length = 0;
  bool pages = true;  ///< whether pages are had for it that a region on demand does not hold
};

/// Keys are `index << 8 | variant`; regions and windows have their indices from one space. Indices
/// go round, and the variant of an index changes with every registration, so that a stale key does
/// not name a region again for a long time.
class ProtectionTable {
 public:
  /// An empty table that makes the mistake `fault`, if it is one of a table's. Pages of regions
  /// that are not pinned are looked up in `memory`, which must live as long as the table.
  ProtectionTable(Fault fault, const Memory& memory);

  /// Forgets all regions and windows and starts the sequence of keys anew.
  void clear();

  /// Makes `region` live under a fresh key. Returns its entry.
  std::size_t insert(const MemoryRegion& region);
  /// Makes `window` live, not bound, under a fresh key. Returns its entry.
  std::size_t insert(const MemoryWindow& window);
  /// Ends the region of the entry.
  void erase_region(std::size_t entry);
  /// Ends the window of the entry; unbinds it first if it is bound.
  void erase_window(std::size_t entry);

  /// The region of an entry that insert() returned.
  [[nodiscard]] MemoryRegion& region(std::size_t entry) { return regions_[entry]; }
  [[nodiscard]] const MemoryRegion& region(std::size_t entry) const { return regions_[entry]; }
  /// The window of an entry that insert() returned.
  [[nodiscard]] MemoryWindow& window(std::size_t entry) { return windows_[entry]; }
  [[nodiscard]] const MemoryWindow& window(std::size_t entry) const { return windows_[entry]; }

  /// A key of the entry that differs from the one it has.
  [[nodiscard]] std::uint32_t next_key(std::size_t entry);
  /// The bits of keys that tell entries apart.
  static constexpr std::uint32_t kIndexBits = 0xffffff00U;

  /// Gives the window a new binding and its key; a former one ends.
  void bind(std::size_t window, const Binding& binding);
  /// Ends the window's binding, if it has one. Its key stays the same.
  void unbind(std::size_t window, Ending ending);
  /// Ends the bindings of all type 2 windows that were bound through the QP.
  void unbind_all(std::uint32_t qp);

  /// Whether a type 2 window is bound through the QP.
  [[nodiscard]] bool binds(std::uint32_t qp) const;

  /// The entry of the live region with this lkey or rkey; of the live window with this rkey.
  [[nodiscard]] std::optional<std::size_t> region_with(std::uint32_t key) const;
  [[nodiscard]] std::optional<std::size_t> window_with(std::uint32_t key) const;

  /// The bytes, if the access is allowed: the key is that of a live region (ibv_dereg_mr(3)) or,
  /// at the remote end, of a bound window; of the QP's PD (C10-56, C10-76.2.1) or QP
  /// (o10-37.2.43); with the rights (C10-57, C10-77); which contains the range; and pages that are
  /// not pinned are there. For length zero nothing is checked (C9-88), and the run is empty.
  [[nodiscard]] std::optional<Run> translate(const MemoryAccess& access) const;

  /// Where the access would go if nothing but the key were checked.
  [[nodiscard]] std::optional<Run> translate_unchecked(const MemoryAccess& access) const;

 private:
  enum class Kind : std::uint8_t { none, region, window };

  [[nodiscard]] bool broken(Fault fault) const { return fault_ == fault; }
  void grow(std::size_t entries);
  std::size_t take_entry();
  [[nodiscard]] bool is_taken(std::size_t entry) const;
  [[nodiscard]] std::optional<std::size_t> entry_of(std::uint32_t key) const;

  // protection_table.cpp: regions
  [[nodiscard]] const MemoryRegion* find(std::uint32_t key, Side side) const;
  [[nodiscard]] bool same_domain(const MemoryRegion& region, const MemoryAccess& access) const;
  [[nodiscard]] bool grants(const MemoryRegion& region, const MemoryAccess& access) const;
  [[nodiscard]] std::uint64_t offset(const MemoryRegion& region, const MemoryAccess& access) const;
  [[nodiscard]] bool contains(const MemoryRegion& region, const MemoryAccess& access) const;
  [[nodiscard]] Run run(const MemoryRegion& region, std::uint64_t memory,
                        std::uint64_t length) const;
  [[nodiscard]] bool present(const MemoryRegion& region, const MemoryAccess& access,
                             const Run& run) const;

  // protection_windows.cpp: windows
  [[nodiscard]] const Binding* find_binding(const MemoryWindow& window, std::uint32_t key) const;
  [[nodiscard]] bool may_use(const MemoryWindow& window, const Binding& binding,
                             const MemoryAccess& access) const;
  [[nodiscard]] bool grants(const Binding& binding, const MemoryAccess& access) const;
  [[nodiscard]] std::optional<Run> through_window(std::size_t entry,
                                                  const MemoryAccess& access) const;

  Fault fault_;
  const Memory& memory_;
  std::size_t last_ = 0;   ///< the entry that was used last
  std::size_t taken_ = 0;  ///< how many entries have a live region or window
  std::deque<Kind> kinds_;
  std::deque<MemoryRegion> regions_;
  std::deque<MemoryWindow> windows_;
  std::vector<std::uint8_t> variants_;
};

/// Whether `length` bytes at offset `from` end within `size`. Sums of the caller's numbers are
/// avoided, since they may wrap around; before the region, `from` has done so and is huge.
constexpr bool inside(std::uint64_t from, std::uint64_t length, std::uint64_t size) {
  return length <= size && from <= size - length;
}

}  // namespace mrproof::impl
