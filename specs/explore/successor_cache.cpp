#include "specs/explore/successor_cache.hpp"

#include <algorithm>

#include "specs/explore/accesses.hpp"
#include "specs/symbolic/fields.hpp"

namespace mrproof::specs {

using namespace model;

namespace {

/// Objects in the order in which a packed state has their numbers.
constexpr std::size_t kObjects = 8;
constexpr std::size_t kWindowsAt = World::kRegions;
constexpr std::size_t kQpsAt = kWindowsAt + World::kWindows;
constexpr std::size_t kRestAt = kQpsAt + World::kQps;
static_assert(kRestAt + 1 == kObjects);
constexpr Sources source(std::size_t object) { return static_cast<Sources>(1U << object); }
/// Adds to a set.
constexpr void add(Sources& to, unsigned more) { to = static_cast<Sources>(to | more); }
constexpr Sources kQpSources = source(kQpsAt) | source(kQpsAt + 1);
/// More answers than this are forgotten, all at once: some 90 MiB in each thread. A quarter of it
/// makes a scope of 16 million states take 1.8 times as long.
constexpr std::size_t kMostAnswers = 1U << 20U;

std::uint16_t number_of(PackedState state, std::size_t object) {
  return static_cast<std::uint16_t>((object < 4 ? state.low : state.high) >> (object % 4 * 16));
}
/// All bits of the numbers of these objects.
constexpr PackedState spread(Sources objects) {
  PackedState mask;
  for (std::size_t i = 0; i < kObjects; ++i)
    if ((objects & source(i)) != 0)
      (i < 4 ? mask.low : mask.high) |= std::uint64_t{0xffff} << (i % 4 * 16);
  return mask;
}
constexpr auto kSpread = [] {
  std::array<PackedState, 1U << kObjects> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = spread(static_cast<Sources>(i));
  return all;
}();

PackedState only(PackedState state, Sources objects) {
  const auto& mask = kSpread[objects];
  return {state.low & mask.low, state.high & mask.high};
}

std::size_t hash(PackedState key) { return mix(key.low, key.high); }

/// A path that nobody reads.
struct NoPath {
  friend NoPath operator+(NoPath path, const auto& /*more*/) { return path; }
};

TrackedDomain::Bit watched(Bit value, Sources sources) { return {value.truth(), sources}; }
template <unsigned N>
TrackedWord<N> watched(Word<N> value, Sources sources) {
  return {value, sources};
}
Bit plain(TrackedDomain::Bit value) { return Bit(value.truth()); }
template <unsigned N>
Word<N> plain(TrackedWord<N> value) {
  return value.plain();
}

/// Calls visit(object, fields of it in each of the states...) for each field of states.
template <class Visit, class... S>
void each_field(Visit&& visit, S&... states) {
  const auto of = [&](std::size_t object) {
    return [&visit, object](NoPath, auto&... fields) { visit(object, fields...); };
  };
  for (std::size_t i = 0; i < World::kRegions; ++i)
    specs::region_fields(of(i), NoPath{}, states.regions[i]...);
  for (std::size_t i = 0; i < World::kWindows; ++i)
    specs::window_fields(of(kWindowsAt + i), NoPath{}, states.windows[i]...);
  for (std::size_t i = 0; i < World::kQps; ++i)
    specs::queue_pair_fields(of(kQpsAt + i), NoPath{}, states.qps[i]...);
  const auto rest = of(kRestAt);
  for (std::size_t i = 0; i < World::kPds; ++i) rest(NoPath{}, states.pds[i].live...);
  for (std::size_t i = 0; i < World::kBuffers; ++i)
    specs::buffer_fields(rest, NoPath{}, states.buffers[i]...);
  rest(NoPath{}, states.demonstrated_access...);
  rest(NoPath{}, states.demonstrated_features...);
}

}  // namespace

/// What an effect has done.
struct SuccessorCache::Change {
  PackedState packed;
  Sources branched = 0;                        ///< what it read to decide what to do
  Sources touched = 0;                         ///< objects that it wrote
  std::array<Sources, kObjects> depends_on{};  ///< what each of them is made of

