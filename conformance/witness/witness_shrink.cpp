// Making witnesses short and plain: whatever can be left out or simplified is, while they still
// show what they are to show.
#include <algorithm>

#include "conformance/oracle/judge_trace.hpp"
#include "conformance/oracle/synthesize.hpp"
#include "conformance/walk/small_calls.hpp"
#include "conformance/witness/witness.hpp"
#include "impl/layout.hpp"

namespace mrproof {

using namespace model;

namespace {

/// Tries changes to one trace and keeps those after which it still shows the item.
class Shrinker {
 public:
  Shrinker(Trace trace, std::string item) : trace_(std::move(trace)), item_(std::move(item)) {}

  Trace run() {
    for (bool again = true; again;) {
      again = delete_steps();
      again |= delete_given();
      for (std::size_t i = 0; i < trace_.steps.size(); ++i) again |= simplify(i);
      again |= rename();
    }
    return trace_;
  }

 private:
  bool try_change(const std::function<void(Trace&)>& change) {
    Trace changed = trace_;
    change(changed);
    if (!shows(changed, item_)) return false;
    trace_ = std::move(changed);
    return true;
  }
  /// The same for a step; false also if the change changes nothing.
  bool try_step(std::size_t i, const std::function<void(Step&)>& change) {
    Step changed = trace_.steps[i];
    change(changed);
    const auto text = [](const Step& s) { return print_call(s) + " " + print_result(s); };
    if (text(changed) == text(trace_.steps[i])) return false;
    return try_change([&](Trace& t) { t.steps[i] = changed; });
  }

  bool delete_steps() {
    bool any = false;
    for (std::size_t i = trace_.steps.size() - 1; i-- > 0;) {
      const auto erase = [&](Trace& t, std::size_t at) {
        t.steps.erase(t.steps.begin() + static_cast<std::ptrdiff_t>(at));
      };
      if (try_change([&](Trace& t) { erase(t, i); })) {
        any = true;
        continue;
      }
      for (std::size_t j = i; j-- > 0;)  // what is undone later goes with it
        if (try_change([&](Trace& t) {
              erase(t, i);
              erase(t, j);
            })) {
          any = true;
          --i;
          break;
        }
    }
    return any;
  }

  bool delete_given() {
    bool any = false;
    for (std::size_t i = 0; i < 4; i += 2) {
      if (trace_.setup.qp_pd.at(i) == Setup::kAbsent) continue;
      any |= try_change(
          [&](Trace& t) { t.setup.qp_pd.at(i) = t.setup.qp_pd.at(i + 1) = Setup::kAbsent; });
    }
    for (std::size_t i = 0; i < trace_.setup.pd.size(); ++i)
      if (trace_.setup.pd.at(i)) any |= try_change([&](Trace& t) { t.setup.pd.at(i) = false; });
    const Trace usual;
    if (trace_.can.max_message.value() != usual.can.max_message.value())
      any |= try_change([&](Trace& t) { t.can.max_message = usual.can.max_message; });
    if (trace_.can.claimed.value() != usual.can.claimed.value())
      any |= try_change([&](Trace& t) { t.can.claimed = usual.can.claimed; });
    for (unsigned bit = 0; bit < 13; ++bit) {
      const auto feature = Plain::flags(1U << bit);
      if (((trace_.can.features & feature) == feature).truth())
        any |= try_change([&](Trace& t) { t.can.features = t.can.features & ~feature; });
    }
    return any;
  }

  /// A number is replaced by the first of the list that does, if it does not stand there before.
  bool plainer(std::size_t i, Plain::Address Call<Plain>::*field,
               const std::vector<std::uint64_t>& values) {
    const auto now = (trace_.steps[i].call.*field).value();
    for (const auto value : values) {
      if (value == now) return false;
      if (try_step(i, [&](Step& s) { s.call.*field = Plain::address(value); })) return true;
    }
    return false;
  }

