#include "property-tests/shrink/shrink_form.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <map>
#include <set>

#include "model/trace/layout.hpp"
#include "model/trace/trace_form.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

using Object = std::pair<ObjectKind, std::uint32_t>;

void mention_key(model::KeyName& key, std::vector<Mention>& all) {
  if (key.kind == model::KeyName::Kind::value) return;
  all.push_back({is_window_key(key) ? ObjectKind::mw : ObjectKind::mr, &key.slot, false, true});
}

void mention_argument(model::Step& step, model::Argument argument, bool target,
                      std::vector<Mention>& all) {
  auto& c = step.call;
  switch (argument) {
    case model::Argument::pd: all.push_back({ObjectKind::pd, &c.pd, target, false}); break;
    case model::Argument::mr: all.push_back({ObjectKind::mr, &c.mr, target, false}); break;
    case model::Argument::mw: all.push_back({ObjectKind::mw, &c.mw, target, false}); break;
    case model::Argument::source: all.push_back({ObjectKind::mr, &c.source, false, false}); break;
    case model::Argument::elements:
      mention_key(step.lkey, all);
      if (c.elements == 2) mention_key(step.second, all);
      break;
    case model::Argument::rkey: mention_key(step.rkey, all); break;
    default: break;
  }
}

/// What the step brings to an end, if it succeeds.
std::optional<Object> ended_by(const model::Step& step) {
  switch (step.call.verb) {
    case Verb::dealloc_pd: return Object{ObjectKind::pd, step.call.pd};
    case Verb::dereg_mr: return Object{ObjectKind::mr, step.call.mr};
    case Verb::dealloc_mw: return Object{ObjectKind::mw, step.call.mw};
    default: return std::nullopt;
  }
}

/// Whether the step has made its object, as far as one can see.
bool made_it(const model::Step& step) {
  return !step.observed || model::is_overlapping(step.call) || step.result.outcome == Outcome::ok;
}

/// The steps from which and to which an object needs its slot; -1 is before the first.
struct Span {
  Object object;
  std::ptrdiff_t from = -1;
  std::ptrdiff_t to = -1;
};

constexpr auto kForever = std::numeric_limits<std::ptrdiff_t>::max();

class SpanList {
 public:
  explicit SpanList(const ShrinkForm& form) {
    for (std::size_t i = 0; i < form.qp_pd.size(); ++i)
      if (form.qp_pd.at(i) != model::Setup::kAbsent) touch({ObjectKind::pd, form.qp_pd.at(i)}, -1);
    for (std::size_t i = 0; i < form.steps.size(); ++i) look(form, i);
    for (auto& span : spans_) {
      const bool given = span.object.first == ObjectKind::pd &&
                         std::find(form.given_pds.begin(), form.given_pds.end(),
                                   span.object.second) != form.given_pds.end();
      const bool lives = given || made_.contains(span.object);
      if (given) span.from = -1;
      if (lives && !ended_.contains(span.object)) span.to = kForever;
    }
    std::stable_sort(spans_.begin(), spans_.end(),
                     [](const Span& a, const Span& b) { return a.from < b.from; });
  }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }

 private:
  void look(const ShrinkForm& form, std::size_t i) {
    model::Step step = form.steps[i];
    for (const auto& mention : mentions(step)) {
      const Object object{mention.kind, *mention.number};
      touch(object, static_cast<std::ptrdiff_t>(i));
      // Who was refused an object leaves the slot to the next.
      if (mention.makes && made_it(step)) made_[object] = true;
    }
    if (const auto object = ended_by(step)) ended_[*object] = true;
  }
  void touch(const Object& object, std::ptrdiff_t at) {
    const auto [found, added] = index_.try_emplace(object, spans_.size());
    if (added)
      spans_.push_back({object, at, at});
    else
      spans_[found->second].to = at;
  }
  std::vector<Span> spans_;
  std::map<Object, std::size_t> index_;  // of spans_, until they are sorted
  std::map<Object, bool> made_;
  std::map<Object, bool> ended_;
};

