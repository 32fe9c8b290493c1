// Random calls for the tests of the faults: as a program with many mistakes makes them.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "impl/sim/test_calls.hpp"
#include "model/state.hpp"

namespace mrproof::impl::testing {

/// No better than needed to reach every fault: it knows what it made and aims at that, most of the
/// time, and leaves what is right and wrong to the device.
class RandomCalls {
 public:
  explicit RandomCalls(std::uint64_t seed) : random_(seed) {}

  /// The next call. Objects that it names are live, as far as note() was told.
  PlainCall next();
  /// Takes note of what the device made of the call.
  void note(const PlainCall& call, const model::Result<Plain>& result);
  /// Forgets all objects but those of the standard setup; goes on with the random numbers.
  void restart();
  /// Whether the page of the buffer is mapped.
  [[nodiscard]] bool mapped(std::size_t buffer, std::uint64_t page) const {
    return pages_.at(buffer).at(page) != model::kNoPages;
  }

 private:
  struct Region {
    bool live = false;
    bool null = false;
    std::uint8_t pd = 0;
    std::uint32_t access = 0;
    Range range;  ///< as keys see it
  };
  struct Window {
    bool live = false;
    bool two = false;
    bool bound = false;
    std::uint8_t pd = 0;
    std::uint8_t qp = 0;
    Range range;
  };

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  std::uint8_t any_qp();
  std::uint8_t any_region();
  std::uint8_t any_window();

  PlainCall on_objects();
  PlainCall on_pds();
  PlainCall register_at(std::uint8_t slot);
  void spoil_registration(PlainCall& call);
  PlainCall reregister(std::uint8_t slot);
  PlainCall advise();
  PlainCall protect();
  PlainCall bind(std::uint8_t slot);
  void spoil_bind(PlainCall& call);
  PlainCall invalidate();
  Range range();
  Range remote_range();
  Range past_range();
  void vary(Range& range);
  PlainCall post_recv();
  PlainCall transfer();
  void aim_at_window(PlainCall& call);
  void add_element(PlainCall& call);

  void note_region(const PlainCall& call, const model::Result<Plain>& result);
  void note_window(const PlainCall& call, const model::Result<Plain>& result);

  static constexpr std::uint8_t kNone = 0xff;
  std::mt19937_64 random_;
  std::uint8_t failed_ = kNone;     ///< a QP that was seen in ERR
  std::vector<PlainCall> planned_;  ///< calls to be made first, the last one at first
  std::array<bool, 4> pds_{};
  std::array<bool, 4> qps_{};
  std::array<Region, 6> regions_{};
  std::array<Window, 3> windows_{};
  std::vector<Range> past_;  ///< what keys of windows and regions once meant
  std::array<std::array<std::uint8_t, 4>, kBufferCount> pages_{};
};

}  // namespace mrproof::impl::testing
