// Objects in slots, as many as are named.
#pragma once

#include <cstddef>
#include <deque>

namespace mrproof::impl {

/// Values by slot; one that was never named is T{}. References stay good while others are named.
template <class T>
class Slots {
 public:
  T& at(std::size_t slot) {
    if (slot >= values_.size()) values_.resize(slot + 1);
    return values_[slot];
  }
  [[nodiscard]] const T& at(std::size_t slot) const {
    static const T kNothing{};
    return slot < values_.size() ? values_[slot] : kNothing;
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  void clear() { values_.clear(); }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }

 private:
  std::deque<T> values_;
};

}  // namespace mrproof::impl
