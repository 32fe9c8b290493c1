#include "specs/explore/state_set.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

namespace mrproof::specs {

namespace {

/// How full it gets: from there on places are long to look for.
constexpr std::size_t most_of(std::size_t places) { return places * 85 / 100; }
constexpr std::size_t grown(std::size_t places) { return places + places / 2; }
/// Tables of so many bytes are held in huge pages.
constexpr std::size_t kHuge = std::size_t{1} << 25U;
/// How much of an old table is given back at a time: whole pages.
constexpr std::size_t step_of(std::size_t bytes) {
  constexpr std::size_t kPage = 1U << 12U, kHugePage = 1U << 21U;
  return bytes >= kHuge ? kHugePage : kPage;
}

}  // namespace

StateSet::StateSet(std::size_t places)
    : places_(places), most_(most_of(places)), table_(make_table(places)) {}

StateSet::~StateSet() { free_table(table_, places_); }

StateSet::Place* StateSet::make_table(std::size_t places) {
  void* memory = mmap(nullptr, places * sizeof(Place), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // Each look is at another page: with small ones it would be a look at the page table as well.
  if (places * sizeof(Place) >= kHuge) madvise(memory, places * sizeof(Place), MADV_HUGEPAGE);
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

std::size_t StateSet::growth_bytes() const {
  // The new table, the old one's last part, and the page of the new one that is begun.
  const std::size_t bytes = grown(places_) * sizeof(Place);
  return bytes + 2 * step_of(bytes);
}

void StateSet::grow() {
  Place* const old = table_;
  const std::size_t old_places = places_;
  places_ = grown(places_);
  most_ = most_of(places_);
  table_ = make_table(places_);
  // Both tables are in the order of the hash: while the old one is read from its beginning to its
  // end, the new one is filled from its beginning to its end. What was read is given back at once,
  // so that both together take hardly more than the new one alone.
  const std::size_t step = step_of(bytes()) / sizeof(Place);
  for (std::size_t from = 0; from < old_places; from += step) {
    const std::size_t to = std::min(from + step, old_places);
    for (std::size_t i = from; i < to; ++i) put_again(old[i]);
    madvise(old + from, (to - from) * sizeof(Place), MADV_DONTNEED);
  }
  free_table(old, old_places);
}

void StateSet::put_again(const Place& from) {
  const auto high = from.high.load(std::memory_order_relaxed);
  if (high == 0) return;
  const PackedState state{from.low.load(std::memory_order_relaxed), high & kOwn};
  std::size_t at = place_of(state);
  while (table_[at].high.load(std::memory_order_relaxed) != 0)
    if (++at == places_) at = 0;
  table_[at].low.store(state.low, std::memory_order_relaxed);
  table_[at].high.store(high, std::memory_order_relaxed);
}

}  // namespace mrproof::specs
