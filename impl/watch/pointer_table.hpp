// What the watching library keeps of an object of the program, by the object's pointer: found
// without a lock, never moved, of a fixed size.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "impl/watch/call.hpp"

#pragma GCC visibility push(hidden)
namespace mrproof::watch {

/// At most Size entries. Who makes an object puts it in before anybody else knows its pointer, and
/// takes it out before the pointer is free for another one.
template <typename Value, std::size_t Size>
class PointerTable {
 public:
  /// Null if it is not there.
  Value* find(const void* object) {
    Entry* entry = entry_of(object);
    return entry ? &entry->value : nullptr;
  }
  /// A place for the object, of which nobody else knows before publish(); null if all are taken. An
  /// object that is there ended unseen: its place is given.
  Value* take(const void* object) {
    if (Entry* entry = entry_of(object)) return &entry->value;
    const std::size_t place = place_of(object);
    for (std::size_t i = 0; i < Size; ++i) {
      Entry& entry = entries_[(place + i) % Size];
      std::uintptr_t found = entry.object.load(std::memory_order_relaxed);
      if ((found == kNone || found == kClosed) &&
          entry.object.compare_exchange_strong(found, kTaken, std::memory_order_acquire))
        return &entry.value;
    }
    return nullptr;
  }
  void publish(Value* value, const void* object) {
    entry_at(value).object.store(word(object), std::memory_order_release);
  }
  void remove(Value* value) { entry_at(value).object.store(kClosed, std::memory_order_release); }

 private:
  /// Of none yet, of one that was removed, of one that is just being put in, or of the object.
  static constexpr std::uintptr_t kNone = 0, kClosed = 1, kTaken = 2;
  struct Entry {
    Value value;  // first: entry_at()
    std::atomic<std::uintptr_t> object;
  };
  static std::size_t place_of(const void* object) {
    return static_cast<std::size_t>(word(object) / 64 * 0x9E3779B97F4A7C15U >> 40);
  }
  static Entry& entry_at(Value* value) { return *reinterpret_cast<Entry*>(value); }
  /// By a hash of the pointer, and on from there.
  Entry* entry_of(const void* object) {
    const std::size_t place = place_of(object);
    for (std::size_t i = 0; i < Size; ++i) {
      Entry& entry = entries_[(place + i) % Size];
      const std::uintptr_t found = entry.object.load(std::memory_order_acquire);
      if (found == word(object)) return &entry;
      if (found == kNone) break;
    }
    return nullptr;
  }

  std::array<Entry, Size> entries_{};
};

}  // namespace mrproof::watch
#pragma GCC visibility pop
