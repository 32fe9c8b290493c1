#include "specs/symbolic/world.hpp"

#include <algorithm>

#include "model/trace/trace_form.hpp"

namespace mrproof::specs {

using model::Argument;
using model::Verb;

namespace {

smt::Bit unknown_like(const smt::Bit& /*like*/, const std::string& name) {
  return smt::Bit::unknown(name);
}
template <unsigned N>
smt::Word<N> unknown_like(const smt::Word<N>& /*like*/, const std::string& name) {
  return smt::Word<N>::unknown(name);
}

bool has(Verb verb, Argument argument) {
  const auto form = model::form_of(verb);
  return form.target == argument ||
         std::find(form.arguments.begin(), form.arguments.end(), argument) != form.arguments.end();
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
  const Verb verb = shape.verb;
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
                 return (has(verb, Argument::mr) && shape.mr == i) ||
                        (has(verb, Argument::source) && shape.source == i);
               }) &&
         first("mw", Terms::kWindows,
               [&](std::size_t i) { return has(verb, Argument::mw) && shape.mw == i; }) &&
         first("buf", Terms::kBuffers, [](std::size_t) { return false; });
}

std::vector<Shape> shapes_of(Verb verb, bool every_slot) {
  const auto count = [&](bool named, std::size_t all) {
    return static_cast<std::uint8_t>(named && every_slot ? all : 1);
  };
  std::vector<Shape> shapes;
  Shape s{verb};
  for (s.pd = 0; s.pd < count(has(verb, Argument::pd), Terms::kPds); ++s.pd)
    for (s.mr = 0; s.mr < count(has(verb, Argument::mr), Terms::kRegions); ++s.mr)
      for (s.mw = 0; s.mw < count(has(verb, Argument::mw), Terms::kWindows); ++s.mw)
        for (s.qp = 0; s.qp < count(has(verb, Argument::qp), Terms::kQps); ++s.qp)
          for (const std::uint8_t option : options_of(verb))
            for (s.elements = 1; s.elements <= (model::has_elements(verb) ? 2 : 1); ++s.elements) {
              s.option = option;
              s.source = static_cast<std::uint8_t>((s.mr + 1U) % Terms::kRegions);
              shapes.push_back(s);
            }
  return shapes;
}

bool has_value(const Shape& shape, const std::string& field) {
  const auto any = [&](auto... arguments) { return (has(shape.verb, arguments) || ...); };
  using enum Argument;
  if (field == "access") return any(access);
  if (field == "flags")
    return any(changes, advise_flags) || model::takes_inline(shape.verb);
  if (field == "address" || field == "length") return any(length, stretch, elements);
  if (field == "lkey") return any(elements);
  if (field.starts_with("second.")) return any(elements) && shape.elements == 2;
  if (field == "rkey") return any(rkey);
  if (field == "remote") return any(remote);
  if (field == "iova") return any(iova);
  return field == "operand" ? any(operand) : any(swap);
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
  model::Call<Terms> call;
  call.verb = shape.verb;
  call.pd = shape.pd;
  call.mr = shape.mr;
  call.mw = shape.mw;
  call.qp = shape.qp;
  call.source = shape.source;
  call.option = shape.option;
  call.elements = shape.elements;
  call_fields(
      [&](const std::string& path, auto& field) {
        if (has_value(shape, path)) field = unknown_like(field, prefix + path);
      },
      call);
  // Of the forms of a request (RequestForm) proofs are about this one: keys depend on it.
  if (model::takes_inline(shape.verb)) call.flags = call.flags & Terms::flags(model::kInline);
  return call;
}

Terms::Bit writable(const model::Call<Terms>& call) {
  if (!model::has_elements(call.verb)) return Terms::bit(true);
  const auto longest = Terms::address(0xffffffffU);
  return (call.length <= longest) & (call.second.length <= longest);
}

}  // namespace mrproof::specs
