#include "model/trace/notation.hpp"
#include "model/trace/trace.hpp"
#include "model/trace/trace_form.hpp"

namespace mrproof::model {

namespace {

std::uint32_t bits(const Plain::Flags& flags) { return static_cast<std::uint32_t>(flags.value()); }

void append_element(std::string& text, const KeyName& lkey, const Plain::Address& address,
    const Plain::Address& length) {
  append_key(text, lkey);
  text += ", ";
  append_address(text, address.value());
  text += ", ";
  append_number(text, length.value());
}

void append_elements(std::string& text, const PlannedCall& step) {
  const auto& c = step.call;
  append_element(text, step.lkey, c.address, c.length);
  if (c.elements != 2) return;
  text += " + ";
  append_element(text, step.second, c.second.address, c.second.length);
}

/// Of a request in flight.
char letter_of(std::uint8_t label) { return static_cast<char>('a' - 1 + label); }

void append_slot(std::string& text, const char* object, std::uint32_t slot) {
  text += object;
  append_number(text, slot);
}

void append_argument(std::string& text, Argument argument, const PlannedCall& step) {
  const auto& c = step.call;
  switch (argument) {
    case Argument::none: break;
    case Argument::pd: return append_slot(text, "pd", c.pd);
    case Argument::mr: return append_slot(text, "mr", c.mr);
    case Argument::mw: return append_slot(text, "mw", c.mw);
    case Argument::qp: return append_slot(text, "qp", c.qp);
    case Argument::source: return append_slot(text, "mr", c.source);
    case Argument::address: return append_address(text, c.address.value());
    case Argument::offset: return append_number(text, c.address.value());
    case Argument::length:
    case Argument::stretch: return append_number(text, c.length.value());
    case Argument::iova: return append_address(text, c.iova.value());
    case Argument::access: return append_flags(text, kAccessNames, bits(c.access));
    case Argument::changes: return append_flags(text, kChangeNames, bits(c.flags));
    case Argument::advise_flags: return append_flags(text, kAdviseFlagNames, bits(c.flags));
    case Argument::advice: return append_named(text, kAdviceNames, c.option);
    case Argument::window_type: return append_named(text, kWindowTypeNames, c.option);
    case Argument::protection: return append_named(text, kProtectionNames, c.option);
    case Argument::elements: return append_elements(text, step);
    case Argument::rkey: return append_key(text, step.rkey);
    case Argument::remote: return append_address(text, c.remote.value());
    case Argument::operand: return append_number(text, c.operand.value());
    case Argument::swap: return append_number(text, c.swap.value());
    case Argument::seed: return append_number(text, c.seed);
  }
}

}  // namespace

void append_call(std::string& text, const PlannedCall& step) {
  if (step.call.follows != 0) {
    text += "after ";
    text += letter_of(step.call.follows);
    text += ": ";
  }
  if (step.call.delay != 0) {
    text += "after ";
    append_number(text, step.call.delay);
    text += " us: ";
  }
  if (step.call.part != Part::whole) text += letter_of(step.call.label);
  if (step.call.part == Part::completion) return;
  if (step.call.part == Part::posted) text += ": ";
  const Form form = form_of(step.call.verb);
  if (form.target != Argument::none) {
    append_argument(text, form.target, step);
    text += " = ";
  }
  text += kVerbNames.at(static_cast<std::size_t>(step.call.verb));
  text += '(';
  const char* separator = "";
  for (const auto argument : form.arguments) {
    if (argument == Argument::none) break;
    text += separator;
    append_argument(text, argument, step);
    separator = ", ";
  }
  if (is_transfer(step.call.verb) && bits(step.call.flags) != 0) {
    text += separator;
    append_flags(text, kFormNames, bits(step.call.flags));
  }
  text += ')';
}

std::string print_call(const PlannedCall& step) {
  std::string text;
  append_call(text, step);
  return text;
}

}  // namespace mrproof::model
