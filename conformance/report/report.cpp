#include "conformance/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/report/driver_report.hpp"
#include "model/trace/notation.hpp"

namespace mrproof::conformance {

using namespace model;
using Json = nlohmann::ordered_json;

namespace {

Json counts_json(const Tally& tally) {
  Json counts;
  for (std::size_t i = 0; i < kVerdicts; ++i)
    counts[std::string(kVerdictNames.at(i))] = tally.counts.at(i);
  return counts;
}

/// What shrinking came to; null where nothing was shrunk.
Json shrunk_json(const std::optional<ShrunkTrace>& shrunk) {
  if (!shrunk) return nullptr;
  return {{"trace", shrunk->file},       {"steps", shrunk->trace.steps.size()},
          {"report", shrunk->folder},    {"outcome", shrunk->outcome},
          {"candidates", shrunk->tried}, {"seconds", shrunk->seconds}};
}

/// The same for people.
std::string shrunk_text(const std::optional<ShrunkTrace>& shrunk, const model::Trace& trace) {
  if (!shrunk) return "";
  if (shrunk->file.empty())
    return fmt::format("  {} ({:.1f} s)\n", shrunk->outcome, shrunk->seconds);
  std::string text = fmt::format(
      "  shrunk to {} steps of {} and reported in {:.1f} s, after {} candidates; {}\n  {}, {}/\n",
      shrunk->trace.steps.size(), trace.steps.size(), shrunk->seconds, shrunk->tried,
      shrunk->outcome, shrunk->file, shrunk->folder);
  for (model::Step step : shrunk->trace.steps) {
    step.keys_seen = false;
    const auto result = model::print_result(step);
    text += "    " + model::print_call(step) + (result.empty() ? "" : " -> " + result) + "\n";
  }
  return text;
}

Json findings_json(const Tally& tally) {
  Json all = Json::array();
  for (const auto& f : tally.findings)
    all.push_back({{"rule", f.name.rule},
                   {"condition", f.name.broken.text()},
                   {"class", name_of(f.name.kind)},
                   {"count", f.count},
                   {"count_of_process_1", f.by_other},
                   {"expected", !f.expected_reason.empty()},
                   {"reason", f.expected_reason},
                   {"flaky", f.flaky},
                   {"case", f.case_name},
                   {"first_step", f.step},
                   {"call", f.call},
                   {"result", f.result},
                   {"trace", f.trace_file},
                   {"shrunk", shrunk_json(f.shrunk)}});
  return all;
}

Json incidents_json(const Tally& tally) {
  Json all = Json::array();
  for (const auto& i : tally.incidents)
    all.push_back({{"verdict", kVerdictNames.at(static_cast<std::size_t>(i.verdict))},
                   {"case", i.case_name},
                   {"step", i.step},
                   {"name", i.name_text()},
                   {"expected", !i.expected_reason.empty()},
                   {"reason", i.expected_reason},
                   {"call", i.call},
                   {"text", i.text},
                   {"trace", i.trace_file},
                   {"shrunk", shrunk_json(i.shrunk)}});
  return all;
}

Json capabilities_json(const Tally& tally) {
  const auto number = [](const auto& word) { return static_cast<std::uint32_t>(word.value()); };
  return {{"access", model::print_access(number(tally.can.claimed))},
          {"features", model::print_flags(model::kFeatureNames, number(tally.can.features))},
          {"max_message", tally.can.max_message.value()}};
}

Json choices_json(const Tally& tally) {
  Json all = Json::array();
  for (const auto& [key, c] : tally.choices)
    all.push_back({{"rule", c.rule},
                   {"answer", c.answer},
                   {"times", c.times},
                   {"case", c.case_name},
                   {"step", c.step},
                   {"call", c.call}});
  return all;
}

/// How many cases there are and how they ended; by name those in which something was seen.
Json cases_json(const property_tests::Plan& plan, const Tally& tally, const RunFacts& facts) {
  Json ended = Json::object();
  Json noted = Json::array();
  Json skipped = Json::array();
  for (const auto& o : tally.outcomes) {
    if (!o.skip_reason.empty()) {
      skipped.push_back({{"case", o.name}, {"reason", o.skip_reason}});
      continue;
    }
    const std::string verdict(kVerdictNames.at(static_cast<std::size_t>(o.verdict())));
    ended[verdict] = ended.value(verdict, 0) + 1;
    if (!o.seen.empty())
      noted.push_back(
          {{"case", o.name}, {"verdict", verdict}, {"expected", o.expected}, {"seen", o.seen}});
  }
  const auto unplanned =
      std::count_if(tally.outcomes.begin(), tally.outcomes.end(),
                    [](const auto& o) { return !o.skip_reason.empty() && !o.planned; });
  return {{"planned", facts.planned(plan) + static_cast<std::uint64_t>(unplanned)},
          {"finished", tally.cases},
          {"skipped", skipped},
          {"shard", plan.shard + 1},
          {"shards", plan.shards},
          {"ended", ended},
          {"noted", noted},
          {"missing", facts.missing},
          {"lacking", facts.lacking},
          {"all_expected", facts.all_expected},
          {"unmatched", facts.unmatched},
          {"drift", facts.drift}};
}

std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

/// A remark as a terminal can show it: of long lists of sources the first ones only. The page has
/// them all.
std::string shortened(const std::string& remark) {
  constexpr std::size_t kMost = 240;
  if (remark.size() <= kMost) return remark;
  const auto end = remark.rfind(' ', kMost);
  return remark.substr(0, end == std::string::npos ? kMost : end) + " ... (all: report.html)";
}

/// "3x"; of two processes or hosts also by whose calls.
std::string times(const Tally& tally, const Finding& f) {
  const bool hosts = tally.device.device.find("two-hosts") != std::string::npos;
  if (!hosts) return fmt::format("{}x", f.count);
  return fmt::format("{}x: {} by this host, {} by its peer", f.count, f.count - f.by_other,
                     f.by_other);
}

std::string expected_text(const Tally& tally) {
  std::string text;
  for (const auto& f : tally.findings)
    if (!f.expected_reason.empty())
      text += fmt::format("  {} ({}): {}\n", model::print_annotation(f.name), times(tally, f),
                          f.expected_reason);
  return text.empty() ? text : "\nexpected:\n" + text;
}

std::string incidents_text(const Tally& tally, bool expected) {
  std::string text;
  for (const auto& i : tally.incidents) {
    if (expected == i.expected_reason.empty()) continue;
    text += fmt::format("\n{} {}in {} step {}: {}{}\n  {}\n",
                        kVerdictNames.at(static_cast<std::size_t>(i.verdict)),
                        i.name ? i.name_text() + " " : "", i.case_name, i.step, i.text,
                        i.expected_reason.empty() ? "" : " (expected: " + i.expected_reason + ")",
                        i.call.empty() ? "(between steps)" : i.call);
    text += shrunk_text(i.shrunk, i.trace);
  }
  return text;
}

/// Unexpected deviations in full.
std::string findings_text(const Tally& tally) {
  std::string text;
  std::string flaky;
  for (const auto& f : tally.findings) {
    const auto name = model::print_annotation(f.name);
    if (!f.expected_reason.empty()) continue;
    if (f.flaky) {
      flaky += fmt::format("  {} ({}x): {}\n", name, f.count, f.trace_file);
      continue;
    }
    text +=
        fmt::format("\n{}: {} ({})\n  {} -> {}\n", name,
                    f.trace_file.empty() ? f.case_name : f.trace_file, times(tally, f), f.call,
                    f.result);
    for (const auto& remark : f.remarks) text += "  " + shortened(remark) + "\n";
    text += shrunk_text(f.shrunk, f.trace);
  }
  if (!flaky.empty())
    text += fmt::format("\nflaky (the same calls made again did not show it):\n{}", flaky);
  return text;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f ? '?' : c;
    }
  }
  return out;
}

