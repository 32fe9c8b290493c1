#include "conformance/run/expectations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "conformance/run/list_lines.hpp"
#include "model/trace/notation.hpp"

namespace mrproof::conformance {
namespace {

using model::Verdict;

bool fits_class(const std::string& pattern, model::DeviationClass kind) {
  return fits(pattern, std::string(model::name_of(kind)));
}

constexpr const char* kStraightToUse = "connect/straight-to-use";

/// Whether a line of a kernel's call trace names such a function.
bool names_function(const std::string& pattern, const std::string& line) {
  std::istringstream words(line);
  for (std::string word; words >> word;)
    if (const auto plus = word.find("+0x"); plus != std::string::npos)
      if (fits(pattern, word.substr(0, plus))) return true;
  return false;
}

/// Whether the kernel complained from there: "FILE.c", or "FILE.c:FUNCTION".
bool comes_from(const std::string& place, const std::string& text) {
  const auto colon = place.find(':');
  const std::string file = "/" + place.substr(0, colon) + ":";
  if (colon == std::string::npos) return text.find(file) != std::string::npos;
  bool of_file = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("WARNING: ") != std::string::npos) of_file = line.find(file) != std::string::npos;
    if (of_file && names_function(place.substr(colon + 1), line)) return true;
  }
  return false;
}

bool is_for(const Expectation& e, const CaseOutcome& outcome) {
  return (!e.wire || outcome.over_wire) && (e.cases.empty() || fits(e.cases, outcome.name));
}

/// Whether all cases in which that was seen are those that the entry is for.
bool in_cases(const Expectation& e, const std::string& seen, const Tally& tally) {
  return std::all_of(tally.outcomes.begin(), tally.outcomes.end(), [&](const auto& outcome) {
    return is_for(e, outcome) ||
           std::find(outcome.seen.begin(), outcome.seen.end(), seen) == outcome.seen.end();
  });
}

bool in_case(const Expectation& e, const std::string& name, const Tally& tally) {
  return std::any_of(tally.outcomes.begin(), tally.outcomes.end(), [&](const auto& outcome) {
    return outcome.name == name && is_for(e, outcome);
  });
}

bool is_of(const Expectation& e, const Finding& finding, const Tally& tally) {
  return e.verdict == Verdict::deviates && fits(e.rule, finding.name.rule) &&
         fits_class(e.kind, finding.name.kind) && fits(e.broken, finding.name.broken.text()) &&
         in_cases(e, model::print_annotation(finding.name), tally);
}

bool is_of(const Expectation& e, const Incident& incident, const Tally& tally) {
  return incident.name && e.verdict == incident.verdict &&
         (e.cases.empty() || fits(e.cases, incident.case_name)) &&
         (!e.wire || in_case(e, incident.case_name, tally)) && fits(e.rule, incident.name->rule) &&
         fits_class(e.kind, incident.name->kind) &&
         (e.broken == "-" || incident.name->broken.contains_all(std::string_view(e.broken))) &&
         (e.place.empty() || comes_from(e.place, incident.text));
}

template <typename Seen>
void mark(const std::vector<Expectation>& expectations, const Tally& tally, Seen& seen) {
  for (auto& one : seen)
    for (const auto& e : expectations)
      if (one.expected_reason.empty() && is_of(e, one, tally)) one.expected_reason = e.reason;
}

/// A case is as expected if all is that was seen in it.
void mark_cases(Tally& tally) {
  std::set<std::string> known;
  for (const auto& f : tally.findings)
    if (!f.counts()) known.insert(model::print_annotation(f.name));
  for (const auto& i : tally.incidents)
    if (!i.expected_reason.empty()) known.insert(i.case_entry());
  for (auto& outcome : tally.outcomes)
    outcome.expected = std::all_of(outcome.seen.begin(), outcome.seen.end(),
                                   [&](const auto& name) { return known.count(name) != 0; });
}

}  // namespace

void avoid_expected(const Expectations& expectations, property_tests::WalkOptions& walk,
                    bool with_races) {
  for (const auto& e : expectations.fails) {
    if (e.race && !with_races) continue;
    for (std::size_t i = 0; i < model::kVerbs; ++i) {
      const model::DeviationName trouble{
          model::rule_id(static_cast<model::Verb>(i), model::Outcome::none),
          model::DeviationClass::none, std::string_view(e.broken)};
      if (e.verdict != Verdict::deviates && e.broken != "-" && fits(e.rule, trouble.rule))
        walk.known.push_back(property_tests::known_trouble(trouble));
    }
  }
}

std::vector<CaseOutcome> skip(const Expectations& expectations, property_tests::Plan& plan) {
  std::vector<CaseOutcome> skipped;
  for (const auto& s : expectations.skips) plan.read_after_connect |= s.pattern == kStraightToUse;
  const auto is_skipped = [&](const property_tests::Scenario& scenario) {
    for (const auto& [pattern, reason, line] : expectations.skips)
      if (fits(pattern, scenario.name)) {
        skipped.push_back({scenario.name, {}, {}, true, reason, false});
        return true;
      }
    return false;
  };
  auto& all = plan.scenarios;
  all.erase(std::remove_if(all.begin(), all.end(), is_skipped), all.end());
  return skipped;
}

void mark_expected(const Expectations& expectations, Tally& tally) {
  mark(expectations.fails, tally, tally.findings);
  mark(expectations.fails, tally, tally.incidents);
  mark_cases(tally);
}

bool is_expected_race(const Expectations& expectations, const model::Annotation& shown) {
  return std::any_of(expectations.fails.begin(), expectations.fails.end(),
                     [&](const Expectation& e) {
                       return e.race && e.verdict == shown.verdict && fits(e.rule, shown.rule) &&
                              fits_class(e.kind, shown.kind) && fits(e.broken, shown.broken.text());
                     });
}

std::vector<std::string> unmatched(const Expectations& expectations, const Tally& tally,
                                   bool with_races) {
  const auto met = [&](const Expectation& e) {
    const auto meets = [&](const auto& seen) { return is_of(e, seen, tally); };
    return std::any_of(tally.findings.begin(), tally.findings.end(), meets) ||
           std::any_of(tally.incidents.begin(), tally.incidents.end(), meets);
  };
  std::vector<std::string> left;
  const auto& fails = expectations.fails;
  for (auto e = fails.begin(); e != fails.end();) {
    const auto end = std::find_if(e + 1, fails.end(), [](const auto& o) { return !o.alternative; });
    if ((with_races || !e->race) && std::none_of(e, end, met))
      std::transform(e, end, std::back_inserter(left), print_entry);
    e = end;
  }
  for (const auto& s : expectations.skips)
    if (s.pattern != kStraightToUse &&
        std::none_of(tally.outcomes.begin(), tally.outcomes.end(), [&](const auto& one) {
          return !one.skip_reason.empty() && fits(s.pattern, one.name);
        }))
      left.push_back(s.pattern + ",Skip");
  return left;
}

}  // namespace mrproof::conformance
