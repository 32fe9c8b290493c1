// Interner: the values that one object of a state takes during exploration, numbered in the order
// in which they are met. A state is stored as the numbers of its objects' forms, which is exact.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace mrproof::specs {

/// More forms of one kind of object than numbers for them.
class TooManyValues : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A form as words, for comparison; objects of the model have padding.
template <std::size_t N>
using FormWords = std::array<std::uint64_t, N>;

/// A product of two words.
__extension__ using WideWord = unsigned __int128;

/// Mixes words into a number whose bits all depend on all of theirs.
inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const auto product =
      static_cast<WideWord>(a ^ 0x9e3779b97f4a7c15ULL) * (b ^ 0xd1b54a32d192ed03ULL);
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

/// Numbers the forms of one kind of object, from 0. Looking up needs no lock.
template <class Object, std::size_t N>
class Interner {
 public:
  using Number = std::uint16_t;
  /// At most so many forms, a power of two. Of more, `too_many` is what is said behind the number.
  Interner(std::size_t most, std::string file, const char* too_many)
      : most_(most),
        file_(std::move(file)),
        too_many_(too_many),
        mask_(2 * most - 1),
        words_(new FormWords<N>[most]),
        objects_(new Object[most]),
        table_(new std::atomic<std::uint32_t>[2 * most]()) {}

  /// The number of the form; `object` is kept if it is new. Throws TooManyValues.
  Number number_of(const FormWords<N>& words, const Object& object) {
    std::uint64_t hash = words[0];
    for (std::size_t i = 1; i < N; ++i) hash = mix(hash, words[i]);
    auto at = mix(hash, N) & mask_;
    while (true) {
      const auto entry = table_[at].load(std::memory_order_acquire);
      if (entry == 0) return enter(words, object, at);
      if (words_[entry - 1] == words) return static_cast<Number>(entry - 1);
      at = (at + 1) & mask_;
    }
  }
  [[nodiscard]] const Object& object(Number number) const { return objects_[number]; }
  [[nodiscard]] std::size_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  Number enter(const FormWords<N>& words, const Object& object, std::size_t at) {
    const std::scoped_lock lock(mutex_);
    while (const auto entry = table_[at].load(std::memory_order_relaxed)) {
      if (words_[entry - 1] == words) return static_cast<Number>(entry - 1);
      at = (at + 1) & mask_;
    }
    const auto number = count_.load(std::memory_order_relaxed);
    if (number == most_)
      throw TooManyValues(file_ + ": more than " + std::to_string(most_) + " forms of " +
                          too_many_);
    words_[number] = words;
    objects_[number] = object;
    count_.store(number + 1, std::memory_order_relaxed);
    table_[at].store(static_cast<std::uint32_t>(number + 1), std::memory_order_release);
    return static_cast<Number>(number);
  }

  std::size_t most_;
  std::string file_;  ///< the scope's
  const char* too_many_;
  std::size_t mask_;
  std::unique_ptr<FormWords<N>[]> words_;
  std::unique_ptr<Object[]> objects_;
  std::unique_ptr<std::atomic<std::uint32_t>[]> table_;
  std::atomic<std::size_t> count_{0};
  std::mutex mutex_;
};

}  // namespace mrproof::specs
