#include "conformance/explore/state_set.hpp"

#include <sys/mman.h>

#include <new>

namespace mrproof {

namespace {

/// How full it gets: from there on places are long to look for.
constexpr std::size_t most_of(std::size_t places) { return places * 85 / 100; }
constexpr std::size_t grown(std::size_t places) { return places + places / 2; }

}  // namespace

StateSet::StateSet(std::size_t places)
    : places_(places), most_(most_of(places)), table_(make_table(places)) {}

StateSet::~StateSet() { free_table(table_, places_); }

StateSet::Place* StateSet::make_table(std::size_t places) {
  void* memory = mmap(nullptr, places * sizeof(Place), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Each look is at another page: with small ones it would be a look at the page table as well.
  madvise(memory, places * sizeof(Place), MADV_HUGEPAGE);
  return static_cast<Place*>(memory);  // zeros are free places
}

void StateSet::free_table(Place* table, std::size_t places) {
  munmap(table, places * sizeof(Place));
}

std::size_t StateSet::place_of(PackedState state) const {
  const auto hash = mix(state.low, state.high);
  return static_cast<std::size_t>((static_cast<WideWord>(hash) * places_) >> 64U);
}

void StateSet::prefetch(PackedState state) const {
  __builtin_prefetch(&table_[place_of(state)], 1);
}

StateSet::Added StateSet::add(PackedState state, unsigned depth) {
  const auto full = state.high | (kTaken | (depth & 3U)) << kDepthAt;
  std::size_t at = place_of(state);
  while (true) {
    Place& place = table_[at];
    auto high = place.high.load(std::memory_order_acquire);
    if (high == 0) {
      if (count_.load(std::memory_order_relaxed) >= most_) return Added::is_full;
      if (place.high.compare_exchange_strong(high, kBusy, std::memory_order_acquire)) {
        place.low.store(state.low, std::memory_order_relaxed);
        place.high.store(full, std::memory_order_release);
        count_.fetch_add(1, std::memory_order_relaxed);
        return Added::is_new;
      }
    }
    while (high == kBusy) high = place.high.load(std::memory_order_acquire);
    if ((high & kOwn) == state.high && place.low.load(std::memory_order_relaxed) == state.low)
      return Added::was_there;
    if (++at == places_) at = 0;
  }
}

bool StateSet::may_grow(std::size_t most_bytes) const {
  return (places_ + grown(places_)) * sizeof(Place) <= most_bytes;
}

void StateSet::grow() {
  Place* const old = table_;
  const std::size_t old_places = places_;
  places_ = grown(places_);
  most_ = most_of(places_);
  table_ = make_table(places_);
  for (std::size_t i = 0; i < old_places; ++i) {
    const auto high = old[i].high.load(std::memory_order_relaxed);
    if (high == 0) continue;
    const PackedState state{old[i].low.load(std::memory_order_relaxed), high & kOwn};
    std::size_t at = place_of(state);
    while (table_[at].high.load(std::memory_order_relaxed) != 0)
      if (++at == places_) at = 0;
    table_[at].low.store(state.low, std::memory_order_relaxed);
    table_[at].high.store(high, std::memory_order_relaxed);
  }
  free_table(old, old_places);
}

}  // namespace mrproof
