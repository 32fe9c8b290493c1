// Moves that change values: numbers, flags, keys, verbs.
#include <algorithm>
#include <array>

#include "model/trace/layout.hpp"
#include "model/trace/trace_form.hpp"
#include "property-tests/shrink/shrink_moves.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

/// A number in a step.
struct Number {
  Plain::Address* value;
  bool is_length;
};

std::vector<Number> numbers_in(model::Step& step) {
  auto& c = step.call;
  std::vector<Number> all;
  for (const auto argument : model::form_of(c.verb).arguments) {
    switch (argument) {
      case model::Argument::address:
      case model::Argument::offset: all.push_back({&c.address, false}); break;
      case model::Argument::length:
      case model::Argument::stretch: all.push_back({&c.length, true}); break;
      case model::Argument::iova: all.push_back({&c.iova, false}); break;
      case model::Argument::remote: all.push_back({&c.remote, false}); break;
      case model::Argument::operand: all.push_back({&c.operand, true}); break;
      case model::Argument::swap: all.push_back({&c.swap, true}); break;
      case model::Argument::elements:
        all.push_back({&c.address, false});
        all.push_back({&c.length, true});
        if (c.elements != 2) break;
        all.push_back({&c.second.address, false});
        all.push_back({&c.second.length, true});
        break;
      default: break;
    }
  }
  return all;
}

/// Numbers that stand somewhere in the trace: what one value is compared with.
std::vector<std::uint64_t> all_numbers(const ShrinkForm& form, bool lengths) {
  std::vector<std::uint64_t> all;
  for (model::Step step : form.steps)
    for (const auto& number : numbers_in(step))
      if (number.is_length == lengths) all.push_back(number.value->value());
  return all;
}

/// Values on the way from a plain one to the present one.
void add_between(std::uint64_t plain, std::uint64_t now, std::vector<std::uint64_t>& values) {
  for (std::uint64_t gap = now - plain; gap > 0 && now >= plain; gap /= 2)
    values.push_back(now - gap);
}

std::vector<std::uint64_t> plainer_lengths(std::uint64_t now) {
  std::vector<std::uint64_t> values{
      8, model::kPageSize,    64, 1, 2 * model::kPageSize, 16, 0, ~std::uint64_t{0}, 2, 9, 65,
      4, model::kPageSize + 1};
  add_between(0, now, values);
  if (now > ~now) {  // near the end of all numbers
    add_between(0, ~now, values);
    for (std::uint64_t gap = ~now; gap > 0; gap /= 2) values.push_back(now + gap);
  }
  return values;
}

std::vector<std::uint64_t> plainer_addresses(std::uint64_t now) {
  std::vector<std::uint64_t> values{0, 8, model::kPageSize, ~std::uint64_t{0}};
  for (std::size_t b = 0; b < model::kBufferCount; ++b) {
    const auto start = model::buffer_address(b);
    for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{8}, model::kPageSize})
      values.push_back(start + offset);
    if (now > start && now < start + model::buffer_size(b) + model::kPageSize)
      add_between(start, now, values);
    if (now < start && now + model::kPageSize >= start)
      for (std::uint64_t gap = start - now; gap > 0; gap /= 2) values.push_back(start - gap);
  }
  return values;
}

std::vector<std::uint64_t> plainer(const Number& number) {
  const auto now = number.value->value();
  return number.is_length ? plainer_lengths(now) : plainer_addresses(now);
}

/// Every number of that kind and value replaced.
ShrinkForm replaced(const ShrinkForm& form, bool lengths, std::uint64_t from, std::uint64_t to) {
  ShrinkForm other = form;
  for (model::Step& step : other.steps)
    for (const auto& number : numbers_in(step))
      if (number.is_length == lengths && number.value->value() == from)
        *number.value = Plain::address(to);
  if (lengths && from < 256 && to < 256)  // a pattern's seed may be bound to a length
    for (model::Step& step : other.steps)
      if (step.call.verb == Verb::fill && step.call.seed == from)
        step.call.seed = static_cast<std::uint8_t>(to);
  return other;
}

/// No length above the limit.
ShrinkForm limited(const ShrinkForm& form, std::uint64_t limit) {
  ShrinkForm other = form;
  for (model::Step& step : other.steps)
    for (const auto& number : numbers_in(step))
      if (number.is_length && number.value->value() > limit) *number.value = Plain::address(limit);
  return other;
}

void propose_single_values(const ShrinkForm& form, const Propose& propose) {
  for (std::size_t i = 0; i < form.steps.size(); ++i) {
    model::Step step = form.steps[i];
    for (const auto& number : numbers_in(step)) {
      const auto now = *number.value;
      auto values = plainer(number);
      for (const auto other : all_numbers(form, number.is_length)) values.push_back(other);
      for (const auto value : values) {
        *number.value = Plain::address(value);
        ShrinkForm changed = form;
        changed.steps[i] = step;
        propose(changed);
      }
      *number.value = now;
    }
  }
}

