#include "specs/explore/packed_state.hpp"

#include <algorithm>
#include <utility>

#include "model/trace/setup.hpp"
#include "specs/symbolic/fields.hpp"

namespace mrproof::specs {

using namespace model;

namespace {

using WorldRegion = Region<World>;
using WorldWindow = Window<World>;
using WorldPair = QueuePair<World>;

// Whoever adds a field has to put it into the words below.
static_assert(sizeof(WorldRegion) == 72 && sizeof(WorldWindow) == 48 && sizeof(WorldPair) == 64);
static_assert(sizeof(Buffer<World>) == 40 && sizeof(Surroundings) == 176);

std::uint64_t bits(std::initializer_list<Bit> values) {
  std::uint64_t word = 0;
  for (const Bit value : values) word = word << 1U | static_cast<std::uint64_t>(value.truth());
  return word;
}
std::uint64_t beside(std::uint64_t low, std::uint64_t high) { return low | high << 32U; }

FormWords<6> words_of(const WorldRegion& r) {
  return {beside(bits({r.live, r.empty, r.undefined, r.null, r.outside_buffers, r.unmapped}) |
                     r.pd.value() << 8U,
                 r.access.value()),
          r.first.value(),
          r.last.value(),
          r.memory.value(),
          r.unmapped_first.value(),
          r.unmapped_last.value()};
}
FormWords<4> words_of(const WorldWindow& w) {
  return {beside(bits({w.live, w.bound, w.two, w.undefined}) | w.pd.value() << 8U |
                     w.region.value() << 16U | w.qp.value() << 24U,
                 w.access.value()),
          w.first.value(), w.last.value(), w.memory.value()};
}
FormWords<6> words_of(const WorldPair& q) {
  const auto& [first, second] = q.elements;
  return {bits({q.live, q.posted, q.two}) | q.pd.value() << 8U | q.state.value() << 16U |
              q.access.value() << 32U,
          beside(first.lkey.value(), second.lkey.value()),
          first.address.value(),
          first.length.value(),
          second.address.value(),
          second.length.value()};
}
FormWords<10> words_of(const Surroundings& s) {
  FormWords<10> words{};
  std::size_t at = 0;
  for (const auto& pd : s.pds) words[0] = words[0] << 1U | bits({pd.live});
  for (const auto& b : s.buffers) {
    words[0] = words[0] << 2U | bits({b.hole, b.read_only});
    words[++at] = b.hole_first.value();
    words[++at] = b.hole_last.value();
  }
  words[9] = beside(s.demonstrated_access.value(), s.demonstrated_features.value());
  return words;
}

PackedState compose(const StateNumbers& n) {
  const auto put = [](std::uint64_t number, unsigned place) { return number << (16 * place); };
  return {put(n.regions[0], 0) | put(n.regions[1], 1) | put(n.regions[2], 2) | put(n.windows[0], 3),
          put(n.windows[1], 0) | put(n.qps[0], 1) | put(n.qps[1], 2) | put(n.surroundings, 3)};
}

}  // namespace

StateCodec::StateCodec(const Scope& scope, std::uint32_t defined_access)
    : symmetry_(scope.symmetry),
      shown_(scope.shown),
      regions_(1U << 16U, scope.file,
               "regions; name fewer ranges, rights or PDs where they are registered"),
      windows_(1U << 16U, scope.file, "windows; name fewer ranges, rights or PDs in binds"),
      qps_(1U << 16U, scope.file, "queue pairs; name fewer receives, or shorter lists of elements"),
      surroundings_(std::size_t{1} << (16U - PackedState::kFreeBits), scope.file,
                    "what surrounds regions, windows and queue pairs; protect fewer ranges, or say "
                    "'shown all'") {
  const auto plain = model::initial_state(scope.setup, scope.can, defined_access);
  specs::state_fields(specs::copy_field, initial_, plain);
  if (shown_) {
    initial_.demonstrated_access = initial_.can.claimed;
    initial_.demonstrated_features = initial_.can.features;
  }
  number(WorldRegion{});  // free slots have number 0
  number(WorldWindow{});
}

// What is zeroed below is asked about by no rule: see packed_state_test.cpp.

std::uint16_t StateCodec::number(const WorldRegion& region) {
  if (!region.live.truth()) return regions_.number_of(words_of(WorldRegion{}), WorldRegion{});
  WorldRegion r = region;
  if (!r.unmapped.truth()) r.unmapped_first = r.unmapped_last = 0;
  r.lkey = r.rkey = r.old_lkey = r.old_rkey = 0;
  return regions_.number_of(words_of(r), r);
}

std::uint16_t StateCodec::number(const WorldWindow& window) {
  WorldWindow w;
  if (window.live.truth()) w = window;
  if (w.live.truth() && !w.bound.truth()) {
    w.region = w.qp = 0;
    w.access = 0;
    w.first = w.last = w.memory = 0;
  }
  if (!w.two.truth()) w.qp = 0;
  w.rkey = w.old_rkey = 0;
  return windows_.number_of(words_of(w), w);
}

std::uint16_t StateCodec::number(const WorldPair& qp, const WorldState& state) {
  WorldPair q;
  if (qp.live.truth()) {
    q.live = qp.live;
    q.pd = qp.pd;
    q.state = qp.state;
    q.posted = qp.posted;
    q.access = qp.access;
  }
  if (q.posted.truth()) {
    q.two = qp.two;
    for (std::size_t i = 0; i < (q.two.truth() ? 2U : 1U); ++i) {
      auto& element = q.elements.at(i);
      element = qp.elements.at(i);
      std::uint32_t key = kStaleKey;
      for (std::size_t r = 0; r < World::kRegions; ++r)
        if (state.regions[r].live.truth() && (state.regions[r].lkey == element.lkey).truth())
          key = region_key(r);
      element.lkey = key;
    }
  }
  return qps_.number_of(words_of(q), q);
}

std::uint16_t StateCodec::number(const Surroundings& rest) {
  Surroundings s = rest;
  for (auto& b : s.buffers) {
    if (b.hole.truth()) continue;
    b.read_only = Bit(false);
    b.hole_first = b.hole_last = 0;
  }
  s.demonstrated_access = s.demonstrated_access & kFeatureFlags;
  return surroundings_.number_of(words_of(s), s);
}

PackedState StateCodec::pack(const WorldState& state) { return in_order(pack_unordered(state)); }

PackedState StateCodec::pack_unordered(const WorldState& state) {
  StateNumbers n;
  for (std::size_t i = 0; i < n.regions.size(); ++i) n.regions[i] = number(state.regions[i]);
  for (std::size_t i = 0; i < n.windows.size(); ++i) n.windows[i] = number(state.windows[i]);
  for (std::size_t i = 0; i < n.qps.size(); ++i) n.qps[i] = number(state.qps[i], state);
  n.surroundings = number(Surroundings{state.pds, state.buffers, state.demonstrated_access,
                                       state.demonstrated_features});
  return compose(n);
}

PackedState StateCodec::order_slots(StateNumbers n) {
  const auto in_order = [](const auto& numbers) {
    return std::is_sorted(numbers.rbegin(), numbers.rend());
  };
  const auto& r = n.regions;
  const bool twins = (r[0] == r[1] && r[0] != 0) || (r[1] == r[2] && r[1] != 0);
  if (in_order(r) && !twins) {
    if (!in_order(n.windows)) std::swap(n.windows[0], n.windows[1]);
    return compose(n);
  }
  // Of twins, it is the windows and receives that name them which tell the first from the second.
  std::array<std::uint8_t, World::kRegions> order{0, 1, 2};
  PackedState best{~std::uint64_t{0}, ~std::uint64_t{0}};
  do {
    const StateNumbers other = reordered(n, order);
    if (!in_order(other.regions)) continue;
    if (const auto packed = compose(other); packed < best) best = packed;
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

StateNumbers StateCodec::reordered(const StateNumbers& n,
                                   const std::array<std::uint8_t, World::kRegions>& order) {
  StateNumbers other = n;
  std::array<std::uint8_t, World::kRegions> place{};
  for (std::uint8_t i = 0; i < order.size(); ++i) {
    other.regions[i] = n.regions[order[i]];
    place[order[i]] = i;
  }
  for (auto& w : other.windows) {
    WorldWindow window = windows_.object(w);
    if (!window.bound.truth()) continue;
    window.region = place.at(window.region.value());
    w = windows_.number_of(words_of(window), window);
  }
  if (other.windows[0] < other.windows[1]) std::swap(other.windows[0], other.windows[1]);
  for (auto& q : other.qps) {
    WorldPair qp = qps_.object(q);
    if (!qp.posted.truth()) continue;
    for (auto& element : qp.elements)
      for (std::size_t i = 0; i < place.size(); ++i)
        if ((element.lkey == region_key(i)).truth()) {
          element.lkey = region_key(place.at(i));
          break;
        }
    q = qps_.number_of(words_of(qp), qp);
  }
  return other;
}

StateNumbers StateCodec::numbers(PackedState p) {
  const auto get = [](std::uint64_t word, unsigned place) {
    return static_cast<std::uint16_t>(word >> (16 * place));
  };
  constexpr auto kFree = (1U << (16 - PackedState::kFreeBits)) - 1;
  return {{get(p.low, 0), get(p.low, 1), get(p.low, 2)},
          {get(p.low, 3), get(p.high, 0)},
          {get(p.high, 1), get(p.high, 2)},
          static_cast<std::uint16_t>(get(p.high, 3) & kFree)};
}

void StateCodec::unpack(const StateNumbers& n, WorldState& state) const {
  for (std::size_t i = 0; i < n.regions.size(); ++i) {
    state.regions[i] = regions_.object(n.regions[i]);
    if (n.regions[i] != 0) state.regions[i].lkey = state.regions[i].rkey = region_key(i);
  }
  for (std::size_t i = 0; i < n.windows.size(); ++i) {
    state.windows[i] = windows_.object(n.windows[i]);
    if (n.windows[i] != 0) state.windows[i].rkey = window_key(i);
  }
  for (std::size_t i = 0; i < n.qps.size(); ++i) state.qps[i] = qps_.object(n.qps[i]);
  const auto& rest = surroundings_.object(n.surroundings);
  std::copy(rest.pds.begin(), rest.pds.end(), state.pds.begin());
  state.buffers = rest.buffers;
  state.demonstrated_access = rest.demonstrated_access;
  state.demonstrated_features = rest.demonstrated_features;
}

WorldState StateCodec::unpack(PackedState packed) const {
  WorldState state = initial_;
  unpack(numbers(packed), state);
  return state;
}

std::array<std::size_t, 4> StateCodec::form_counts() const {
  return {regions_.count(), windows_.count(), qps_.count(), surroundings_.count()};
}

}  // namespace mrproof::specs