/// The slot of each object.
std::map<Object, std::uint32_t> give_slots(const ShrinkForm& form) {
  std::map<Object, std::uint32_t> slots;
  std::array<std::vector<std::ptrdiff_t>, 3> busy_to;  // by kind and slot
  const SpanList list(form);
  for (const auto& span : list.spans()) {
    auto& busy = busy_to.at(static_cast<std::size_t>(span.object.first));
    // An object that ends may leave its slot only to one that comes later.
    const auto free =
        std::find_if(busy.begin(), busy.end(), [&](std::ptrdiff_t to) { return to < span.from; });
    slots[span.object] = static_cast<std::uint32_t>(free - busy.begin());
    if (free == busy.end())
      busy.push_back(span.to);
    else
      *free = span.to;
  }
  return slots;
}

/// 0 for the first of the list; numbers that are not in it come after, small ones first.
std::uint64_t place_in(std::initializer_list<std::uint64_t> plain, std::uint64_t value) {
  const auto* at = std::find(plain.begin(), plain.end(), value);
  if (at != plain.end()) return static_cast<std::uint64_t>(at - plain.begin());
  constexpr std::uint64_t kMost = 1ULL << 48U;
  const std::uint64_t size = std::min(value, ~value);  // just below 2^64 is small, too
  return 64 + std::min(size, kMost);
}

std::uint64_t verb_weight(const model::Step& step) {
  switch (step.call.verb) {
    case Verb::reg_mr_iova:
    case Verb::post_bind_mw:
    case Verb::rdma_write_with_imm:
    case Verb::send_with_inv:
    case Verb::rereg_mr: return 1;
    case Verb::reg_mr_ex:
    case Verb::reg_dmabuf_mr:
    case Verb::alloc_null_mr:
    case Verb::reg_shared_mr: return 2;
    case Verb::alloc_mw: return step.call.option == kTypeOne ? 0 : 1;
    default: return 0;
  }
}

std::uint64_t key_weight(const model::KeyName& key) {
  const std::uint64_t flip = key.flip == 0 ? 0 : 1 + static_cast<unsigned>(std::popcount(key.flip));
  switch (key.kind) {
    case model::KeyName::Kind::lkey:
    case model::KeyName::Kind::rkey:
    case model::KeyName::Kind::window_rkey: return flip;
    case model::KeyName::Kind::old_lkey:
    case model::KeyName::Kind::old_rkey:
    case model::KeyName::Kind::old_window_rkey: return 1 + flip;
    case model::KeyName::Kind::value: break;
  }
  return key.value == 0 ? 2 : 8;
}

/// A local key where a remote one belongs, or the reverse.
std::uint64_t misplaced_weight(const model::KeyName& key, bool remote) {
  const bool local =
      key.kind == model::KeyName::Kind::lkey || key.kind == model::KeyName::Kind::old_lkey;
  return key.kind != model::KeyName::Kind::value && local == remote ? 4 : 0;
}

/// The key that a type 2 window is bound with by those who know what they do.
bool is_usual_new_key(const model::Step& step) {
  return step.call.verb == Verb::post_bind_mw &&
         step.rkey == model::KeyName{model::KeyName::Kind::window_rkey, step.call.mw, 1, 0};
}

std::uint64_t flags_weight(const Plain::Flags& flags) {
  return static_cast<std::uint64_t>(std::popcount(flags.value()));
}

/// What a step weighs.
struct Sums {
  std::uint64_t verbs = 0;
  std::uint64_t keys = 0;
  std::uint64_t flags = 0;
  std::uint64_t lengths = 0;
  std::uint64_t others = 0;
  std::uint64_t flag_values = 0;
};

