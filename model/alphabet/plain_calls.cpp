#include "model/alphabet/plain_calls.hpp"

#include <algorithm>

#include "model/alphabet/small_calls.hpp"
#include "model/trace/key_value.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::model {

namespace {

using Kind = KeyName::Kind;
// Ranges, rights and keys are not those of small calls: 8 bytes are plainer than 64, and which
// short trace is found first hangs on all values and their order.
constexpr std::uint64_t kFar = ~std::uint64_t{0};
constexpr std::uint64_t kBefore = kPageSize - 4;  ///< from here 8 bytes reach into the next page

/// A slot that never held anything, if there are few objects yet.
template <class Slots, class Unused>
Choices fresh(const Slots& slots, std::size_t most, Unused&& unused) {
  const Values found = slots_where(slots, unused);
  return found.empty() || found.front() >= most ? Choices() : choose({found.front()});
}

/// The right at the other end that the verb asks for; reading, for verbs that ask for none.
std::uint32_t right_for(Verb verb) {
  if (is_atomic(verb)) return kRemoteAtomic;
  const bool writes = verb == Verb::rdma_write || verb == Verb::rdma_write_with_imm;
  return writes ? kRemoteWrite : kRemoteRead;
}

Choices region_access(const PlainScope& scope) {
  const std::uint32_t right = right_for(scope.last);
  if (scope.is_last)
    return choose({0, kLocalWrite, kRemoteRead, kRemoteWrite, kRemoteAtomic, kMwBind, kZeroBased,
        kOnDemand, kHugetlb, kRelaxedOrdering, kFlushGlobal, kFlushPersistent, kShared, kAllocateMr,
        kPeerMemory, 1U << 12U, kLocalWrite | kRemoteWrite, kLocalWrite | kRemoteAtomic,
        kOnDemand | kHugetlb, kLocalWrite | kOnDemand, kLocalWrite | kZeroBased});
  Choices choices;
  for (const std::uint32_t flags : {0U, +kLocalWrite, right, kLocalWrite | right}) {
    for (const std::uint32_t flag : {0U, +kZeroBased, +kOnDemand, +kShared, +kAllocateMr}) {
      if ((scope.extra & flag) != flag) continue;
      add(choices.sound, {flags | flag});
      if ((scope.extra & kMwBind) != 0) add(choices.sound, {flags | flag | kMwBind});
    }
  }
  if (scope.wide)
    for (const std::uint32_t other : {+kRemoteRead, +kRemoteWrite, +kRemoteAtomic})
      if (other != right) add(choices.sound, {other, kLocalWrite | other});
  return choices;
}

Choices window_access(const PlainScope& scope) {
  const std::uint32_t right = right_for(scope.last);
  if (!scope.is_last && !scope.wide)
    return (scope.extra & kZeroBased) != 0 ? choose({right, right | kZeroBased}) : choose({right});
  return choose({kRemoteRead, kRemoteWrite, kRemoteAtomic},
      {kRemoteRead | kZeroBased, kRemoteWrite | kZeroBased, kRemoteAtomic | kZeroBased, 0,
          kLocalWrite, kMwBind, kRemoteRead | (1U << 12U)});
}

/// Where regions begin: at the start of a buffer; the second one where the first one ends.
Choices region_addresses(const State<Plain>& s, const PlainScope& scope) {
  const auto first = buffer_address(0);
  if (scope.is_last)
    return choose({first, first + 8, 0},
        {first + kPageSize, first - kPageSize, buffer_address(3), kFar, buffer_address(1)});
  const bool any =
      std::any_of(s.regions.begin(), s.regions.end(), [](const auto& r) { return r.live.truth(); });
  Choices choices = choose({first});
  if (scope.wide) add(choices.sound, {first + 8});
  if (any) add(choices.sound, {buffer_address(1)});
  return choices;
}

Choices region_lengths(const PlainScope& scope) {
  if (scope.is_last)
    return choose({8, kPageSize}, {0, 2 * kPageSize, 4 * kPageSize, 1, (1ULL << 32U) + 8, kFar});
  return scope.wide ? choose({8, kPageSize, 2 * kPageSize}) : choose({8, kPageSize});
}

/// Ranges of a bind, relative to its region.
Choices bind_addresses(const State<Plain>& s, const Step& step) {
  const auto& r = s.regions.at(step.call.mr);
  return choose({r.first.value()},
      {r.first.value() + 1, r.first.value() + 8, r.first.value() - 1, r.last.value() - 6, kFar, 0});
}

Choices bind_lengths(const State<Plain>& s, const Step& step, const PlainScope& scope) {
  const auto& r = s.regions.at(step.call.mr);
  const auto all = r.last.value() - r.first.value() + 1;
  if (!scope.is_last && !scope.wide) return choose({8});
  return choose({8}, {0, all + 1, kFar, 1});
}

/// What rereg_mr does not look at is plain.
Choices changed(const Step& step, Change change, const Values& plain, const Choices& if_asked) {
  return (step.call.flags.value() & change) != 0 ? if_asked : choose(plain);
}

Choices change_arguments(
    const State<Plain>& s, const Step& step, Argument argument, const PlainScope& scope) {
  const auto first = buffer_address(0);
  switch (argument) {
    case Argument::pd: {
      Choices pds = choose(live(s.pds));
      if ((step.call.flags.value() & kChangePd) != 0) return pds;
      Choices kept = choose({pds.sound.front().at});
      for (std::size_t i = 1; i < pds.sound.size(); ++i) kept.odd.push_back(pds.sound[i]);
      return kept;
    }
    case Argument::address:
      if (!scope.any_change)
        return changed(step, kChangeTranslation, {first}, choose({buffer_address(1)}));
      return changed(
          step, kChangeTranslation, {first}, choose({first, first + 8, buffer_address(1)}, {0}));
    case Argument::length:
      if (!scope.any_change) return choose({8});
      return changed(step, kChangeTranslation, {8}, choose({8, kPageSize}, {0, kFar}));
    default:
      if (!scope.any_change)
        return changed(step, kChangeAccess, {0}, choose({kLocalWrite | right_for(scope.last), 0}));
      return changed(step, kChangeAccess, {0},
          choose({0, kLocalWrite, right_for(scope.last), kLocalWrite | right_for(scope.last)},
              {kRemoteWrite, kMwBind, kOnDemand, 1U << 12U}));
  }
}

/// Offsets in a target of so many bytes at which `length` bytes are inside, at its edges, outside.
void add_places(std::uint64_t first, std::uint64_t last, std::uint64_t length,
    std::uint64_t aligned, const std::function<void(std::uint64_t, bool)>& place) {
  place(first, true);
  if (last - first >= 8) place(first + 8, true);
  if (length > 8) place(first + length, true);
  const std::uint64_t end = last - length + 1;
  place(first + 8, false);
  place(end, false);
  place(end + aligned, false);
  place(first - aligned, false);
  place(first + kBefore, false);
  place(first + kPageSize, false);
  place(0, false);
  place(kFar, false);
}

/// A key of each region that is or was, as `kind` says, and keys that are wrong.
std::vector<std::pair<KeyName, bool>> region_keys(const State<Plain>& s, Kind kind, bool wide) {
  const bool local = kind == Kind::lkey;
  std::vector<std::pair<KeyName, bool>> keys;
  for (std::uint32_t i = 0; i < s.regions.size(); ++i) {
    const auto& r = s.regions.at(i);
    const bool was = r.lkey.value() != 0;
    if (!was) continue;
    keys.push_back({{kind, i, 0, 0}, true});
    if (r.live.truth()) keys.push_back({{local ? Kind::rkey : Kind::lkey, i, 0, 0}, false});
    if (r.live.truth()) keys.push_back({{kind, i, 1, 0}, false});
    if (r.live.truth() && wide) keys.push_back({{kind, i, 0x100, 0}, false});
    if (r.old_lkey.value() != 0)
      keys.push_back({{local ? Kind::old_lkey : Kind::old_rkey, i, 0, 0}, false});
  }
  keys.push_back({{Kind::value, 0, 0, 0}, false});
  return keys;
}

std::vector<std::pair<KeyName, bool>> window_keys(const State<Plain>& s) {
  std::vector<std::pair<KeyName, bool>> keys;
  for (std::uint32_t i = 0; i < s.windows.size(); ++i) {
    const auto& w = s.windows.at(i);
    if (w.rkey.value() == 0) continue;
    keys.push_back({{Kind::window_rkey, i, 0, 0}, true});
    keys.push_back({{Kind::window_rkey, i, 1, 0}, false});
    if (w.old_rkey.value() != 0) keys.push_back({{Kind::old_window_rkey, i, 0, 0}, false});
  }
  return keys;
}

const Region<Plain>* region_of(const State<Plain>& s, const KeyName& key) {
  if (key.kind == Kind::value || key.kind == Kind::window_rkey || key.kind == Kind::old_window_rkey)
    return nullptr;
  return &s.regions.at(key.slot);
}

Choices last_elements(const State<Plain>& s, const Step& step, bool wide) {
  Choices choices;
  const bool atomic = is_atomic(step.call.verb);
  auto keys = region_keys(s, Kind::lkey, wide);
  for (const auto& [key, sound] : window_keys(s))
    if (sound) keys.push_back({key, false});
  for (const auto& [key, sound] : keys) {
    const auto* r = region_of(s, key);
    const bool placed = sound && r != nullptr && !r->null.truth();
    const auto first = placed ? r->first.value() : buffer_address(0);
    if (!placed) {
      (sound ? choices.sound : choices.odd).push_back({first, key, 8});
      // What is empty needs no key.
      if (!sound) (key == KeyName{} ? choices.sound : choices.odd).push_back({first, key, 0});
      if (sound) choices.odd.push_back({first, key, kPageSize});
      continue;
    }
    add_places(first, r->last.value(), 8, 1, [&, &name = key](std::uint64_t at, bool usual) {
      (usual ? choices.sound : choices.odd).push_back({at, name, 8});
    });
    if (atomic) continue;
    for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, kPageSize})
      choices.odd.push_back({first, key, length});
    choices.odd.push_back({first, key, r->last.value() - first + 2});
    choices.odd.push_back({buffer_address(1), key, 8});
  }
  return choices;
}

