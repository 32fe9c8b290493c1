#include "specs/symbolic/world.hpp"

namespace mrproof::specs {

using model::Verb;

namespace {

smt::Bit unknown_like(const smt::Bit& /*like*/, const std::string& name) {
  return smt::Bit::unknown(name);
}
template <unsigned N>
smt::Word<N> unknown_like(const smt::Word<N>& /*like*/, const std::string& name) {
  return smt::Word<N>::unknown(name);
}

/// Which slots a verb names.
struct Slots {
  bool pd = false;
  bool mr = false;
  bool mw = false;
  bool qp = false;
  bool source = false;
};

Slots slots_of(Verb verb) {
  Slots slots;
  slots.pd = verb <= Verb::rereg_mr || verb == Verb::advise_mr || verb == Verb::alloc_mw;
  slots.mr = model::makes_region(verb) || verb == Verb::rereg_mr || verb == Verb::dereg_mr ||
             model::is_bind(verb);
  slots.mw = verb == Verb::alloc_mw || verb == Verb::dealloc_mw || model::is_bind(verb);
  slots.qp = verb >= Verb::bind_mw && verb <= Verb::destroy_qp;
  slots.source = verb == Verb::reg_shared_mr;
  return slots;
}

std::vector<std::uint8_t> options_of(Verb verb) {
  switch (verb) {
    case Verb::alloc_mw: return {model::kTypeOne, model::kTypeTwo};
    case Verb::advise_mr:
      return {model::kPrefetch, model::kPrefetchWrite, model::kPrefetchNoFault, 3};
    case Verb::protect: return {model::kNoPages, model::kReadPages, model::kWritePages};
    default: return {0};
  }
}

}  // namespace

std::string text_of(const Shape& shape) {
  std::string text(model::kVerbNames.at(static_cast<std::size_t>(shape.verb)));
  const auto say = [&](const char* what, unsigned value, unsigned usual) {
    if (value != usual) text += " " + std::string(what) + "=" + std::to_string(value);
  };
  say("pd", shape.pd, 0);
  say("mr", shape.mr, 0);
  say("mw", shape.mw, 0);
  say("qp", shape.qp, 0);
  say("source", shape.source, 1);
  say("option", shape.option, 0);
  say("elements", shape.elements, 1);
  return text;
}

bool stands_for_others(const Shape& shape, const std::string& fact) {
  const Slots slots = slots_of(shape.verb);
  const auto first = [&](const std::string& kind, std::size_t count, auto&& is_named) {
    bool skipped = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (is_named(i)) continue;
      const bool spoken_of =
          (" " + fact + " ").find(" " + kind + std::to_string(i) + " ") != std::string::npos;
      if (spoken_of && skipped) return false;
      skipped = skipped || !spoken_of;
    }
    return true;
  };
  return first("mr", Terms::kRegions,
               [&](std::size_t i) {
                 return (slots.mr && shape.mr == i) || (slots.source && shape.source == i);
               }) &&
         first("mw", Terms::kWindows, [&](std::size_t i) { return slots.mw && shape.mw == i; }) &&
         first("buf", Terms::kBuffers, [](std::size_t) { return false; });
}

std::vector<Shape> shapes_of(Verb verb, bool every_slot) {
  const Slots slots = slots_of(verb);
  const auto count = [&](bool named, std::size_t all) {
    return static_cast<std::uint8_t>(named && every_slot ? all : 1);
  };
  std::vector<Shape> shapes;
  Shape s{verb};
  for (s.pd = 0; s.pd < count(slots.pd, Terms::kPds); ++s.pd)
    for (s.mr = 0; s.mr < count(slots.mr, Terms::kRegions); ++s.mr)
      for (s.mw = 0; s.mw < count(slots.mw, Terms::kWindows); ++s.mw)
        for (s.qp = 0; s.qp < count(slots.qp, Terms::kQps); ++s.qp)
          for (const std::uint8_t option : options_of(verb))
            for (s.elements = 1; s.elements <= (model::has_elements(verb) ? 2 : 1); ++s.elements) {
              s.option = option;
              s.source = static_cast<std::uint8_t>((s.mr + 1U) % Terms::kRegions);
              shapes.push_back(s);
            }
  return shapes;
}

Used used_by(Verb verb) {
  Used used;
  const bool elements = model::has_elements(verb);
  used.range =
      !elements &&
      ((model::makes_region(verb) && verb != Verb::alloc_null_mr && verb != Verb::reg_shared_mr) ||
       verb == Verb::rereg_mr || model::is_bind(verb) || verb == Verb::fill ||
       verb == Verb::protect);
  used.access = (model::makes_region(verb) && verb != Verb::alloc_null_mr) ||
                verb == Verb::rereg_mr || model::is_bind(verb);
  used.flags = verb == Verb::rereg_mr || verb == Verb::advise_mr;
  used.element = elements;
  used.rkey = verb == Verb::post_bind_mw || verb == Verb::local_inv ||
              verb == Verb::send_with_inv || model::is_remote(verb);
  used.remote = model::is_remote(verb);
  used.iova = verb == Verb::reg_mr_iova || verb == Verb::reg_mr_ex || verb == Verb::reg_dmabuf_mr;
  used.operand = model::is_atomic(verb);
  used.swap = verb == Verb::atomic_cmp_and_swp;
  return used;
}

model::State<Terms> unknown_state(const std::string& prefix) {
  model::State<Terms> state;
  state_fields(
      [&](const std::string& path, auto& field) { field = unknown_like(field, prefix + path); },
      state);
  return state;
}

model::Result<Terms> unknown_result(const std::string& prefix, model::Outcome outcome) {
  model::Result<Terms> result;
  result.outcome = outcome;
  result_fields(
      [&](const std::string& path, auto& field) { field = unknown_like(field, prefix + path); },
      result);
  return result;
}

model::Call<Terms> unknown_call(const std::string& prefix, const Shape& shape) {
  const Used used = used_by(shape.verb);
  model::Call<Terms> call;
  call.verb = shape.verb;
  call.pd = shape.pd;
  call.mr = shape.mr;
  call.mw = shape.mw;
  call.qp = shape.qp;
  call.source = shape.source;
  call.option = shape.option;
  call.elements = shape.elements;
  const auto has = [&](const std::string& path) {
    if (path == "access") return used.access;
    if (path == "flags") return used.flags;
    if (path == "address" || path == "length") return used.range || used.element;
    if (path == "lkey") return used.element;
    if (path.starts_with("second.")) return used.element && shape.elements == 2;
    if (path == "rkey") return used.rkey;
    if (path == "remote") return used.remote;
    if (path == "iova") return used.iova;
    return path == "operand" ? used.operand : used.swap;
  };
  call_fields(
      [&](const std::string& path, auto& field) {
        if (has(path)) field = unknown_like(field, prefix + path);
      },
      call);
  return call;
}

Terms::Bit writable(const model::Call<Terms>& call) {
  if (!model::has_elements(call.verb)) return Terms::bit(true);
  const auto longest = Terms::address(0xffffffffU);
  return (call.length <= longest) & (call.second.length <= longest);
}

}  // namespace mrproof::specs
