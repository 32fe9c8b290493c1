// Values as the program of repro.hpp writes them.
#include <fmt/format.h>

#include "conformance/report/repro_writer.hpp"
#include "model/trace/layout.hpp"
#include "model/trace/notation.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

constexpr std::size_t kWidth = 100;

/// Access flags that not every <infiniband/verbs.h> has.
constexpr std::uint32_t kUncommon =
    kFlushGlobal | kFlushPersistent | kAllocateMr | kShared | kPeerMemory;

/// Where a line of the text may end: the last place before `most` that is not in a literal, after
/// a comma or a bar; a blank if there is none; npos if nothing will do.
std::size_t break_of(const std::string& text, std::size_t most) {
  std::size_t good = std::string::npos, fair = std::string::npos;
  bool literal = false;
  for (std::size_t i = 0; i + 1 < text.size() && i <= most; ++i) {
    if (text[i] == '"' && (i == 0 || text[i - 1] != '\\')) literal = !literal;
    if (literal || i == 0 || text[i] != ' ') continue;
    const char last = text[i - 1];
    (last == ',' || last == '|' || last == '&' ? good : fair) = i;
  }
  return good != std::string::npos && good > most / 3 ? good : fair;
}

/// Where a literal that is too long may be parted: after a comma.
std::size_t literal_break(const std::string& text, std::size_t most) {
  const std::size_t comma = text.rfind(", ", most - 3);
  return comma == std::string::npos ? std::string::npos : comma + 2;
}

}  // namespace

std::string wrapped(const std::string& statement, int indent) {
  std::string text, rest = statement;
  std::string blanks(static_cast<std::size_t>(indent), ' ');
  while (blanks.size() + rest.size() > kWidth) {
    const std::size_t most = kWidth - blanks.size();
    const std::size_t end = break_of(rest, most);
    if (end != std::string::npos && end > 12) {
      text += blanks + rest.substr(0, end) + "\n";
      rest.erase(0, end + 1);
    } else {
      const std::size_t part = literal_break(rest, most);
      if (part == std::string::npos) break;
      text += blanks + rest.substr(0, part) + "\"\n";
      rest = "\"" + rest.substr(part);
    }
    blanks = std::string(static_cast<std::size_t>(indent) + 4, ' ');
  }
  return text + blanks + rest + "\n";
}

std::string number(std::uint64_t value) {
  return value <= 0xffffffffU ? std::to_string(value) : fmt::format("{:#x}", value);
}

std::string c_access(std::uint32_t access) {
  std::string text;
  const auto append = [&](const std::string& part) { text += (text.empty() ? "" : " | ") + part; };
  for (const auto& [flag, name] : model::kAccessNames) {
    if ((access & flag & ~kUncommon) == 0) continue;
    append("IBV_ACCESS_" + std::string(name));
    access &= ~flag;
  }
  // The int parameter takes the highest bit as a sign.
  if (access != 0) append(fmt::format("{}{:#x}", access >> 31U != 0 ? "(int)" : "", access));
  return text.empty() ? "0" : text;
}

std::string c_status(Outcome outcome) {
  if (outcome == Outcome::refused) return "REFUSED";
  if (outcome == Outcome::ok) return "IBV_WC_SUCCESS";
  if (outcome == Outcome::terminated) return "TERMINATED";
  if (outcome == Outcome::other_err) return "IBV_WC_GENERAL_ERR";
  return "IBV_WC_" + std::string(kOutcomeNames.at(static_cast<std::size_t>(outcome)));
}

std::string ReproWriter::address(std::uint64_t value) {
  std::string text = model::print_address(value);
  if (value >= kWideMemory && value - kWideMemory < kWideSize) {
    need(ReproPart::wide);
    return value == kWideMemory ? "WIDE" : fmt::format("WIDE + {}", value - kWideMemory);
  }
  if (!text.starts_with("buf")) return text;
  const auto index = static_cast<std::size_t>(text[3] - '0');
  buffers_.insert(index);
  const std::uint64_t start = model::buffer_address(index);
  if (value == start) return fmt::format("BUF{}", index);
  if (value > start) return fmt::format("BUF{} + {}", index, value - start);
  return fmt::format("BUF{} - {}", index, start - value);
}

std::string ReproWriter::pointer(std::uint64_t value) {
  const std::string text = address(value);
  const bool sum = text.find(' ') != std::string::npos;
  return fmt::format("(void *){}{}{}", sum ? "(" : "", text, sum ? ")" : "");
}

