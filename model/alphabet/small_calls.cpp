#include "model/alphabet/small_calls.hpp"

#include <algorithm>

#include "model/trace/layout.hpp"
#include "model/view.hpp"

namespace mrproof::model {

namespace {

using Values = std::vector<std::uint64_t>;

Choices plain(const Values& sound, const Values& odd = {}) {
  Choices choices;
  for (const auto value : sound) choices.sound.push_back({value, {}, 0});
  for (const auto value : odd) choices.odd.push_back({value, {}, 0});
  return choices;
}

template <class Slots, class Predicate>
Values slots_where(const Slots& slots, Predicate&& predicate) {
  Values found;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (predicate(slots.at(i))) found.push_back(i);
  return found;
}
template <class Slots> Values live(const Slots& slots) {
  return slots_where(slots, [](const auto& s) { return s.live.truth(); });
}
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
    return plain({first, first + 8, first + 64}, {first - 1, r.last.value(), 0});
  }
  if (step.call.verb == Verb::protect)
    return plain({base(0), base(1), base(3) + kPageSize}, {base(0) + kPageSize, base(3)});
  if (step.call.verb == Verb::fill) return plain({base(0), base(1)});
  return plain({base(0), base(1), base(2), base(3), base(0) + kPageSize},
      {base(3) + kPageSize, base(0) - kPageSize, base(0) + 64, 0, base(1) + 4000});
}

Choices lengths(const Step& step) {
  switch (step.call.verb) {
    case Verb::protect: return plain({kPageSize}, {2 * kPageSize});
    case Verb::fill: return plain({64});
    case Verb::bind_mw:
    case Verb::post_bind_mw: return plain({64, 4096, 8}, {0, 8192, 8193, ~std::uint64_t{0}});
    default: return plain({4096, 8192, 64}, {0, 8, 16384, 8193, ~std::uint64_t{0}});
  }
}

Choices accesses(const Step& step) {
  constexpr auto kAll = kLocalWrite | kRemoteWrite | kRemoteRead;
  if (is_bind(step.call.verb))
    return plain({kRemoteRead, kRemoteWrite | kRemoteRead, kRemoteWrite, kRemoteAtomic,
                     kRemoteRead | kZeroBased},
        {0, kLocalWrite, kMwBind, kRemoteRead | (1U << 12U)});
  return plain({kLocalWrite, kAll, kAll | kMwBind | kRemoteAtomic, kAll | kRemoteAtomic, 0},
      {kRemoteWrite, kLocalWrite | kMwBind, kRemoteRead, kAll | kOnDemand, kAll | kZeroBased,
          kRemoteAtomic, kRemoteRead | kMwBind, kLocalWrite | (1U << 12U), kLocalWrite | kHugetlb,
          kLocalWrite | kHugetlb | kOnDemand, kOnDemand, kOnDemand | kMwBind | kAll,
          kLocalWrite | kRelaxedOrdering, kAll | kShared, kAll | kAllocateMr,
          kLocalWrite | kPeerMemory, kAll | kZeroBased | kMwBind});
}

Choices iovas(const Step& step) {
  const auto address = step.call.address.value();
  if (step.call.verb == Verb::reg_dmabuf_mr)
    return plain({0, 0x100000, buffer_address(1)}, {8, ~std::uint64_t{4095}});
  return plain({address, 0x100000 + (address & 4095), 0},
      {address + 8, ~std::uint64_t{4095}, buffer_address(1)});
}