/// Before the last call: a receive of 8 bytes, or of the whole region; of a work request, 8 bytes.
Choices early_elements(const State<Plain>& s, const Step& step) {
  Choices choices;
  for (std::uint32_t i = 0; i < s.regions.size(); ++i) {
    const auto& r = s.regions.at(i);
    if (!r.live.truth() || r.null.truth()) continue;
    const auto first = r.first.value();
    choices.sound.push_back({first, {Kind::lkey, i, 0, 0}, 8});
    if (step.call.verb != Verb::post_recv) continue;
    if (r.last.value() - first >= kPageSize - 1)
      choices.sound.push_back({first, {Kind::lkey, i, 0, 0}, kPageSize});
    choices.odd.push_back({buffer_address(1), {Kind::lkey, i, 0, 0}, 8});
    choices.odd.push_back({r.last.value() - 6, {Kind::lkey, i, 0, 0}, 8});
  }
  // What is empty needs no key; a write is there to fail.
  choices.sound.push_back({buffer_address(0), {}, step.call.verb == Verb::rdma_write ? 8U : 0U});
  return choices;
}

Choices remote_keys(const State<Plain>& s, const Step& step, const PlainScope& scope) {
  Choices choices;
  const auto put = [&](const KeyName& key, bool sound) {
    (sound ? choices.sound : choices.odd).push_back({0, key, 0});
  };
  const Verb verb = step.call.verb;
  if (verb == Verb::post_bind_mw) {
    put({Kind::window_rkey, step.call.mw, 1, 0}, true);
    for (const std::uint32_t flip : {0U, 3U, 0x100U})
      put({Kind::window_rkey, step.call.mw, flip, 0}, false);
    return choices;
  }
  if (!scope.is_last && is_remote(verb)) {
    put({}, true);
    return choices;
  }
  for (const auto& [key, sound] : window_keys(s)) put(key, sound);
  for (const auto& [key, sound] : region_keys(s, Kind::rkey, scope.wide)) put(key, sound);
  return choices;
}