  /// Whether the object's new value follows from its old one, whatever the others are.
  [[nodiscard]] bool is_own(std::size_t object) const {
    const bool keys_move = (touched & ~(source(kWindowsAt) - 1U)) != touched;
    const bool names_keys = (kQpSources & source(object)) != 0;
    return branched == 0 && (depends_on[object] & ~source(object)) == 0 &&
           !(keys_move && names_keys);
  }
};

SuccessorCache::SuccessorCache(const ReadyScope& scope, StateCodec& codec)
    : scope_(&scope),
      codec_(&codec),
      known_(scope.calls().size()),
      rule_of_effect_(1),
      own_(kObjects),
      state_(codec.initial()) {
  // What does not change has no sources.
  watched_.can.claimed = {state_.can.claimed, 0};
  watched_.can.max_message = {state_.can.max_message, 0};
  watched_.can.features = {state_.can.features, 0};
  watched_.defined = {state_.defined, 0};
}

void SuccessorCache::watch(PackedState from) {
  codec_->unpack(StateCodec::numbers(from), state_);
  each_field(
      [](std::size_t object, auto& to, const auto& value) {
        to = watched(value, static_cast<Sources>(source(object) | kUntouched));
      },
      watched_, state_);
  // Which keys objects have is a matter of their slots, and nothing to be read in the state.
  const auto key = [](std::uint32_t value) { return TrackedDomain::Key(value, kUntouched); };
  for (std::size_t i = 0; i < World::kRegions; ++i) {
    auto& r = watched_.regions[i];
    r.lkey = r.rkey = key(region_key(i));
    r.old_lkey = r.old_rkey = key(0);
  }
  for (std::size_t i = 0; i < World::kWindows; ++i) {
    watched_.windows[i].rkey = key(window_key(i));
    watched_.windows[i].old_rkey = key(0);
  }
}

const SuccessorCache::Answer& SuccessorCache::look_up(std::size_t call, PackedState from) {
  if (const auto* answer = find(call, from)) return *answer;
  Sources read = 0;
  auto answer = ask(call, from, read);
  remember(call, read, from, std::move(answer));
  return *find(call, from);
}

const SuccessorCache::Answer* SuccessorCache::find(std::size_t call, PackedState from) {
  for (Read& read : known_[call].read) {
    const PackedState key{from.low & read.mask.low, from.high & read.mask.high};
    const auto last = read.places.size() - 1;
    for (auto at = hash(key) & last; read.places[at].answer != nullptr; at = (at + 1) & last)
      if (read.places[at].key == key) {
        read.last = read.places[at];
        return read.last.answer;
      }
  }
  return nullptr;
}

void SuccessorCache::put(std::vector<Place>& places, const Place& place) {
  auto at = hash(place.key) & (places.size() - 1);
  while (places[at].answer != nullptr) at = (at + 1) & (places.size() - 1);
  places[at] = place;
}

void SuccessorCache::remember(std::size_t call, Sources objects, PackedState from, Answer answer) {
  if (used_++ == kMostAnswers) forget();
  auto& reads = known_[call].read;
  auto read =
      std::find_if(reads.begin(), reads.end(), [&](const Read& r) { return r.objects == objects; });
  if (read == reads.end()) {
    read = reads.insert(read, Read{});
    read->objects = objects;
    read->mask = kSpread[objects];
    read->places.resize(16);
    count_places(16, 0);
  }
  read->last = {only(from, objects), &*answers_.insert(std::move(answer)).first};
  if (++read->used * 2 > read->places.size()) {
    std::vector<Place> more(read->places.size() * 2);
    count_places(more.size(), read->places.size());
    for (const Place& place : read->places)
      if (place.answer != nullptr) put(more, place);
    read->places = std::move(more);
  }
  put(read->places, read->last);
}

void SuccessorCache::count_places(std::size_t made, std::size_t freed) {
  bytes_ += made * sizeof(Place);
  most_bytes_ = std::max(most_bytes_, bytes_);
  bytes_ -= freed * sizeof(Place);
}

void SuccessorCache::forget() {
  used_ = 0;
  bytes_ = 0;
  for (auto& known : known_) known.read.clear();
  answers_.clear();
}

SuccessorCache::Answer SuccessorCache::ask(std::size_t call, PackedState from, Sources& read) {
  watch(from);
  const ReadyCall& ready = scope_->calls()[call];
  g_branched_on = 0;
  Answer answer;
  const RuleView view{watched_, ready.call, ready.result};
  bool may = true;
  for (const RuleCondition* precondition : ready.verb->preconditions) {
    const auto holds = precondition->holds(view);
    add(read, holds.sources());
    if (may = holds.truth(); !may) break;
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; may && i < ready.verb->conditions.size(); ++i) {
    const auto holds = ready.verb->conditions[i]->holds(view);
    add(read, holds.sources());
    if (holds.truth()) bits |= std::uint64_t{1} << i;
  }
  add(read, g_branched_on);
  std::vector<RuleRow::Bytes> moved{nullptr};
  for (std::size_t r = 0; may && r < ready.verb->rules.size(); ++r) {
    const MaskedRule& rule = ready.verb->rules[r];
    if (!rule.open(bits)) continue;
    // Rules that move the same bytes are asked once.
    const bool moves = std::find(moved.begin(), moved.end(), rule.rule->transfer) == moved.end();
    if (moves) moved.push_back(rule.rule->transfer);
    if (moves && !moves_at_home(watched_, ready, *rule.rule))
      answer.trouble = "a result that is allowed moves bytes that its keys do not lead to";
    const auto effect = effect_of(call, r);
    const auto same = std::find_if(answer.ends.begin(), answer.ends.end(),
                                   [&](const End& end) { return end.effect == effect; });
    auto& end = same != answer.ends.end()
                    ? *same
                    : answer.ends.emplace_back(follow_effect(call, *rule.rule, effect, from, read));
    end.rules |= std::uint64_t{1} << r;
    ++end.count;
  }
  if (may && answer.ends.empty()) answer.trouble = "no result is allowed";
  read = static_cast<Sources>(read & (kSpread.size() - 1));
  return answer;
}

SuccessorCache::Change SuccessorCache::change(std::size_t call, const RuleRow& rule,
                                              PackedState from) {
  const ReadyCall& ready = scope_->calls()[call];
  Change change;
  change.packed = from;
  if (rule.effect == nullptr) return change;
  auto after = watched_;
  const RuleView view{watched_, ready.call, ready.result};
  g_branched_on = 0;
  rule.effect(view, after);
  change.branched = g_branched_on;
  WorldState end = state_;
  each_field(
      [&](std::size_t object, auto& to, const auto& value) {
        to = plain(value);
        const bool untouched = (value.sources() & kUntouched) != 0 &&
                               (value.sources() & ~unsigned{kUntouched} & ~source(object)) == 0;
        if (!untouched) add(change.touched, source(object));
        add(change.depends_on[object], value.sources() & ~unsigned{kUntouched});
      },
      end, after);
  change.packed = codec_->pack_unordered(end);
  return change;
}

SuccessorCache::End SuccessorCache::follow_effect(std::size_t call, const RuleRow& rule,
                                                  std::uint32_t effect, PackedState from,
                                                  Sources& read) {
  const Change change = this->change(call, rule, from);
  End end;
  end.effect = effect;
  Sources put = 0;
  // Receives name regions by keys: they may change with the regions.
  Sources written = change.touched;
  if ((written & (source(kWindowsAt) - 1U)) != 0) add(written, kQpSources);
  for (std::size_t i = 0; i < kObjects; ++i) {
    if ((written & source(i)) == 0) continue;
    if (change.is_own(i) && (known_[call].not_own & source(i)) == 0) {
      add(end.own, source(i));
      own_number(effect, i, number_of(from, i)) = number_of(change.packed, i);
    } else {
      add(put, source(i));
      add(read, change.depends_on[i] | change.branched | source(i));
    }
  }
  const auto gone =
      only({~std::uint64_t{0}, ~std::uint64_t{0}}, static_cast<Sources>(put | end.own));
  end.keep = {~gone.low, ~gone.high};
  end.value = only(change.packed, put);
  return end;
}

std::uint16_t& SuccessorCache::own_number(std::uint32_t effect, std::size_t object,
                                          std::uint16_t number) {
  auto& numbers = own_[effect * kObjects + object];
  if (numbers.size() <= number) numbers.resize(number + 1U, kUnknown);
  return numbers[number];
}

std::uint16_t SuccessorCache::learn(std::size_t call, const End& end, std::size_t object,
                                    PackedState from, bool& again) {
  const auto effect = end.effect;  // `end` may be forgotten below
  watch(from);
  const Change change = this->change(call, *rule_of_effect_[effect], from);
  if (!change.is_own(object)) {
    add(known_[call].not_own, source(object));
    forget();
    again = true;
    return 0;
  }
  return own_number(effect, object, number_of(from, object)) = number_of(change.packed, object);
}

std::uint32_t SuccessorCache::effect_of(std::size_t call, std::size_t rule) {
  const auto& rules = scope_->calls()[call].verb->rules;
  auto& effects = known_[call].effects;
  effects.resize(rules.size());
  if (effects[rule] != 0) return effects[rule];
  for (std::size_t i = 0; i < rules.size(); ++i)
    if (effects[i] != 0 && rules[i].rule->effect == rules[rule].rule->effect)
      return effects[rule] = effects[i];
  rule_of_effect_.push_back(rules[rule].rule);
  own_.resize(rule_of_effect_.size() * kObjects);
  return effects[rule] = static_cast<std::uint32_t>(rule_of_effect_.size() - 1);
}

}  // namespace mrproof::specs