/// An address moves and the length beside it gives or takes the difference: the end stays.
void propose_kept_ends(const ShrinkForm& form, const Propose& propose) {
  for (std::size_t i = 0; i < form.steps.size(); ++i) {
    const auto& c = form.steps[i].call;
    for (const std::uint64_t length : {8U, 64U, 4096U, 1U}) {
      ShrinkForm changed = form;
      auto& call = changed.steps[i].call;
      const std::uint64_t by = c.length.value() - length;
      if (by == 0) continue;
      call.length = Plain::address(length);
      ShrinkForm far = changed;
      call.address = Plain::address(c.address.value() + by);
      propose(changed);
      if (!is_remote(c.verb)) continue;
      far.steps[i].call.remote = Plain::address(c.remote.value() + by);
      propose(far);
      changed.steps[i].call.remote = Plain::address(c.remote.value() + by);
      propose(changed);
    }
  }
}

using FlagField = Plain::Flags Call<Plain>::*;

void propose_flags(const ShrinkForm& form, std::size_t at, FlagField field, std::uint32_t flags,
                   const Propose& propose) {
  if ((form.steps[at].call.*field).value() == flags) return;
  ShrinkForm less = form;
  less.steps[at].call.*field = Plain::flags(flags);
  propose(less);
}

void propose_key(const ShrinkForm& form, std::size_t at, model::KeyName Step::*field,
                 const model::KeyName& key, const Propose& propose) {
  if (form.steps[at].*field == key) return;
  ShrinkForm other = form;
  other.steps[at].*field = key;
  propose(other);
}

void propose_keys(const ShrinkForm& form, std::size_t at, model::KeyName Step::*field,
                  const Propose& propose) {
  const model::KeyName now = form.steps[at].*field;
  const bool local = field != &model::Step::rkey;
  using Kind = model::KeyName::Kind;
  std::vector<model::KeyName> keys{{Kind::value, 0, 0, 0}, {Kind::value, 0, 0, 7}};
  for (std::size_t i = 0; i < at; ++i) {
    const auto& c = form.steps[i].call;
    for (const std::uint32_t flip : {0U, 1U, 0x100U}) {
      if (makes_region(c.verb)) {
        keys.push_back({local ? Kind::lkey : Kind::rkey, c.mr, flip, 0});
        keys.push_back({local ? Kind::rkey : Kind::lkey, c.mr, flip, 0});
      }
      if (c.verb == Verb::alloc_mw) keys.push_back({Kind::window_rkey, c.mw, flip, 0});
    }
  }
  if (now.flip != 0)
    for (unsigned bit = 0; bit < 32; ++bit) {
      model::KeyName key = now;
      key.flip = 1U << bit;
      keys.push_back(key);
    }
  for (const auto& key : keys) propose_key(form, at, field, key, propose);
}

constexpr std::array<model::KeyName Step::*, 3> kKeys{&model::Step::lkey, &model::Step::second,
                                                      &model::Step::rkey};

/// A key that is used several times replaced wherever it is used, if the plainer one exists by
/// then.
void propose_renamed_keys(const ShrinkForm& form, const Propose& propose) {
  const auto rename = [&](const model::KeyName& from, const model::KeyName& to) {
    ShrinkForm renamed = form;
    for (model::Step& step : renamed.steps)
      for (const auto key : kKeys)
        if (step.*key == from) step.*key = to;
    propose(renamed);
  };
  for (const model::Step& user : form.steps)
    for (const auto key : kKeys) {
      const model::KeyName now = user.*key;
      if (now == model::KeyName{}) continue;
      rename(now, {});
      rename(now, {now.kind, now.slot, 0, 0});
      for (const model::Step& maker : form.steps) {
        const bool region = makes_region(maker.call.verb);
        if (!region && maker.call.verb != Verb::alloc_mw) continue;
        const auto slot = region ? maker.call.mr : maker.call.mw;
        for (const std::uint32_t flip : {0U, now.flip}) {
          if (!region) rename(now, {model::KeyName::Kind::window_rkey, slot, flip, 0});
          if (region) rename(now, {model::KeyName::Kind::lkey, slot, flip, 0});
          if (region) rename(now, {model::KeyName::Kind::rkey, slot, flip, 0});
        }
      }
    }
}

void propose_verb(const ShrinkForm& form, std::size_t at, Verb verb, const Propose& propose) {
  ShrinkForm other = form;
  other.steps[at].call.verb = verb;
  propose(other);
}

/// The window of another type, bound in the way of that type.
void propose_window_type(const ShrinkForm& form, std::uint32_t window, bool two,
                         const Propose& propose) {
  ShrinkForm other = form;
  for (model::Step& step : other.steps) {
    auto& c = step.call;
    if ((c.verb != Verb::alloc_mw && !is_bind(c.verb)) || c.mw != window) continue;
    if (c.verb == Verb::alloc_mw) {
      c.option = two ? kTypeTwo : kTypeOne;
    } else {
      c.verb = two ? Verb::post_bind_mw : Verb::bind_mw;
      step.rkey =
          two ? model::KeyName{model::KeyName::Kind::window_rkey, window, 1, 0} : model::KeyName{};
    }
  }
  propose(other);
}