Choices remote_places(const State<Plain>& s, const Step& step) {
  const auto& key = step.rkey;
  Choices choices;
  const auto* r = region_of(s, key);
  if (r == nullptr && key.kind == Kind::value) return choose({buffer_address(0)});
  const auto first = r != nullptr ? r->first : s.windows.at(key.slot).first;
  const auto last = r != nullptr ? r->last : s.windows.at(key.slot).last;
  const auto length = is_atomic(step.call.verb) ? 8 : step.call.length.value();
  add_places(first.value(), last.value(), length, is_atomic(step.call.verb) ? 4 : 1,
      [&](std::uint64_t at, bool sound) { add(sound ? choices.sound : choices.odd, {at}); });
  add(choices.odd, {buffer_address(0), buffer_address(1)});
  return choices;
}

Choices pairs(const State<Plain>& s, const Step& step, const PlainScope& scope) {
  Choices choices;
  const Verb verb = step.call.verb;
  for (std::uint32_t i = 0; i < s.qps.size(); ++i) {
    if (!s.qps.at(i).live.truth()) continue;
    const bool received = s.qps.at(peer_of(i)).posted.truth();
    // Work requests that change more than bytes: those that take a receive.
    const bool changes = verb != Verb::send && verb != Verb::rdma_write_with_imm;
    if (scope.is_last || changes || received) add(choices.sound, {i});
  }
  return choices;
}

/// Objects to be made: in slots that no trace has named before.
Choices new_objects(const State<Plain>& s, Argument argument) {
  switch (argument) {
    case Argument::pd:
      return fresh(s.pds, s.pds.size(), [](const auto& pd) { return !pd.live.truth(); });
    case Argument::mr:
      return fresh(s.regions, 3, [](const auto& r) { return r.lkey.value() == 0; });
    default: return fresh(s.windows, 2, [](const auto& w) { return w.rkey.value() == 0; });
  }
}