void add_step(const model::Step& step, Sums& sums) {
  const auto& c = step.call;
  if (c.part == Part::completion) return;  // it says nothing but its label
  const model::Form form = model::form_of(c.verb);
  sums.verbs += verb_weight(step);
  sums.flags += flags_weight(c.access) + flags_weight(c.flags);
  sums.flag_values += c.access.value() + c.flags.value();
  if (c.delay != 0) sums.others += 1 + place_in(kRoundDelays, c.delay);
  for (const auto argument : form.arguments) {
    switch (argument) {
      case model::Argument::address: sums.others += address_weight(c.address.value()); break;
      case model::Argument::offset:
        sums.others += place_in({0, model::kPageSize}, c.address.value());
        break;
      case model::Argument::iova:
        sums.others += c.iova.value() == c.address.value() ? 0 : 1 + address_weight(c.iova.value());
        break;
      case model::Argument::remote: sums.others += address_weight(c.remote.value()); break;
      case model::Argument::length:
      case model::Argument::stretch: sums.lengths += length_weight(c.length.value()); break;
      case model::Argument::operand: sums.others += place_in({1}, c.operand.value()); break;
      case model::Argument::swap: sums.others += place_in({2}, c.swap.value()); break;
      case model::Argument::seed: sums.others += place_in({7}, c.seed); break;
      case model::Argument::advice:
      case model::Argument::protection: sums.others += c.option; break;
      case model::Argument::rkey:
        sums.keys += is_usual_new_key(step)
                         ? 0
                         : key_weight(step.rkey) + misplaced_weight(step.rkey, true) +
                               (c.verb == Verb::post_bind_mw ? 8 : 0);
        break;
      case model::Argument::elements:
        sums.others += address_weight(c.address.value());
        sums.lengths += length_weight(c.length.value());
        sums.keys += key_weight(step.lkey) + misplaced_weight(step.lkey, false);
        if (c.elements != 2) break;
        sums.others += address_weight(c.second.address.value());
        sums.lengths += length_weight(c.second.length.value());
        sums.keys += key_weight(step.second) + misplaced_weight(step.second, false);
        break;
      default: break;
    }
  }
}

}  // namespace

bool is_window_key(const model::KeyName& key) {
  return key.kind == model::KeyName::Kind::window_rkey ||
         key.kind == model::KeyName::Kind::old_window_rkey;
}

std::vector<Mention> mentions(model::Step& step) {
  std::vector<Mention> all;
  // What a call names that overlaps others, it names when it begins.
  if (model::is_overlapping(step.call) && step.call.part == Part::completion) return all;
  const model::Form form = model::form_of(step.call.verb);
  for (const auto argument : form.arguments) mention_argument(step, argument, false, all);
  mention_argument(step, form.target, true, all);
  return all;
}

bool mentions_object(const model::Step& step, ObjectKind kind, std::uint32_t number) {
  model::Step copy = step;
  const auto all = mentions(copy);
  return std::any_of(all.begin(), all.end(), [&](const Mention& mention) {
    return mention.kind == kind && *mention.number == number;
  });
}

bool makes_object(const model::Step& step, ObjectKind kind, std::uint32_t number) {
  model::Step copy = step;
  const auto all = mentions(copy);
  return std::any_of(all.begin(), all.end(), [&](const Mention& mention) {
    return mention.makes && mention.kind == kind && *mention.number == number;
  });
}

ShrinkForm numbered(const model::Trace& trace) {
  ShrinkForm form;
  std::map<Object, std::uint32_t> current;
  std::array<std::uint32_t, 3> next{};
  const auto number_of = [&](const Object& slot, bool makes) {
    const auto found = current.find(slot);
    if (found != current.end() && !makes) return found->second;
    return current[slot] = next.at(static_cast<std::size_t>(slot.first))++;
  };
  for (std::uint32_t i = 0; i < trace.setup.pd.size(); ++i)
    if (trace.setup.pd.at(i)) {
      form.given_pds.push_back(number_of({ObjectKind::pd, i}, false));
      if (trace.setup.process.at(i) != 0) form.other_pds.push_back(form.given_pds.back());
    }
  for (std::size_t i = 0; i < trace.setup.qp_pd.size(); ++i) {
    const auto pd = trace.setup.qp_pd.at(i);
    form.qp_pd.at(i) = pd == model::Setup::kAbsent ? pd : number_of({ObjectKind::pd, pd}, false);
  }
  form.steps = trace.steps;
  for (model::Step& step : form.steps)
    for (const auto& mention : mentions(step))
      *mention.number =
          number_of({mention.kind, *mention.number}, mention.makes && made_it(step));
  return form;
}