void propose_plainer_verbs(const ShrinkForm& form, std::size_t at, const Propose& propose) {
  switch (form.steps[at].call.verb) {
    case Verb::reg_mr_ex: propose_verb(form, at, Verb::reg_mr_iova, propose); [[fallthrough]];
    case Verb::reg_mr_iova: propose_verb(form, at, Verb::reg_mr, propose); break;
    case Verb::send_with_inv: propose_verb(form, at, Verb::send, propose); break;
    case Verb::rdma_write_with_imm: propose_verb(form, at, Verb::rdma_write, propose); break;
    case Verb::alloc_mw:
      for (const bool two : {false, true})
        propose_window_type(form, form.steps[at].call.mw, two, propose);
      break;
    default: break;
  }
}

void propose_elements(const ShrinkForm& form, std::size_t at, const Propose& propose) {
  const model::Step& step = form.steps[at];
  if (!has_elements(step.call.verb) || step.call.elements != 2) return;
  ShrinkForm first = form;
  first.steps[at].call.elements = 1;
  first.steps[at].call.second = {};
  first.steps[at].second = {};
  ShrinkForm second = first;
  second.steps[at].call.address = step.call.second.address;
  second.steps[at].call.length = step.call.second.length;
  second.steps[at].lkey = step.second;
  propose(first);
  propose(second);
  ShrinkForm swapped = form;
  auto& call = swapped.steps[at].call;
  std::swap(call.address, call.second.address);
  std::swap(call.length, call.second.length);
  std::swap(swapped.steps[at].lkey, swapped.steps[at].second);
  propose(swapped);
}

/// No delay before the call, or a rounder one.
void propose_delays(const ShrinkForm& form, std::size_t at, const Propose& propose) {
  const auto now = form.steps[at].call.delay;
  if (now == 0) return;
  std::vector<std::uint64_t> values{0};
  values.insert(values.end(), kRoundDelays);
  add_between(0, now, values);
  for (const auto value : values) {
    ShrinkForm other = form;
    other.steps[at].call.delay = static_cast<std::uint32_t>(value);
    propose(other);
  }
}

void propose_small_fields(const ShrinkForm& form, std::size_t at, const Propose& propose) {
  for (std::uint8_t value = 0; value < 3; ++value) {
    ShrinkForm other = form;
    auto& call = other.steps[at].call;
    if (call.verb == Verb::fill) call.seed = static_cast<std::uint8_t>(7 + value);
    if (call.verb == Verb::protect || call.verb == Verb::advise_mr) call.option = value;
    propose(other);
  }
}

bool has_argument(const model::Step& step, model::Argument argument) {
  const auto arguments = model::form_of(step.call.verb).arguments;
  return std::find(arguments.begin(), arguments.end(), argument) != arguments.end();
}

}  // namespace

void with_plainer_values(const ShrinkForm& form, const Propose& propose) {
  for (const std::uint64_t limit : {8U, 64U, 4096U, 8192U}) propose(limited(form, limit));
  for (model::Step step : form.steps)
    for (const auto& number : numbers_in(step))
      for (const auto value : plainer(number))
        propose(replaced(form, number.is_length, number.value->value(), value));
  propose_single_values(form, propose);
  propose_kept_ends(form, propose);
}

void with_fewer_flags(const ShrinkForm& form, const Propose& propose) {
  for (const FlagField field : {&Call<Plain>::access, &Call<Plain>::flags}) {
    for (unsigned bit = 0; bit < 32; ++bit) {
      ShrinkForm less = form;
      for (model::Step& step : less.steps)
        step.call.*field = step.call.*field & ~Plain::flags(1U << bit);
      propose(less);
    }
    for (std::size_t i = 0; i < form.steps.size(); ++i) {
      const auto now = static_cast<std::uint32_t>((form.steps[i].call.*field).value());
      for (unsigned a = 0; a < 32; ++a)
        for (unsigned b = 0; b < 32; ++b) {
          const std::uint32_t both = (1U << a) | (1U << b);
          if ((now & both) == both) propose_flags(form, i, field, now & ~both, propose);
          // another flag for the same: REMOTE_READ for REMOTE_WRITE, and the like
          if ((now & both) == 1U << a && b < a)
            propose_flags(form, i, field, (now & ~both) | (1U << b), propose);
        }
      propose_flags(form, i, field, 0, propose);
    }
  }
}

void with_plainer_calls(const ShrinkForm& form, const Propose& propose) {
  propose_renamed_keys(form, propose);
  for (std::size_t i = 0; i < form.steps.size(); ++i) {
    const model::Step& step = form.steps[i];
    propose_elements(form, i, propose);
    propose_small_fields(form, i, propose);
    propose_delays(form, i, propose);
    if (i + 1 < form.steps.size()) propose_plainer_verbs(form, i, propose);
    if (has_elements(step.call.verb)) propose_keys(form, i, &model::Step::lkey, propose);
    if (has_elements(step.call.verb) && step.call.elements == 2)
      propose_keys(form, i, &model::Step::second, propose);
    if (has_argument(step, model::Argument::rkey))
      propose_keys(form, i, &model::Step::rkey, propose);
  }
}

}  // namespace mrproof::property_tests