Choices addresses(const State<Plain>& s, const Step& step, const PlainScope& scope) {
  const auto base = buffer_address(0);
  switch (step.call.verb) {
    case Verb::fill: return choose({base});
    case Verb::protect: return choose({base, buffer_address(3) + kPageSize});
    case Verb::bind_mw:
    case Verb::post_bind_mw: return bind_addresses(s, step);
    case Verb::rereg_mr: return change_arguments(s, step, Argument::address, scope);
    default: return region_addresses(s, scope);
  }
}

Choices lengths(const State<Plain>& s, const Step& step, const PlainScope& scope) {
  switch (step.call.verb) {
    case Verb::fill: return choose({8});
    case Verb::protect: return choose({kPageSize});
    case Verb::bind_mw:
    case Verb::post_bind_mw: return bind_lengths(s, step, scope);
    case Verb::rereg_mr: return change_arguments(s, step, Argument::length, scope);
    default: return region_lengths(scope);
  }
}

Choices accesses(const State<Plain>& s, const Step& step, const PlainScope& scope) {
  if (is_bind(step.call.verb)) return window_access(scope);
  if (step.call.verb == Verb::rereg_mr) return change_arguments(s, step, Argument::access, scope);
  return region_access(scope);
}

Choices iovas(const Step& step) {
  const auto in_page = step.call.address.value() % kPageSize;
  return choose({in_page}, {step.call.address.value(), in_page + 1, ~(kPageSize - 1) + in_page});
}

/// What a call's next argument can be.
Choices plain_choices(
    const State<Plain>& s, const Step& step, Argument argument, const PlainScope& scope) {
  if (argument == form_of(step.call.verb).target) return new_objects(s, argument);
  switch (argument) {
    case Argument::pd:
      if (step.call.verb == Verb::rereg_mr) return change_arguments(s, step, argument, scope);
      break;
    case Argument::qp: return pairs(s, step, scope);
    case Argument::address: return addresses(s, step, scope);
    case Argument::offset: return choose({0}, {kPageSize, 8, kFar});
    case Argument::length:
    case Argument::stretch: return lengths(s, step, scope);
    case Argument::iova: return iovas(step);
    case Argument::access: return accesses(s, step, scope);
    case Argument::changes: return choose({kChangeTranslation, kChangePd, kChangeAccess}, {0, 8});
    case Argument::elements:
      return scope.is_last || step.call.verb == Verb::advise_mr ? last_elements(s, step, scope.wide)
                                                                : early_elements(s, step);
    case Argument::rkey: return remote_keys(s, step, scope);
    case Argument::remote:
      return scope.is_last ? remote_places(s, step) : choose({buffer_address(0)});
    case Argument::operand: return choose({1}, {1ULL << 32U, kFar});
    default: break;
  }
  return choices_of(s, step, argument);
}

/// The choices without those that stand there before.
Choices each_once(Choices choices) {
  std::vector<Choice> seen;
  const auto is_seen = [&](const Choice& choice) {
    const bool is = std::find(seen.begin(), seen.end(), choice) != seen.end();
    if (!is) seen.push_back(choice);
    return is;
  };
  std::erase_if(choices.sound, is_seen);
  std::erase_if(choices.odd, is_seen);
  return choices;
}

/// The same call with a second element: eight bytes on, or with a bad key.
void with_second_element(
    const State<Plain>& state, Step step, const std::function<void(const Step&)>& visit) {
  step.call.elements = 2;
  step.call.second.length = Plain::address(8);
  const auto first = step.call.address.value();
  for (const auto& key : {step.lkey, KeyName{}})
    for (const std::uint64_t by : {8U, 0U}) {
      step.second = key;
      step.call.second.address = Plain::address(first + by);
      resolve_keys(step, state);
      visit(step);
    }
}

}  // namespace

void each_plain_call(const State<Plain>& state, Verb verb, const PlainScope& scope,
    const std::function<void(const Step&)>& visit) {
  const bool several = has_elements(verb) && verb != Verb::advise_mr && !is_atomic(verb) &&
                       scope.second && (scope.is_last || verb == Verb::post_recv);
  const auto choose_from = [&](const State<Plain>& s, const Step& step, Argument argument) {
    return each_once(plain_choices(s, step, argument, scope));
  };
  each_call(state, verb, scope.odd, choose_from, [&](Step step) {
    resolve_keys(step, state);
    visit(step);
    if (several && step.call.length.value() == 8) with_second_element(state, step, visit);
  });
}

}  // namespace mrproof::model