  bool simplify(std::size_t i) {
    bool any = false;
    using C = Call<Plain>;
    any |= try_step(i, [](Step& s) {
      s.keys_seen = false;
      s.result.lkey = s.result.rkey = Plain::key(0);
    });
    any |= try_step(i, [](Step& s) {
      s.call.elements = 1;
      s.call.second = {};
      s.second = {};
    });
    for (auto key : {&Step::rkey, &Step::lkey, &Step::second}) any |= name_key(i, key);
    const auto& call = trace_.steps[i].call;
    const bool ignored =
        call.verb == Verb::rereg_mr &&
        ((call.flags & Plain::flags(kChangeTranslation)) == Plain::flags(0)).truth();
    if (ignored) {
      any |= plainer(i, &C::length, {0});
      any |= plainer(i, &C::address, {0});
    }
    if (!ignored) any |= plainer(i, &C::length, {4096, 64, 8, 16384});
    const auto near = [](std::uint64_t at) -> std::vector<std::uint64_t> {
      for (std::size_t b = 0; b < kBufferCount; ++b)
        if (at >= buffer_address(b) && at < buffer_address(b) + buffer_size(b))
          return {buffer_address(b)};
      return {buffer_address(0), buffer_address(1), buffer_address(0) - kPageSize, 0};
    };
    if (!ignored) any |= plainer(i, &C::address, near(trace_.steps[i].call.address.value()));
    any |= plainer(i, &C::remote, near(trace_.steps[i].call.remote.value()));
    any |= plainer(i, &C::operand, {1});
    any |= plainer(i, &C::swap, {2});
    for (auto field : {&C::access, &C::flags})
      for (unsigned bit = 32; bit-- > 0;)
        any |=
            try_step(i, [&](Step& s) { s.call.*field = s.call.*field & ~Plain::flags(1U << bit); });
    for (auto key : {&Step::rkey, &Step::lkey, &Step::second})
      for (const std::uint32_t flip : {0U, 1U})
        if ((trace_.steps[i].*key).flip > (is_bind(trace_.steps[i].call.verb) ? 1U : flip))
          any |= try_step(i, [&](Step& s) { (s.*key).flip = is_bind(s.call.verb) ? 1U : flip; });
    for (const std::uint8_t qp : std::initializer_list<std::uint8_t>{0, 1})
      if (trace_.steps[i].call.qp > qp) any |= try_step(i, [&](Step& s) { s.call.qp = qp; });
    if (trace_.steps[i].call.pd > 0) any |= try_step(i, [](Step& s) { s.call.pd = 0; });
    return any;
  }

  /// A key of a region or window that never was is told as a number.
  bool name_key(std::size_t i, KeyName Step::*key) {
    const KeyName name = trace_.steps[i].*key;
    const bool window =
        name.kind == KeyName::Kind::window_rkey || name.kind == KeyName::Kind::old_window_rkey;
    for (std::size_t j = 0; j < i; ++j) {
      const auto& c = trace_.steps[j].call;
      if (window ? c.verb == Verb::alloc_mw && c.mw == name.slot
                 : makes_region(c.verb) && c.mr == name.slot)
        return false;
    }
    const KeyName number{KeyName::Kind::value, 0, 0, 0x7};
    return name.kind != number.kind && try_step(i, [&](Step& s) { s.*key = number; });
  }

  /// Objects get the lowest free numbers.
  bool rename() {
    bool any = false;
    for (std::uint8_t from = 1; from < 8; ++from)
      for (std::uint8_t to = 0; to < from; ++to)
        any |= try_rename(from, to, &Call<Plain>::mr) || try_rename(from, to, &Call<Plain>::mw);
    return any;
  }
  bool try_rename(std::uint8_t from, std::uint8_t to, std::uint8_t Call<Plain>::*slot) {
    const bool window = slot == &Call<Plain>::mw;
    const auto of_kind = [&](const KeyName& k) {
      const bool is_window =
          k.kind == KeyName::Kind::window_rkey || k.kind == KeyName::Kind::old_window_rkey;
      return k.kind != KeyName::Kind::value && is_window == window;
    };
    const auto names = [&](const Step& s, std::uint8_t number) {
      for (const auto* key : {&s.lkey, &s.second, &s.rkey})
        if (of_kind(*key) && key->slot == number) return true;
      const std::string text = print_call(s);
      return text.find((window ? "mw" : "mr") + std::to_string(number)) != std::string::npos;
    };
    const auto& steps = trace_.steps;
    const auto anywhere = [&](std::uint8_t n) {
      return std::any_of(steps.begin(), steps.end(), [&](const Step& s) { return names(s, n); });
    };
    if (!anywhere(from) || anywhere(to)) return false;
    return try_change([&](Trace& t) {
      for (auto& s : t.steps) {
        if (s.call.*slot == from) s.call.*slot = to;
        if (!window && s.call.source == from) s.call.source = to;
        for (auto* key : {&s.lkey, &s.second, &s.rkey})
          if (of_kind(*key) && key->slot == from) key->slot = to;
      }
    });
  }

  Trace trace_;
  std::string item_;
};

}  // namespace

Trace with_sound_result(const Trace& trace, const std::string& item) {
  const auto& book = *find_rulebook(trace.dialect);
  const Trace judged = judge_trace(parse_trace(print_trace(trace), ""), book, "");
  const Step& last = judged.steps.back();
  const PlainRule* rule = book.find(last.annotations.front().rule);
  const Oracle oracle = oracle_before(judged, book, judged.steps.size() - 1);
  const auto seen = rule == nullptr ? std::nullopt : seen_by(*rule, oracle.state(), last.call);
  if (!seen || !last.bytes.empty() || last.keys_seen) return trace;
  Trace sound = trace;
  sound.steps.back().result = *seen;
  sound.steps.back().result.lkey = sound.steps.back().result.rkey = Plain::key(0);
  return shows(sound, item) ? sound : trace;
}

std::optional<Trace> shrink_witness(Trace trace, const std::string& item) {
  if (!shows(trace, item)) return std::nullopt;
  return with_sound_result(Shrinker(std::move(trace), item).run(), item);
}

}  // namespace mrproof
