#include "specs/prover/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace mrproof::specs {
namespace {

constexpr std::array<const char*, 5> kAnswers{"proved", "refuted", "unknown", "limit reached",
                                              "error"};

const char* word_for(smt::Answer answer) { return kAnswers.at(static_cast<std::size_t>(answer)); }

std::string hexadecimal(smt::Number value) {
  return fmt::format("{:#x}", static_cast<std::uint64_t>(value));
}

/// The questions that took longest, where some took long: the longest one of each obligation.
std::string slowest_text(std::vector<Obligation> obligations) {
  constexpr double kLong = 0.5;
  constexpr std::size_t kMost = 5;
  std::erase_if(obligations, [](const Obligation& o) { return o.worst < kLong; });
  std::sort(obligations.begin(), obligations.end(),
            [](const auto& a, const auto& b) { return a.worst > b.worst; });
  if (obligations.size() > kMost) obligations.resize(kMost);
  std::string text = obligations.empty() ? "" : "\nslowest:\n";
  for (const Obligation& o : obligations)
    text += fmt::format("{:>8.2f} s  {} of {} ({}): {}\n", o.worst, o.theorem, o.subject, o.shape,
                        o.slowest);
  return text;
}

}  // namespace

std::vector<Line> lines_of(const std::vector<Obligation>& obligations) {
  std::vector<Line> lines;
  for (const Heading& heading : theorems()) {
    Line line{heading};
    for (const Obligation& obligation : obligations) {
      if (obligation.theorem != heading.name) continue;
      (obligation.proved() ? line.proved : line.open) += 1;
      line.seconds += obligation.seconds;
      line.worst = std::max(line.worst, obligation.worst);
    }
    if (line.proved + line.open > 0) lines.push_back(line);
  }
  return lines;
}

std::string counterexample_text(const Obligation& obligation) {
  if (!obligation.counterexample) return {};
  std::string text = fmt::format("  broken: {}\n", obligation.counterexample->fact);
  for (const char* part : {"before.", "call.", "result.", ""}) {
    for (const Value& value : obligation.counterexample->values) {
      const bool known = value.name.starts_with("before.") || value.name.starts_with("call.") ||
                         value.name.starts_with("result.");
      const bool here = *part == '\0' ? !known && !value.name.starts_with("ordering")
                                      : value.name.starts_with(part);
      if (here && value.value != 0)
        text += fmt::format("    {} = {}\n", value.name, hexadecimal(value.value));
    }
  }
  return text;
}

std::string table_text(const std::vector<Obligation>& obligations) {
  std::string text = fmt::format("{:<32} {:<9} {:>11} {:>8} {:>7}  {}\n", "theorem", "kind",
                                 "obligations", "seconds", "worst", "result");
  Line total;
  for (const Line& line : lines_of(obligations)) {
    text += fmt::format("{:<32} {:<9} {:>11} {:>8.2f} {:>7.2f}  {}\n", line.heading.name,
                        line.heading.kind, line.proved + line.open, line.seconds, line.worst,
                        line.open == 0 ? "proved" : fmt::format("{} NOT PROVED", line.open));
    total.proved += line.proved;
    total.open += line.open;
    total.seconds += line.seconds;
    total.worst = std::max(total.worst, line.worst);
  }
  text += fmt::format("{:<32} {:<9} {:>11} {:>8.2f} {:>7.2f}  {}\n", "all", "",
                      total.proved + total.open, total.seconds, total.worst,
                      total.open == 0 ? "proved" : fmt::format("{} NOT PROVED", total.open));
  text += slowest_text(obligations);
  for (const Obligation& obligation : obligations) {
    if (obligation.proved()) continue;
    text += fmt::format("\n{} of {}, dialect {}: {}{}{}\n", obligation.theorem, obligation.subject,
                        names_of(obligation.dialects), word_for(obligation.answer),
                        obligation.trouble.empty() ? "" : ": ", obligation.trouble);
    if (!obligation.shape.empty()) text += fmt::format("  call: {}\n", obligation.shape);
    text += counterexample_text(obligation);
    if (!obligation.trace.empty()) text += "  as a trace:\n\n" + obligation.trace;
  }
  return text;
}

std::string table_json(const std::vector<Obligation>& obligations) {
  auto json = nlohmann::ordered_json::object();
  json["solver"] = "z3 " + smt::Solver::version();
  for (const Line& line : lines_of(obligations))
    json["theorems"].push_back({{"name", line.heading.name},
                                {"sentence", line.heading.sentence},
                                {"kind", line.heading.kind},
                                {"obligations", line.proved + line.open},
                                {"open", line.open},
                                {"seconds", line.seconds},
                                {"worst", line.worst}});
  json["open"] = nlohmann::ordered_json::array();
  for (const Obligation& o : obligations) {
    if (o.proved()) continue;
    nlohmann::ordered_json entry{{"theorem", o.theorem},
                                 {"subject", o.subject},
                                 {"shape", o.shape},
                                 {"dialects", names_of(o.dialects)},
                                 {"answer", word_for(o.answer)}};
    if (o.counterexample) {
      entry["broken"] = o.counterexample->fact;
      for (const Value& value : o.counterexample->values)
        if (value.value != 0) entry["values"][value.name] = hexadecimal(value.value);
    }
    if (!o.trace.empty()) entry["trace"] = o.trace;
    json["open"].push_back(std::move(entry));
  }
  return json.dump(2) + "\n";
}

}  // namespace mrproof::specs