std::string report_json(const property_tests::Plan& plan, const Tally& tally,
                        const RunFacts& facts) {
  const auto& d = tally.device;
  Json rules = Json::array();
  for (std::size_t i = 0; i < tally.judged.size(); ++i)
    rules.push_back({{"rule", tally.book->rules()[i]->id}, {"judged", tally.judged.at(i)}});
  Json report = {{"format", "mrproof-report"},
                 {"version", 1},
                 {"target",
                  {{"device", d.device},
                   {"driver", d.driver},
                   {"kernel", d.kernel},
                   {"rdma_core", d.rdma_core},
                   {"firmware", d.firmware},
                   {"place", facts.place}}},
                 {"dialect", plan.dialect},
                 {"seed", plan.seed},
                 {"seeds", plan.seeds},
                 {"steps", tally.steps},
                 {"cases", cases_json(plan, tally, facts)},
                 {"cut_short", facts.cut_short},
                 {"error", facts.error},
                 {"counts", counts_json(tally)},
                 {"rules", rules},
                 {"capabilities", capabilities_json(tally)},
                 {"choices", choices_json(tally)},
                 {"deviations", findings_json(tally)},
                 {"incidents", incidents_json(tally)},
                 {"timing",
                  {{"seconds", facts.seconds},
                   {"boot_seconds", facts.boot_seconds},
                   {"machine_seconds", facts.machine_seconds},
                   {"steps_per_second", tally.steps_per_second()},
                   {"undisturbed_steps_per_second", tally.undisturbed_steps_per_second()},
                   {"inside_share", tally.inside_share()}}}};
  if (facts.driver) report["driver_coverage"] = facts.driver->to_json();
  if (facts.guided_cases > 0) report["guided"] = guided_json(facts.guided_cases, facts.kept);
  // What kernels print may be no UTF-8.
  return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::string> skipped_cases(const Tally& tally) {
  std::vector<std::string> lines;
  const auto& all = tally.outcomes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].skip_reason.empty()) continue;
    std::size_t last = i;
    while (all[i].planned && last + 1 < all.size() && all[last + 1].planned &&
           all[last + 1].skip_reason == all[i].skip_reason)
      ++last;
    lines.push_back(last == i ? fmt::format("{} ({})", all[i].name, all[i].skip_reason)
                              : fmt::format("{} to {}, {} cases ({})", all[i].name, all[last].name,
                                            last - i + 1, all[i].skip_reason));
    i = last;
  }
  return lines;
}

