#include "conformance/session/part.hpp"

#include "property-tests/series/series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace mrproof::conformance {
namespace {

namespace fs = std::filesystem;

/// A part's journal, in pieces.
class Pieces {
 public:
  explicit Pieces(const std::string& file) : in_(file) {
    while (next() && !begins_case()) begin_ += line_ + "\n";
    if (there_) index_ = index();
  }

  /// What stands before the first case.
  [[nodiscard]] const std::string& begin() const { return begin_; }
  [[nodiscard]] bool at_end() const { return !there_; }
  /// Of the case that comes next.
  [[nodiscard]] std::uint64_t case_index() const { return index_; }

  /// Copies that case, however often it was begun, and what stands before the next one.
  void copy_to(std::ostream& out) {
    do out << line_ << '\n';
    while (next() && (!begins_case() || index() == index_));
    if (there_) index_ = index();
  }

 private:
  /// A line that its writer did not end is none.
  bool next() { return there_ = std::getline(in_, line_) && !in_.eof(); }
  [[nodiscard]] bool begins_case() const { return line_.starts_with("{\"record\":\"case\","); }
  [[nodiscard]] std::uint64_t index() const {
    return nlohmann::json::parse(line_).at("index").get<std::uint64_t>();
  }

  std::ifstream in_;
  bool there_ = false;  ///< whether `line_` is one
  std::string begin_, line_;
  std::uint64_t index_ = 0;
};

/// Copies cases until there are none left, the first of the plan first.
void copy_in_order(std::vector<Pieces>& all, std::ostream& out) {
  for (;;) {
    Pieces* first = nullptr;
    for (auto& pieces : all)
      if (!pieces.at_end() && (first == nullptr || pieces.case_index() < first->case_index()))
        first = &pieces;
    if (first == nullptr) return;
    first->copy_to(out);
  }
}

}  // namespace

std::vector<Part> parts_of(const property_tests::Plan& plan, const MachineOptions& machine,
                           std::size_t guests, const model::Rulebook& book, bool more_to_come) {
  const auto most = more_to_come ? guests : std::max<std::uint64_t>(plan.selected(), 1);
  const auto count = std::clamp<std::uint64_t>(guests, 1, most);
  std::vector<Part> parts;
  for (std::uint64_t i = 0; i < count; ++i) {
    Part part{plan, Tally(book), i, count == 1 ? "" : fmt::format("guest-{}-", i + 1), machine};
    part.plan.shard = plan.shard + i * plan.shards;
    part.plan.shards = plan.shards * count;
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<Part> take_races(property_tests::Plan& plan, const MachineOptions& machine,
                             const Expectations& expectations, const model::Rulebook& book) {
  std::vector<Part> races;
  const auto most = processors_of_repeating(machine);
  const auto is_race = [&](const property_tests::Scenario& scenario) {
    return scenario.race && scenario.race->guest.processors <= most &&
           is_expected_race(expectations, scenario.race->shows);
  };
  std::erase_if(plan.scenarios, [&](const property_tests::Scenario& scenario) {
    if (!is_race(scenario)) return false;
    const auto& race = *scenario.race;
    const auto number = races.size();
    Part part{{}, Tally(book), number, fmt::format("race-{}-", number + 1), machine};
    part.plan.device = plan.device;
    part.plan.dialect = plan.dialect;
    part.plan.traces = {scenario.text};
    part.plan.trace_file = scenario.name;
    part.plan.rounds = race.rounds;
    part.plan.until = race.shows;
    part.machine.seed = race.guest.seed;
    part.machine.processors = race.guest.processors;
    part.machine.preempt = race.guest.preempt;
    part.machine.wire = race.guest.wire;
    part.numbered_from = kBehindThePlan + (number << 32U);
    races.push_back(std::move(part));
    return true;
  });
  return races;
}

void resume(std::vector<Part>& parts, const property_tests::Plan& plan, const Folder& folder,
            const std::string& target) {
  const auto is_there = [&](const Part& part) { return fs::exists(part.journal(folder)); };
  if (std::none_of(parts.begin(), parts.end(), is_there))
    parts = parts_of(plan, parts.front().machine, 1, *parts.front().tally.book);
  for (auto& part : parts) {
    if (parts.size() > 1 && !is_there(part)) continue;  // it had not begun
    part.at = read_journal(part.journal(folder), part.plan, print_begun_with(part.plan, target),
                           part.tally);
    for (auto& finding : part.tally.findings) finding.trace_file.insert(0, part.prefix);
    if (part.tally.knows_device()) property_tests::fit_series(part.plan, part.tally.can);
  }
}

Tally join(const std::vector<Part>& parts, const property_tests::Plan& asked) {
  Tally all = parts.front().tally;
  if (parts.size() == 1) return all;
  property_tests::Plan plan = asked;
  for (const auto& part : parts)
    if (part.tally.knows_device()) property_tests::fit_series(plan, part.tally.can);
  std::map<std::string, std::uint64_t> place;
  for (auto i = plan.next_selected(0); i < plan.cases(); i = plan.next_selected(i + 1))
    place[plan.case_name(i)] = i;
  // Guided cases come after those of the plan; their names tell their order.
  std::set<std::string> others;
  for (const auto& part : parts)
    for (const auto& outcome : part.tally.outcomes)
      if (!place.contains(outcome.name)) others.insert(outcome.name);
  for (const auto& name : others) place.emplace(name, place.size() + plan.cases());
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) all.add(part->tally, place);
  return all;
}

void join_traces(const std::vector<Part>& parts, const Folder& folder, Tally& tally) {
  std::error_code ignored;
  for (std::size_t i = 0; i < tally.findings.size(); ++i) {
    auto& finding = tally.findings[i];
    const auto from = std::exchange(finding.trace_file, trace_name(i + 1, finding.name));
    fs::rename(folder.file(from), folder.file(finding.trace_file), ignored);
  }
  for (const auto& part : parts)
    for (const auto& finding : part.tally.findings)
      fs::remove(folder.file(finding.trace_file), ignored);
}

void add_facts(RunFacts& facts, const RunFacts& other) {
  facts.seconds = std::max(facts.seconds, other.seconds);
  facts.boot_seconds = std::max(facts.boot_seconds, other.boot_seconds);
  facts.machine_seconds += other.machine_seconds;
  facts.cut_short |= other.cut_short;
  facts.guided_cases += other.guided_cases;
  facts.races += other.races;
  if (facts.error.empty()) facts.error = other.error;
  if (!other.driver) return;
  if (facts.driver)
    facts.driver->add(*other.driver);
  else
    facts.driver = other.driver;
}

void join_journals(const std::vector<Part>& parts, const Folder& folder,
                   const std::string& begun_with, bool done) {
  std::vector<Pieces> all;
  for (const auto& part : parts) all.emplace_back(part.journal(folder));
  const auto file = folder.file("journal.jsonl"), unfinished = file + ".new";
  std::ofstream out(unfinished);
  out << fmt::format("{{\"record\":\"run\",\"begun_with\":{}}}\n", begun_with);
  for (const auto& pieces : all)
    if (const auto device = pieces.begin().find("{\"record\":\"device\"");
        device != std::string::npos) {
      out << pieces.begin().substr(device);
      break;
    }
  copy_in_order(all, out);
  out.close();
  if (!out)
    throw model::ToolError(
        fmt::format("{}: cannot be written: {}; the journals of its guests stand beside it",
                    unfinished, std::strerror(errno)));
  for (const auto& part : parts)
    if (done) fs::remove(part.journal(folder));
  fs::rename(unfinished, file);  // which was that of a part, if it had no other name
}

}  // namespace mrproof::conformance
