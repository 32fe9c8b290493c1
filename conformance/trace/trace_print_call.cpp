#include <fmt/format.h>

#include "conformance/trace/notation.hpp"
#include "conformance/trace/trace.hpp"
#include "conformance/trace/trace_form.hpp"

namespace mrproof {

using namespace model;

namespace {

std::uint32_t bits(const Plain::Flags& flags) { return static_cast<std::uint32_t>(flags.value()); }

std::string element(const KeyName& lkey, const Plain::Address& address,
                    const Plain::Address& length) {
  return fmt::format("{}, {}, {}", print_key(lkey), print_address(address.value()), length.value());
}

std::string elements(const Step& step) {
  const auto& c = step.call;
  std::string text = element(step.lkey, c.address, c.length);
  if (c.elements == 2) text += " + " + element(step.second, c.second.address, c.second.length);
  return text;
}

std::string print_argument(Argument argument, const Step& step) {
  const auto& c = step.call;
  switch (argument) {
    case Argument::none: break;
    case Argument::pd: return fmt::format("pd{}", c.pd);
    case Argument::mr: return fmt::format("mr{}", c.mr);
    case Argument::mw: return fmt::format("mw{}", c.mw);
    case Argument::qp: return fmt::format("qp{}", c.qp);
    case Argument::source: return fmt::format("mr{}", c.source);
    case Argument::address: return print_address(c.address.value());
    case Argument::offset: return std::to_string(c.address.value());
    case Argument::length:
    case Argument::stretch: return std::to_string(c.length.value());
    case Argument::iova: return print_address(c.iova.value());
    case Argument::access: return print_access(bits(c.access));
    case Argument::changes: return print_flags(kChangeNames, bits(c.flags));
    case Argument::advise_flags: return print_flags(kAdviseFlagNames, bits(c.flags));
    case Argument::advice: return print_named(kAdviceNames, c.option);
    case Argument::window_type: return print_named(kWindowTypeNames, c.option);
    case Argument::protection: return print_named(kProtectionNames, c.option);
    case Argument::elements: return elements(step);
    case Argument::rkey: return print_key(step.rkey);
    case Argument::remote: return print_address(c.remote.value());
    case Argument::operand: return std::to_string(c.operand.value());
    case Argument::swap: return std::to_string(c.swap.value());
    case Argument::seed: return std::to_string(c.seed);
  }
  return "";
}

}  // namespace

std::string print_call(const Step& step) {
  const Form form = form_of(step.call.verb);
  std::string text;
  if (form.target != Argument::none) text = print_argument(form.target, step) + " = ";
  text += kVerbNames.at(static_cast<std::size_t>(step.call.verb));
  text += '(';
  const char* separator = "";
  for (const auto argument : form.arguments) {
    if (argument == Argument::none) break;
    text += separator + print_argument(argument, step);
    separator = ", ";
  }
  return text + ")";
}

}  // namespace mrproof
