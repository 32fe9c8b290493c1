#include <fmt/format.h>

#include <cctype>

#include "model/trace/layout.hpp"
#include "model/trace/notation.hpp"
#include "model/trace/trace_form.hpp"
#include "model/trace/trace_parse.hpp"

namespace mrproof::model {

namespace {

bool at_digit(LineScanner& in) {
  in.skip_blanks();
  return !in.at_end() && std::isdigit(static_cast<unsigned char>(in.rest().front())) != 0;
}

/// Names for an error's remedy: "A, B, C".
std::string list_of(std::span<const NamedValue> names) {
  std::string text;
  for (const auto& named : names) {
    if (!text.empty()) text += ", ";
    text += named.name;
  }
  return text;
}

/// What a region or a window has of keys.
constexpr std::array<std::pair<std::string_view, KeyName::Kind>, 4> kRegionKeys{
    {{"lkey", KeyName::Kind::lkey}, {"rkey", KeyName::Kind::rkey},
        {"old_lkey", KeyName::Kind::old_lkey}, {"old_rkey", KeyName::Kind::old_rkey}}};
constexpr std::array<std::pair<std::string_view, KeyName::Kind>, 2> kWindowKeys{
    {{"rkey", KeyName::Kind::window_rkey}, {"old_rkey", KeyName::Kind::old_window_rkey}}};

KeyName parse_key(LineScanner& in) {
  KeyName key;
  in.skip_blanks();
  const bool window = in.rest().starts_with("mw");
  if (!window && !in.rest().starts_with("mr")) {
    key.value = static_cast<std::uint32_t>(in.number(kMostWord, "a key"));
    return key;
  }
  key.slot = window ? in.handle("mw", kMostObjects) : in.handle("mr", kMostObjects);
  in.expect(".");
  const std::size_t start = in.position();
  const auto which = in.word(window ? "rkey or old_rkey" : "lkey, rkey, old_lkey or old_rkey");
  const auto find = [&](const auto& keys) {
    for (const auto& [name, kind] : keys)
      if (name == which) key.kind = kind;
  };
  window ? find(kWindowKeys) : find(kRegionKeys);
  if (key.kind == KeyName::Kind::value)
    in.fail_at(start,
        fmt::format("a {} and no '{}'",
            window ? "window has rkey, old_rkey" : "region has lkey, rkey, old_lkey, old_rkey",
            which));
  if (in.take("^")) key.flip = static_cast<std::uint32_t>(in.number(kMostWord, "bits to flip"));
  return key;
}

void parse_element(
    LineScanner& in, KeyName& lkey, Plain::Address& address, Plain::Address& length) {
  constexpr std::string_view kRemedy = "; an element is LKEY, ADDRESS, LENGTH";
  lkey = parse_key(in);
  in.expect(",", kRemedy);
  address = Plain::address(parse_address(in));
  in.expect(",", kRemedy);
  length = Plain::address(in.number(kMostWord, "a length in bytes"));
}

void parse_elements(LineScanner& in, Step& step) {
  auto& c = step.call;
  parse_element(in, step.lkey, c.address, c.length);
  if (!in.take("+")) return;
  c.elements = 2;
  parse_element(in, step.second, c.second.address, c.second.length);
  in.skip_blanks();
  if (in.rest().starts_with("+")) in.fail("there are one or two elements, no more");
}

std::uint8_t parse_advice(LineScanner& in) {
  if (at_digit(in)) return static_cast<std::uint8_t>(in.number(0xff, "an advice"));
  return static_cast<std::uint8_t>(parse_name(in, kAdviceNames, "an advice", " or a number"));
}

std::uint8_t parse_option(
    LineScanner& in, std::span<const NamedValue> names, std::string_view what) {
  return static_cast<std::uint8_t>(parse_name(in, names, what, ""));
}

Plain::Address parse_number(LineScanner& in, std::uint64_t most, std::string_view what) {
  return Plain::address(in.number(most, what));
}

void parse_argument(Argument argument, LineScanner& in, Step& step) {
  auto& c = step.call;
  const auto flags = [&](std::span<const NamedValue> names, std::string_view what) {
    return Plain::flags(parse_flags(in, names, what));
  };
  switch (argument) {
    case Argument::none: break;
    case Argument::pd: c.pd = in.handle("pd", kMostObjects); break;
    case Argument::mr: c.mr = in.handle("mr", kMostObjects); break;
    case Argument::mw: c.mw = in.handle("mw", kMostObjects); break;
    case Argument::qp: c.qp = in.handle("qp", Plain::kQps); break;
    case Argument::source: c.source = in.handle("mr", kMostObjects); break;
    case Argument::address: c.address = Plain::address(parse_address(in)); break;
    case Argument::offset: c.address = parse_number(in, kMostAddress, "an offset in bytes"); break;
    case Argument::length: c.length = parse_number(in, kMostAddress, "a length in bytes"); break;
    case Argument::stretch:
      c.length = parse_number(in, kLastBufferSize, "a length in bytes");
      break;
    case Argument::iova: c.iova = Plain::address(parse_address(in)); break;
    case Argument::access: c.access = flags(kAccessNames, "an access flag"); break;
    case Argument::changes: c.flags = flags(kChangeNames, "a change flag"); break;
    case Argument::advise_flags: c.flags = flags(kAdviseFlagNames, "an advice flag"); break;
    case Argument::advice: c.option = parse_advice(in); break;
    case Argument::window_type:
      c.option = parse_option(in, kWindowTypeNames, "a window type");
      break;
    case Argument::protection: c.option = parse_option(in, kProtectionNames, "a protection"); break;
    case Argument::elements: parse_elements(in, step); break;
    case Argument::rkey: step.rkey = parse_key(in); break;
    case Argument::remote: c.remote = Plain::address(parse_address(in)); break;
    case Argument::operand: c.operand = parse_number(in, kMostAddress, "an operand"); break;
    case Argument::swap: c.swap = parse_number(in, kMostAddress, "a value to swap in"); break;
    case Argument::seed:
      c.seed = static_cast<std::uint8_t>(in.number(255, "a pattern seed"));
      break;
  }
}

/// "mrN = reg_mr(pdN, ADDRESS, LENGTH, ACCESS)".
std::string usage(Verb verb) {
  const Form form = form_of(verb);
  const auto name = [](Argument argument) {
    return kArgumentNames.at(static_cast<std::size_t>(argument));
  };
  std::string text;
  for (const auto argument : form.arguments) {
    if (argument == Argument::none) break;
    if (!text.empty()) text += ", ";
    text += name(argument);
  }
  return fmt::format("{}{}{}({})", name(form.target), form.target == Argument::none ? "" : " = ",
      kVerbNames.at(static_cast<std::size_t>(verb)), text);
}

/// Names only: a number is an argument too many.
std::uint32_t parse_forms(LineScanner& in) {
  std::uint32_t forms = 0;
  do forms |= parse_name(in, kFormNames, "a form of the request", "");
  while (in.take("|"));
  return forms;
}

/// The kind of object that the line's "xxN =" is about to name, if it begins so.
Argument next_target(const LineScanner& in) {
  if (in.rest().starts_with("pd")) return Argument::pd;
  if (in.rest().starts_with("mr")) return Argument::mr;
  if (in.rest().starts_with("mw")) return Argument::mw;
  return Argument::none;
}

}  // namespace

std::uint64_t parse_address(LineScanner& in) {
  in.skip_blanks();
  if (!in.rest().starts_with("buf")) return in.number(kMostAddress, "an address");
  const auto buffer = in.handle("buf", kBufferCount);
  const bool minus = in.take("-");
  if (!minus) in.expect("+");
  const auto offset = in.number(kBufferStride / 2, "an offset in bytes");
  return minus ? buffer_address(buffer) - offset : buffer_address(buffer) + offset;
}

std::uint32_t parse_name(LineScanner& in, std::span<const NamedValue> names, std::string_view what,
    std::string_view or_else) {
  in.skip_blanks();
  const std::size_t start = in.position();
  const auto name = in.word(what);
  const auto value = value_by_name(names, name);
  if (!value)
    in.fail_at(start, fmt::format("'{}' is not {}; use {}{}", name, what, list_of(names), or_else));
  return *value;
}

std::uint32_t parse_flags(
    LineScanner& in, std::span<const NamedValue> names, std::string_view what) {
  std::uint32_t flags = 0;
  do {
    flags |= at_digit(in) ? static_cast<std::uint32_t>(in.number(kMostWord, what))
                          : parse_name(in, names, what, " or bits as 0x...");
  } while (in.take("|"));
  return flags;
}

void parse_call(LineScanner& in, Step& step) {
  in.skip_blanks();
  const Argument target = next_target(in);
  if (target != Argument::none) {
    parse_argument(target, in, step);
    in.expect("=");
  }
  in.skip_blanks();
  const std::size_t start = in.position();
  const auto name = in.word("a verb");
  const auto verb = index_of(kVerbNames, name);
  if (!verb) in.fail_at(start, fmt::format("unknown verb '{}'", name));
  step.call.verb = static_cast<Verb>(*verb);
  const Form form = form_of(step.call.verb);
  if (form.target != target)
    in.fail_at(0,
        "alloc_pd needs a 'pdN =' before it, a registration an 'mrN =', alloc_mw an "
        "'mwN =', and no other verb has one");
  // What is wrong with a list of arguments is best said by the whole list.
  const auto expect = [&](std::string_view text) {
    if (!in.take(text)) in.expect(text, "; write " + usage(step.call.verb));
  };
  expect("(");
  for (std::size_t i = 0; i < form.arguments.size(); ++i) {
    if (form.arguments.at(i) == Argument::none) break;
    if (i > 0) expect(",");
    parse_argument(form.arguments.at(i), in, step);
  }
  if (is_transfer(step.call.verb) && in.take(",")) step.call.flags = Plain::flags(parse_forms(in));
  expect(")");
}

}  // namespace mrproof::model
