#include "conformance/run/tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/trace/notation.hpp"

namespace mrproof::conformance {

using namespace model;

std::string trace_name(std::size_t number, const model::DeviationName& finding) {
  return fmt::format("deviation-{:02}-{}.mrt", number, finding.rule);
}

std::optional<model::Annotation> Incident::annotation() const {
  if (!name) return std::nullopt;
  return model::Annotation{*name, verdict};
}

Verdict CaseOutcome::verdict() const {
  constexpr std::uint32_t kAFew = 3;
  const auto count = [this](Verdict v) { return counts.at(static_cast<std::size_t>(v)); };
  for (const auto bad : {Verdict::crash, Verdict::hang, Verdict::kernel_warning, Verdict::deviates})
    if (count(bad) > 0) return bad;
  if (count(Verdict::inconclusive) > kAFew) return Verdict::inconclusive;
  return count(Verdict::conforms) == 0 ? Verdict::unsupported : Verdict::conforms;
}

namespace {

/// Whether it was opened as one whose packets may get lost: "rxe0@uverbs+lossy".
bool loses_packets(const impl::Description& device) {
  const auto at = device.device.find('@');
  return at != std::string::npos && device.device.find("lossy", at) != std::string::npos;
}

}  // namespace

void Tally::begin_case(const std::string& name) {
  if (outcomes.empty() || outcomes.back().name != name) outcomes.emplace_back();
  outcomes.back() = {};
  outcomes.back().name = name;
  outcomes.back().over_wire = loses_packets(device);
}

void Tally::note(Verdict verdict, const std::string& name) {
  if (outcomes.empty()) return;
  auto& outcome = outcomes.back();
  ++outcome.counts.at(static_cast<std::size_t>(verdict));
  if (name.empty()) return;
  if (std::find(outcome.seen.begin(), outcome.seen.end(), name) == outcome.seen.end())
    outcome.seen.push_back(name);
}

void Tally::add(const Incident& incident) {
  incidents.push_back(incident);
  if (incident.verdict == Verdict::inconclusive) return;  // the case is repeated
  if (!incident.case_name.empty()) note(incident.verdict, incident.case_entry());
}

std::string Incident::case_entry() const {
  return fmt::format("{} {}", kVerdictNames.at(static_cast<std::size_t>(verdict)),
                     name ? name_text() : call);
}

void Tally::choose(const Record& end, const model::Step& step, const std::string& case_name) {
  const PlainRule& rule = *book->rules()[end.rule];
  const bool refused = rule.outcome == Outcome::refused;
  if (rule.weight == Weight::inconclusive || (!refused && rule.freedom == nullptr)) return;
  std::string answer;
  if (refused) {
    model::Step told = step;
    told.bytes.clear();  // stored meanwhile by requests in flight
    answer = model::print_result(told);
  }
  Choice& choice = choices[{end.rule, answer}];
  if (choice.times++ != 0 && choice.step <= end.index) return;
  choice.rule = rule.id;
  choice.answer = answer;
  choice.case_name = case_name;
  choice.step = end.index;
  choice.call = model::print_call(step);
}

Finding* Tally::add(const Record& end, const model::Step& step, const std::string& case_name) {
  ++steps;
  inside_ns_ += end.inside_ns;
  if (end.rebuilt) {
    ++rebuilt_;
    rebuilt_ns_ += end.elapsed_ns;
  }
  if (step.annotations.empty()) return nullptr;
  const model::Annotation& name = step.annotations.front();
  ++counts.at(static_cast<std::size_t>(name.verdict));
  // Hangs and warnings come as incidents, too.
  if (name.verdict != Verdict::hang && name.verdict != Verdict::kernel_warning)
    note(name.verdict, name.verdict == Verdict::deviates ? model::print_annotation(name) : "");
  if (end.rule != Record::kNoRule) {
    ++judged.at(end.rule);
    choose(end, step, case_name);
  }
  if (name.verdict != Verdict::deviates) return nullptr;
  if (const auto* rule = book->find(name.rule)) ++judged.at(book->index(*rule));
  const auto known = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& f) { return f.name == name; });
  if (known != findings.end()) {
    ++known->count;
    known->by_other += end.process;
    return nullptr;
  }
  Finding finding;
  finding.name = name;
  finding.count = 1;
  finding.by_other = end.process;
  finding.case_name = case_name;
  finding.step = end.index;
  finding.call = model::print_call(step);
  finding.result = model::print_result(step);
  finding.remarks = step.remarks;
  findings.push_back(std::move(finding));
  return &findings.back();
}