model::Trace with_slots(const ShrinkForm& whole, const model::Trace& like) {
  ShrinkForm form = whole;
  for (std::size_t i = 0; i < form.qp_pd.size(); i += 2) {
    const bool used =
        std::any_of(form.steps.begin(), form.steps.end(), [&](const model::Step& step) {
          const model::Form arguments = model::form_of(step.call.verb);
          return arguments.arguments.front() == model::Argument::qp && step.call.qp / 2 == i / 2;
        });
    if (!used) form.qp_pd.at(i) = form.qp_pd.at(i + 1) = model::Setup::kAbsent;
  }
  const auto slots = give_slots(form);
  model::Trace trace = like;
  trace.setup = model::Setup{};
  trace.setup.hosts = like.setup.hosts;
  trace.steps = form.steps;
  for (model::Step& step : trace.steps)
    for (const auto& mention : mentions(step))
      *mention.number = slots.at({mention.kind, *mention.number});
  for (std::size_t i = 0; i < form.qp_pd.size(); ++i)
    if (form.qp_pd.at(i) != model::Setup::kAbsent)
      trace.setup.qp_pd.at(i) = slots.at({ObjectKind::pd, form.qp_pd.at(i)});
  for (const auto pd : form.given_pds) {
    const auto found = slots.find({ObjectKind::pd, pd});
    if (found == slots.end()) continue;
    trace.setup.pd.at(found->second) = true;
    const bool other =
        std::find(form.other_pds.begin(), form.other_pds.end(), pd) != form.other_pds.end();
    trace.setup.process.at(found->second) = other ? 1 : 0;
  }
  return trace;
}

std::uint64_t length_weight(std::uint64_t length) {
  return place_in({8, model::kPageSize, 64, 1, 2 * model::kPageSize, 16, 0, ~std::uint64_t{0}},
                  length);
}

std::uint64_t address_weight(std::uint64_t address) {
  for (std::size_t i = 0; i < model::kBufferCount; ++i) {
    const std::uint64_t start = model::buffer_address(i);
    const std::uint64_t end = start + model::buffer_size(i);
    if (address + model::kPageSize < start || address >= end + model::kPageSize) continue;
    const auto offset = static_cast<std::int64_t>(address - start);
    if (offset < 0) return 64 + static_cast<std::uint64_t>(-offset) + i;
    return i + place_in({0, 8, model::kPageSize}, static_cast<std::uint64_t>(offset)) * 4;
  }
  return address == 0 ? 4 : (1ULL << 20U) + place_in({~std::uint64_t{0}}, address);
}

void drop_strays(std::vector<model::Step>& steps) {
  std::map<std::uint8_t, model::Call<Plain>> in_flight;
  std::erase_if(steps, [&](const model::Step& step) {
    const auto label = step.call.label;
    std::erase_if(
        in_flight, [&](const auto& posted) { return model::abandons(step.call, posted.second); });
    if (step.call.part == Part::posted) return !in_flight.emplace(label, step.call).second;
    return step.call.part == Part::completion && in_flight.erase(label) == 0;
  });
  for (std::size_t i = 0; i < steps.size(); ++i) {
    auto& call = steps[i].call;
    if (!is_transfer(call.verb)) continue;
    const bool goes_on = call.part == Part::posted && i + 1 < steps.size() &&
                         steps[i + 1].call.part == Part::posted &&
                         steps[i + 1].call.qp == call.qp;
    if (!goes_on) call.flags = call.flags & ~Plain::flags(kLinked);
  }
}

std::string calls_text(const model::Trace& trace) {
  model::Trace bare;
  bare.dialect = trace.dialect;
  bare.setup = trace.setup;
  bare.steps = trace.steps;
  drop_strays(bare.steps);
  for (model::Step& step : bare.steps) {
    step.observed = false;
    step.annotations.clear();
    step.remarks.clear();
  }
  return model::print_trace(bare);
}

std::vector<std::uint64_t> weight_parts(const model::Trace& trace) {
  const auto& setup = trace.setup;
  // A second process counts like a domain more.
  const auto pds = static_cast<std::uint64_t>(
      std::count(setup.pd.begin(), setup.pd.end(), true) +
      std::count(setup.process.begin(), setup.process.end(), std::uint32_t{1}));
  const auto absent = static_cast<std::uint64_t>(
      std::count(setup.qp_pd.begin(), setup.qp_pd.end(), model::Setup::kAbsent));
  std::uint64_t extra_elements = 0;
  Sums sums;
  for (const auto& step : trace.steps) {
    extra_elements += step.call.elements > 1 ? 1 : 0;
    add_step(step, sums);
  }
  return {trace.steps.size(), 4 - absent, pds,          extra_elements, sums.verbs,
          sums.keys,          sums.flags, sums.lengths, sums.others,    sums.flag_values};
}

TraceWeight weight_of(const model::Trace& trace) {
  return {weight_parts(trace), calls_text(trace)};
}

}  // namespace mrproof::property_tests