std::string report_text(const property_tests::Plan& plan, const Tally& tally,
                        const RunFacts& facts) {
  const auto& d = tally.device;
  std::string text = fmt::format("\ndevice {}  driver {}  kernel {}  rdma-core {}  on {}\n",
                                 d.device, d.driver, d.kernel, d.rdma_core, facts.place);
  text += fmt::format(
      "{} steps in {} of {} cases, {:.1f} s (boot {:.1f} s), {} steps/s, "
      "{} steps/s undisturbed, {:.0f} % inside the implementation\n",
      grouped(tally.steps), grouped(tally.cases), grouped(facts.planned(plan)), facts.seconds,
      facts.boot_seconds, grouped(static_cast<std::uint64_t>(tally.steps_per_second())),
      grouped(static_cast<std::uint64_t>(tally.undisturbed_steps_per_second())),
      100 * tally.inside_share());
  for (std::size_t i = 0; i < kVerdicts; ++i)
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", grouped(tally.counts.at(i)),
                        kVerdictNames.at(i));
  const auto judged =
      std::count_if(tally.judged.begin(), tally.judged.end(), [](const auto n) { return n != 0; });
  text += fmt::format("; {} of {} rules judged\n", judged, tally.judged.size());
  text += findings_text(tally) + incidents_text(tally, false) + expected_text(tally) +
          incidents_text(tally, true);
  for (const auto& line : facts.lacking) text += "\n" + line + "\n";
  for (const auto& line : skipped_cases(tally)) text += "\nskipped: " + line + "\n";
  for (const auto& name : facts.missing) text += fmt::format("\nmissing: {}", name);
  for (const auto& name : facts.unmatched)
    text += fmt::format("\nexpected and never met (mended? then take it out): {}", name);
  for (const auto& line : facts.drift) text += "\nchosen otherwise than pinned: " + line;
  if (!facts.missing.empty() || !facts.unmatched.empty() || !facts.drift.empty()) text += "\n";
  if (facts.driver) text += "\n" + driver_line(*facts.driver);
  if (facts.guided_cases > 0) text += "\n" + guided_line(facts.guided_cases, facts.kept);
  if (facts.cut_short) text += "\nended before the plan was done\n";
  if (!facts.error.empty()) text += "\ngave up: " + facts.error + "\n";
  return text;
}

}  // namespace mrproof::conformance