void Tally::add_case(const Record& end) {
  if (!end.skip_reason.empty() && !outcomes.empty()) {
    outcomes.back().skip_reason = end.skip_reason;
    outcomes.back().planned = true;
    return;
  }
  ++cases;
  left_out += end.left_out ? 1 : 0;
  case_ns_ += end.elapsed_ns;
  inside_ns_ += end.inside_ns;
  reset_ns_ += end.reset_ns;
}

void Tally::add(const Tally& other, const std::map<std::string, std::uint64_t>& place) {
  if (!knows_device()) {
    device = other.device;
    can = other.can;
  }
  steps += other.steps;
  left_out += other.left_out;
  cases += other.cases;
  std::transform(counts.begin(), counts.end(), other.counts.begin(), counts.begin(), std::plus{});
  std::transform(judged.begin(), judged.end(), other.judged.begin(), judged.begin(), std::plus{});
  add_findings(other, place);
  incidents.insert(incidents.end(), other.incidents.begin(), other.incidents.end());
  // As the journal has them. What befell no case comes last.
  const auto at = [&](const Incident& i) {
    const auto found = place.find(i.case_name);
    return std::pair(found == place.end() ? ~std::uint64_t{0} : found->second, i.step);
  };
  std::stable_sort(incidents.begin(), incidents.end(),
                   [&](const Incident& a, const Incident& b) { return at(a) < at(b); });
  outcomes.insert(outcomes.end(), other.outcomes.begin(), other.outcomes.end());
  std::stable_sort(outcomes.begin(), outcomes.end(), [&](const auto& a, const auto& b) {
    return place.at(a.name) < place.at(b.name);
  });
  for (const auto& [key, theirs] : other.choices) {
    Choice& ours = choices[key];
    const auto times = ours.times + theirs.times;
    if (ours.times == 0 || theirs.step < ours.step) ours = theirs;
    ours.times = times;
  }
  inside_ns_ += other.inside_ns_;
  case_ns_ += other.case_ns_;
  reset_ns_ += other.reset_ns_;
  rebuilt_ns_ += other.rebuilt_ns_;
  rebuilt_ += other.rebuilt_;
}

void Tally::add_findings(const Tally& other, const std::map<std::string, std::uint64_t>& place) {
  const auto at = [&](const Finding& f) { return std::pair(place.at(f.case_name), f.step); };
  for (const auto& theirs : other.findings) {
    const auto ours = std::find_if(findings.begin(), findings.end(),
                                   [&](const Finding& f) { return f.name == theirs.name; });
    if (ours == findings.end()) {
      findings.push_back(theirs);
      continue;
    }
    const auto count = ours->count + theirs.count;
    const auto by_other = ours->by_other + theirs.by_other;
    if (at(theirs) < at(*ours)) *ours = theirs;
    ours->count = count;
    ours->by_other = by_other;
  }
  std::sort(findings.begin(), findings.end(),
            [&](const Finding& a, const Finding& b) { return at(a) < at(b); });
}

bool Tally::has_unexpected() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.counts(); }) ||
         std::any_of(incidents.begin(), incidents.end(),
                     [](const Incident& i) { return i.counts(); });
}

double Tally::steps_per_second() const {
  return case_ns_ == 0 ? 0 : static_cast<double>(steps) * 1e9 / static_cast<double>(case_ns_);
}

double Tally::undisturbed_steps_per_second() const {
  const auto disturbed = reset_ns_ + rebuilt_ns_;
  if (case_ns_ <= disturbed) return 0;
  return static_cast<double>(steps - rebuilt_) * 1e9 / static_cast<double>(case_ns_ - disturbed);
}

double Tally::inside_share() const {
  return case_ns_ == 0 ? 0 : static_cast<double>(inside_ns_) / static_cast<double>(case_ns_);
}

void mark_flaky(Tally& tally, const Tally& again) {
  for (auto& f : tally.findings) {
    if (!f.expected_reason.empty()) continue;
    const auto made =
        std::find_if(again.outcomes.begin(), again.outcomes.end(),
                     [&](const auto& o) { return o.name == model::print_annotation(f.name); });
    const bool met = std::any_of(again.findings.begin(), again.findings.end(),
                                 [&](const auto& other) { return other.name == f.name; });
    // What is known may have been seen again beside it.
    f.flaky = !met && made != again.outcomes.end() && (made->seen.empty() || made->expected) &&
              std::accumulate(made->counts.begin(), made->counts.end(), std::size_t{0}) ==
                  f.trace.steps.size();
  }
}

}  // namespace mrproof::conformance
