#include "conformance/report/finding_letter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "conformance/report/finding_words.hpp"
#include "conformance/report/repro.hpp"

namespace mrproof::conformance {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void append(Lines& to, const Lines& from) { to.insert(to.end(), from.begin(), from.end()); }

/// Text wrapped at 78 columns, as mail has it.
Lines paragraph(const std::string& text, const std::string& begin = "") {
  constexpr std::size_t kColumns = 78;
  Lines lines;
  std::istringstream words(text);
  std::string line = begin;
  for (std::string word; words >> word;) {
    if (line.size() + word.size() + 1 > kColumns && line.size() > begin.size()) {
      lines.push_back(line);
      line = std::string(begin.size(), ' ');
    }
    line += (line.size() == begin.size() ? "" : " ") + word;
  }
  lines.push_back(line);
  return lines;
}

/// The first or the last lines, and a word for the others.
Lines capped(Lines lines, std::size_t most, bool last, const std::string& rest) {
  if (lines.size() <= most) return lines;
  if (last) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most - 1));
    lines.insert(lines.begin(), rest);
  } else {
    lines.resize(most - 1);
    lines.push_back(rest);
  }
  return lines;
}

/// The steps as the trace has them; below the decisive one what is to be said of it.
Lines steps_of(const Evidence& evidence) {
  constexpr std::size_t kMost = 16;
  Lines steps;
  for (const auto& step : told_trace(evidence).steps) {
    const auto result = model::print_result(step);
    steps.push_back(model::print_call(step) + (result.empty() ? "" : " -> " + result));
  }
  Lines lines{"```"};
  append(lines, capped(steps, kMost, true, "# the steps before these are in trace.mrt"));
  lines.push_back("! " + model::print_annotation(evidence.finding()));
  lines.emplace_back("```");
  return lines;
}

Lines clauses_of(const Evidence& evidence) {
  constexpr std::size_t kMost = 4;
  Lines lines;
  const auto clauses = finding_clauses(evidence);
  for (std::size_t i = 0; i < clauses.size() && i < kMost; ++i)
    append(lines, paragraph(fmt::format("{}: {}", clauses[i].citation, clauses[i].text), "- "));
  if (clauses.size() > kMost)
    lines.push_back(
        fmt::format("- and {} more: `mrproof explain trace.mrt`", clauses.size() - kMost));
  return lines;
}

/// main() of the program: what is not the same for every trace.
Lines main_of(const Lines& program) {
  const auto begin = std::find_if(program.begin(), program.end(),
                                  [](const auto& line) { return line.starts_with("int main"); });
  return {begin, program.end()};
}

Lines fenced(const Lines& program) {
  Lines lines{"```c"};
  append(lines, program);
  lines.emplace_back("```");
  return lines;
}

/// The program, or as much of it as there is room for.
Lines program_lines(const std::string& text, std::size_t room) {
  constexpr std::size_t kAround = 3;
  const Lines program = lines_of(text);
  if (program.size() + kAround <= room) return fenced(program);
  Lines steps = main_of(program);
  Lines lines{"`repro.c` is attached; this is its `main()`:", ""};
  if (steps.size() + lines.size() + kAround <= room) {
    append(lines, fenced(steps));
    return lines;
  }
  return {"`repro.c` is attached."};
}

/// What there has to be between the two ends for the calls to show it.
Lines wire_of(const model::Trace& trace) {
  if (!trace.guest || trace.guest->wire.empty()) return {};
  Lines lines = paragraph(fmt::format(
      "Packets went over a wire with netem's `{0}` (tc-netem(8)). Between two machines `tc qdisc "
      "add dev NETDEV root netem {0}` makes one. What a driver in software sends to its own "
      "machine takes a short way, on which the program shows nothing: `mrproof replay trace.mrt "
      "--target IMAGE` makes a guest that has such a wire.",
      trace.guest->wire));
  lines.emplace_back();
  return lines;
}

}  // namespace

std::string finding_letter(const Evidence& evidence, const std::string& program,
                           const std::string& seen_on) {
  auto target = seen_on.empty() ? finding_target(evidence) : seen_on;
  if (target.empty())
    target =
        "not recorded in the trace; add `uname -r`, `ibv_devinfo` and the version of rdma-core";
  Lines lines{"# " + finding_title(evidence), ""};
  if (const auto story = finding_story(evidence); !story.empty()) {
    append(lines, capped(paragraph(story), 8, false, "(more in trace.mrt)"));
    lines.emplace_back();
  }
  append(lines, paragraph("Seen on: " + target));
  append(lines, {"", "## What happened", ""});
  append(lines, steps_of(evidence));
  append(lines, {"", "## What was allowed", ""});
  Lines reasons;
  for (const auto& reason : finding_reasons(evidence))
    if (!is_provenance(reason)) append(reasons, paragraph(reason, "- "));
  append(lines, capped(reasons, 16, false, "- more in trace.mrt"));
  if (const auto clauses = clauses_of(evidence); !clauses.empty()) {
    append(lines, {"", "What these say:", ""});
    append(lines, capped(clauses, 14, false, "- more: `mrproof explain trace.mrt`"));
  }
  append(lines, {"", "## How to see it", "", "```", repro_command(program) + "; echo $?",
                 "mrproof replay trace.mrt --device DEVICE", "```", "",
                 "The program ends with 0 if the device conforms, 1 if it deviates, 4 if it cannot",
                 "run there. The calls are those of the trace, on memory at fixed addresses.", ""});
  append(lines, wire_of(evidence.trace));
  append(lines, program_lines(program, kLetterLines - std::min(lines.size(), kLetterLines)));
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

}  // namespace mrproof::conformance