/// A key of each live region and each window as `kind` and `window` say, and keys that are wrong.
Choices keys(const State<Plain>& s, KeyName::Kind kind, bool windows) {
  Choices choices;
  const auto name = [](KeyName::Kind k, std::uint64_t slot, std::uint32_t flip) {
    return Choice{0, {k, static_cast<std::uint8_t>(slot), flip, 0}, 0};
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
  return plain({first, first + 8, first + kPageSize / 2},
      {first - 1, last - 3, last + 1, first + 4, first + kPageSize, ~std::uint64_t{0}});
}

/// Slots that arguments name.
Choices handles(const State<Plain>& s, const Step& step, Argument argument) {
  const Verb verb = step.call.verb;
  switch (argument) {
    case Argument::pd: return plain(verb == Verb::alloc_pd ? first_free(s.pds, 3) : live(s.pds));
    case Argument::mr:
      return plain(makes_region(verb) ? first_free(s.regions, 3) : live(s.regions));
    case Argument::mw:
      return plain(verb == Verb::alloc_mw ? first_free(s.windows, 2) : live(s.windows));
    case Argument::source: return plain(live(s.regions));
    default: {
      Values first;  // one pair is enough for most
      Values others;
      for (const auto qp : live(s.qps)) (qp < 2 ? first : others).push_back(qp);
      return plain(first, others);
    }
  }
}

void apply(Step& step, Argument argument, const Choice& choice) {
  auto& c = step.call;
  const auto small = static_cast<std::uint8_t>(choice.at);
  switch (argument) {
    case Argument::none: break;
    case Argument::pd: c.pd = small; break;
    case Argument::mr: c.mr = small; break;
    case Argument::mw: c.mw = small; break;
    case Argument::qp: c.qp = small; break;
    case Argument::source: c.source = small; break;
    case Argument::address:
    case Argument::offset: c.address = Plain::address(choice.at); break;
    case Argument::length:
    case Argument::stretch: c.length = Plain::address(choice.at); break;
    case Argument::iova: c.iova = Plain::address(choice.at); break;
    case Argument::access: c.access = Plain::flags(choice.at); break;
    case Argument::changes:
    case Argument::advise_flags: c.flags = Plain::flags(choice.at); break;
    case Argument::advice:
    case Argument::window_type:
    case Argument::protection: c.option = small; break;
    case Argument::elements:
      step.lkey = choice.key;
      c.address = Plain::address(choice.at);
      c.length = Plain::address(choice.length);
      break;
    case Argument::rkey: step.rkey = choice.key; break;
    case Argument::remote: c.remote = Plain::address(choice.at); break;
    case Argument::operand: c.operand = Plain::address(choice.at); break;
    case Argument::swap: c.swap = Plain::address(choice.at); break;
    case Argument::seed: c.seed = small; break;
  }
}

std::vector<Argument> arguments_of(Verb verb) {
  const Form form = form_of(verb);
  std::vector<Argument> arguments;
  // The target first: others may depend on it.
  if (form.target != Argument::none) arguments.push_back(form.target);
  for (const auto argument : form.arguments)
    if (argument != Argument::none) arguments.push_back(argument);
  // A key wanted for a window depends on the window only, a bind's range on the region.
  return arguments;
}

void fill_in(const State<Plain>& state, const std::vector<Argument>& arguments, std::size_t next,
    Step& step, unsigned odd, const Choose& choose, const std::function<void(const Step&)>& visit) {
  if (next == arguments.size()) return visit(step);
  const auto choices = choose(state, step, arguments[next]);
  for (const auto& choice : choices.sound) {
    apply(step, arguments[next], choice);
    fill_in(state, arguments, next + 1, step, odd, choose, visit);
  }
  if (odd == 0) return;
  for (const auto& choice : choices.odd) {
    apply(step, arguments[next], choice);
    fill_in(state, arguments, next + 1, step, odd - 1, choose, visit);
  }
}

Step call_of(Verb verb) {
  Step step;
  step.call.verb = verb;
  step.result.own_receive = Plain::small(Outcome::none);
  step.result.peer_receive = Plain::small(Outcome::none);
  return step;
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
    case Argument::offset: return plain({0, kPageSize}, {8192, 64});
    case Argument::length:
    case Argument::stretch: return lengths(step);
    case Argument::iova: return iovas(step);
    case Argument::access: return accesses(step);
    case Argument::changes: return plain({1, 2, 4}, {3, 5, 6, 7, 0, 8});
    case Argument::advise_flags: return plain({0, 1}, {2});
    case Argument::advice: return plain({0, 1, 2}, {5});
    case Argument::window_type: return plain({kTypeOne, kTypeTwo});
    case Argument::protection: return plain({kNoPages, kReadPages, kWritePages});
    case Argument::elements: return elements(s, step);
    case Argument::rkey: return remote_keys(s, step);
    case Argument::remote: return remote_places(s, step);
    case Argument::operand: return plain({1});
    case Argument::swap: return plain({2});
    case Argument::seed: return plain({7});
    case Argument::none: break;
  }
  return {};
}

std::optional<Step> draw_call(
    const State<Plain>& state, Verb verb, Random& random, unsigned odd_percent) {
  Step step = call_of(verb);
  for (const auto argument : arguments_of(verb)) {
    const auto choices = choices_of(state, step, argument);
    const bool odd = !choices.odd.empty() && random.chance(odd_percent);
    const auto& list = odd ? choices.odd : choices.sound;
    if (list.empty()) return std::nullopt;
    apply(step, argument, list[random.below(list.size())]);
    if (argument != Argument::elements || is_atomic(verb) || !random.chance(12)) continue;
    const auto& extra = random.chance(odd_percent) ? choices.odd : choices.sound;
    if (extra.empty()) continue;
    const auto& second = extra[random.below(extra.size())];
    step.call.elements = 2;
    step.second = second.key;
    step.call.second.address = Plain::address(second.at);
    step.call.second.length = Plain::address(second.length);
  }
  return step;
}

void each_call(const State<Plain>& state, Verb verb, unsigned odd,
    const std::function<void(const Step&)>& visit) {
  each_call(state, verb, odd, choices_of, visit);
}

void each_call(const State<Plain>& state, Verb verb, unsigned odd, const Choose& choose,
    const std::function<void(const Step&)>& visit) {
  Step step = call_of(verb);
  fill_in(state, arguments_of(verb), 0, step, odd, choose, visit);
}

}  // namespace mrproof::model