std::string ReproWriter::key(const model::KeyName& name) {
  using Kind = model::KeyName::Kind;
  const auto flipped = [&](const std::string& text) {
    return name.flip == 0 ? text : fmt::format("{} ^ {:#x}", text, name.flip);
  };
  const auto saved = [&](const std::string& variable) {
    return flipped(declared_.contains(variable) ? variable : "0");  // there never was such a key
  };
  if (name.kind == Kind::value) return fmt::format("{:#x}", name.value);
  const bool of_window = name.kind == Kind::window_rkey || name.kind == Kind::old_window_rkey;
  const auto kind = of_window ? ReproKind::mw : ReproKind::mr;
  const bool live = of_window ? before().windows.at(name.slot).live.truth()
                              : before().regions.at(name.slot).live.truth();
  const std::string which =
      name.kind == Kind::lkey || name.kind == Kind::old_lkey ? "lkey" : "rkey";
  if (name.kind == Kind::old_lkey || name.kind == Kind::old_rkey ||
      name.kind == Kind::old_window_rkey)
    return saved(names_.of(kind, name.slot, "old_" + which));
  return live ? flipped(names_.of(kind, name.slot) + "->" + which)
              : saved(names_.of(kind, name.slot, which));
}

std::string ReproWriter::element(const model::KeyName& lkey, std::uint64_t at,
                                 std::uint64_t length) {
  return fmt::format("{{{}, {}, {}}}", address(at), number(length), key(lkey));
}

std::string ReproWriter::elements(const Step& step) {
  const auto& c = step.call;
  const auto first = element(step.lkey, c.address.value(), c.length.value());
  if (c.elements == 1) return "&(struct ibv_sge)" + first;
  return fmt::format("(struct ibv_sge[]){{{}, {}}}", first,
                     element(step.second, c.second.address.value(), c.second.length.value()));
}

std::string ReproWriter::bind_info(const Step& step) {
  const auto& c = step.call;
  return fmt::format("{{{}, {}, {}, {}}}", names_.mr(c.mr), address(c.address.value()),
                     number(c.length.value()),
                     c_access(static_cast<std::uint32_t>(c.access.value())));
}

/// Whether a later step names that key, before the handle is made again and forgets it.
bool ReproWriter::named_later(model::KeyName::Kind kind, std::uint32_t slot) const {
  const bool window =
      kind == model::KeyName::Kind::window_rkey || kind == model::KeyName::Kind::old_window_rkey;
  for (std::size_t i = now_ + 1; i < evidence_.trace.steps.size(); ++i) {
    const Step& step = step_at(i);
    if (step.call.part == model::Part::completion) continue;  // it names them, and needs none
    for (const auto* name : {&step.lkey, &step.second, &step.rkey})
      if (name->kind == kind && name->slot == slot) return true;
    const auto& call = step.call;
    const bool makes = window ? call.verb == Verb::alloc_mw && call.mw == slot
                              : makes_region(call.verb) && call.mr == slot;
    if (makes && step.result.outcome == Outcome::ok) return false;
  }
  return false;
}

/// Keeps a key of the object, by the name that it has in the program: "rkey", "old_rkey".
void ReproWriter::save(ReproKind kind, std::size_t slot, const std::string& key) {
  const auto variable = names_.of(kind, slot, key);
  const bool first = declared_.insert(variable).second && !names_.many(kind);
  const auto array =
      fmt::format("static uint32_t {}_{}[{}];\n", ReproNames::name(kind), key, names_.count(kind));
  if (names_.many(kind) && key_arrays_.find(array) == std::string::npos) key_arrays_ += array;
  line(fmt::format("{}{} = {}->{};", first ? "uint32_t " : "", variable, names_.of(kind, slot),
                   key.substr(key.size() - 4)));
}

/// Before a step that ends or changes an object: keys of it that a later step names.
void ReproWriter::save_keys(const Step& step) {
  using Kind = model::KeyName::Kind;
  const auto& c = step.call;
  const auto& r = step.result;
  const bool done = r.outcome == Outcome::ok;
  const bool renews = c.verb == Verb::rereg_mr && model::tells_keys(c.verb, r);
  if (c.verb == Verb::dereg_mr && done) {
    if (named_later(Kind::lkey, c.mr)) save(ReproKind::mr, c.mr, "lkey");
    if (named_later(Kind::rkey, c.mr)) save(ReproKind::mr, c.mr, "rkey");
  }
  if (renews) {
    if (named_later(Kind::old_lkey, c.mr)) save(ReproKind::mr, c.mr, "old_lkey");
    if (named_later(Kind::old_rkey, c.mr)) save(ReproKind::mr, c.mr, "old_rkey");
  }
  if (c.verb == Verb::dealloc_mw && done && named_later(Kind::window_rkey, c.mw))
    save(ReproKind::mw, c.mw, "rkey");
  if (is_bind(c.verb) && done && named_later(Kind::old_window_rkey, c.mw))
    save(ReproKind::mw, c.mw, "old_rkey");
}

}  // namespace mrproof::conformance
