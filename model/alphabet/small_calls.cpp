#include "model/alphabet/small_calls.hpp"

#include <algorithm>

#include "model/trace/layout.hpp"
#include "model/view.hpp"

namespace mrproof::model {

namespace {

/// The lowest free slot; few objects are enough for anything.
template <class Slots> Values first_free(const Slots& slots, std::size_t most) {
  if (live(slots).size() >= most) return {};
  return {slots_where(slots, [](const auto& s) { return !s.live.truth(); }).front()};
}

Choices memory_addresses(const State<Plain>& s, const Step& step) {
  const auto base = [](std::size_t i) { return buffer_address(i); };
  if (is_bind(step.call.verb)) {
    const auto& r = s.regions.at(step.call.mr);
    const auto first = r.first.value();
    return choose({first, first + 8, first + 64}, {first - 1, r.last.value(), 0});
  }
  if (step.call.verb == Verb::protect)
    return choose({base(0), base(1), base(3) + kPageSize}, {base(0) + kPageSize, base(3)});
  if (step.call.verb == Verb::fill) return choose({base(0), base(1)});
  return choose({base(0), base(1), base(2), base(3), base(0) + kPageSize},
      {base(3) + kPageSize, base(0) - kPageSize, base(0) + 64, 0, base(1) + 4000});
}

Choices lengths(const Step& step) {
  switch (step.call.verb) {
    case Verb::protect: return choose({kPageSize}, {2 * kPageSize});
    case Verb::fill: return choose({64});
    case Verb::bind_mw:
    case Verb::post_bind_mw: return choose({64, 4096, 8}, {0, 8192, 8193, ~std::uint64_t{0}});
    default: return choose({4096, 8192, 64}, {0, 8, 16384, 8193, ~std::uint64_t{0}});
  }
}

Choices accesses(const Step& step) {
  if (step.call.verb == Verb::modify_qp)
    return choose({kRemoteRead, kRemoteWrite, kPairRights}, {0, kRemoteAtomic, kLocalWrite});
  constexpr auto kAll = kLocalWrite | kRemoteWrite | kRemoteRead;
  if (is_bind(step.call.verb))
    return choose({kRemoteRead, kRemoteWrite | kRemoteRead, kRemoteWrite, kRemoteAtomic,
                      kRemoteRead | kZeroBased},
        {0, kLocalWrite, kMwBind, kRemoteRead | (1U << 12U)});
  return choose({kLocalWrite, kAll, kAll | kMwBind | kRemoteAtomic, kAll | kRemoteAtomic, 0},
      {kRemoteWrite, kLocalWrite | kMwBind, kRemoteRead, kAll | kOnDemand, kAll | kZeroBased,
          kRemoteAtomic, kRemoteRead | kMwBind, kLocalWrite | (1U << 12U), kLocalWrite | kHugetlb,
          kLocalWrite | kHugetlb | kOnDemand, kOnDemand, kOnDemand | kMwBind | kAll,
          kLocalWrite | kRelaxedOrdering, kAll | kShared, kAll | kAllocateMr,
          kLocalWrite | kPeerMemory, kAll | kZeroBased | kMwBind});
}

Choices iovas(const Step& step) {
  const auto address = step.call.address.value();
  if (step.call.verb == Verb::reg_dmabuf_mr)
    return choose({0, 0x100000, buffer_address(1)}, {8, ~std::uint64_t{4095}});
  return choose({address, 0x100000 + (address & 4095), 0},
      {address + 8, ~std::uint64_t{4095}, buffer_address(1)});
}

/// A key of each live region and each window as `kind` and `window` say, and keys that are wrong.
Choices keys(const State<Plain>& s, KeyName::Kind kind, bool windows) {
  Choices choices;
  const auto name = [](KeyName::Kind k, std::uint64_t slot, std::uint32_t flip) {
    return Choice{0, {k, static_cast<std::uint32_t>(slot), flip, 0}, 0};
  };
  const auto old = kind == KeyName::Kind::lkey ? KeyName::Kind::old_lkey : KeyName::Kind::old_rkey;
  for (const auto i : live(s.regions)) choices.sound.push_back(name(kind, i, 0));
  for (std::size_t i = 0; i < 3; ++i) {
    if (!s.regions.at(i).live.truth()) choices.odd.push_back(name(kind, i, 0));
    if (s.regions.at(i).old_lkey.value() != 0) choices.odd.push_back(name(old, i, 0));
  }
  if (windows) {
    for (const auto i : live(s.windows)) {
      choices.sound.push_back(name(KeyName::Kind::window_rkey, i, 0));
      choices.odd.push_back(name(KeyName::Kind::old_window_rkey, i, 0));
    }
  }
  choices.odd.push_back({0, {KeyName::Kind::value, 0, 0, 0x7a7a00}, 0});
  return choices;
}

/// Elements: places in what the keys name, and beyond.
Choices elements(const State<Plain>& s, const Step& step) {
  Choices choices;
  const auto named = keys(s, KeyName::Kind::lkey, false);
  const bool atomic = is_atomic(step.call.verb);
  const auto add = [&](std::vector<Choice>& list, const Choice& choice, std::uint64_t at,
                       std::uint64_t length) {
    list.push_back({at, choice.key, length});
  };
  const auto places = [&](const Choice& choice, std::vector<Choice>& sound) {
    const auto& r = s.regions.at(choice.key.slot);
    const auto first = r.null.truth() ? buffer_address(0) : r.first.value();
    add(sound, choice, first, atomic ? 8 : 64);
    if (atomic) return;
    add(sound, choice, first + 8, 8);
    add(choices.odd, choice, first, 0);
    add(choices.odd, choice, first - 1, 64);
    add(choices.odd, choice, first, r.null.truth() ? 4096 : r.last.value() - first + 2);
    add(choices.odd, choice, first + kPageSize, 64);
    add(choices.odd, choice, first, 2048);
  };
  for (const auto& choice : named.sound) places(choice, choices.sound);
  for (const auto& choice : named.odd) add(choices.odd, choice, buffer_address(0), atomic ? 8 : 64);
  if (atomic)
    for (const auto& choice : named.sound)
      add(choices.odd, choice, s.regions.at(choice.key.slot).last.value() - 3, 8);
  return choices;
}

Choices remote_keys(const State<Plain>& s, const Step& step) {
  using Kind = KeyName::Kind;
  Choices choices = keys(s, Kind::rkey, true);
  if (step.call.verb == Verb::post_bind_mw) {
    const auto own = [&](std::uint32_t flip) {
      return Choice{0, {Kind::window_rkey, step.call.mw, flip, 0}, 0};
    };
    choices.sound = {own(1)};
    choices.odd = {own(0), own(0x100), own(3)};
  } else if (!is_remote(step.call.verb)) {  // what is to be invalidated: windows first
    std::reverse(choices.sound.begin(), choices.sound.end());
  }
  return choices;
}

Choices remote_places(const State<Plain>& s, const Step& step) {
  const bool window = step.rkey.kind == KeyName::Kind::window_rkey;
  const auto& w = s.windows.at(window ? step.rkey.slot : 0);
  const auto& r = s.regions.at(window ? 0 : step.rkey.slot);
  const auto first = window ? w.first.value() : r.first.value();
  const auto last = window ? w.last.value() : r.last.value();
  return choose({first, first + 8, first + kPageSize / 2},
      {first - 1, last - 3, last + 1, first + 4, first + kPageSize, ~std::uint64_t{0}});
}

/// Slots that arguments name.
Choices handles(const State<Plain>& s, const Step& step, Argument argument) {
  const Verb verb = step.call.verb;
  switch (argument) {
    case Argument::pd: return choose(verb == Verb::alloc_pd ? first_free(s.pds, 3) : live(s.pds));
    case Argument::mr:
      return choose(makes_region(verb) ? first_free(s.regions, 3) : live(s.regions));
    case Argument::mw:
      return choose(verb == Verb::alloc_mw ? first_free(s.windows, 2) : live(s.windows));
    case Argument::source: return choose(live(s.regions));
    default: {
      Values first;  // one pair is enough for most
      Values others;
      for (const auto qp : live(s.qps)) (qp < 2 ? first : others).push_back(qp);
      return choose(first, others);
    }
  }
}

}  // namespace

Choices choices_of(const State<Plain>& s, const Step& step, Argument argument) {
  switch (argument) {
    case Argument::pd:
    case Argument::mr:
    case Argument::mw:
    case Argument::qp:
    case Argument::source: return handles(s, step, argument);
    case Argument::address: return memory_addresses(s, step);
    case Argument::offset: return choose({0, kPageSize}, {8192, 64});
    case Argument::length:
    case Argument::stretch: return lengths(step);
    case Argument::iova: return iovas(step);
    case Argument::access: return accesses(step);
    case Argument::changes: return choose({1, 2, 4}, {3, 5, 6, 7, 0, 8});
    case Argument::advise_flags: return choose({0, kAdviseFlush}, {2});
    case Argument::advice: return choose({kPrefetch, kPrefetchWrite, kPrefetchNoFault}, {5});
    case Argument::window_type: return choose({kTypeOne, kTypeTwo});
    case Argument::protection: return choose({kNoPages, kReadPages, kWritePages});
    case Argument::elements: return elements(s, step);
    case Argument::rkey: return remote_keys(s, step);
    case Argument::remote: return remote_places(s, step);
    case Argument::operand: return choose({1});
    case Argument::swap: return choose({2});
    case Argument::seed: return choose({7});
    case Argument::none: break;
  }
  return {};
}

void each_call(const State<Plain>& state, Verb verb, unsigned odd,
    const std::function<void(const Step&)>& visit) {
  each_call(state, verb, odd, choices_of, visit);
}

}  // namespace mrproof::model
