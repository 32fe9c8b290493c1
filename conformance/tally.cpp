#include "conformance/tally.hpp"

#include <algorithm>

namespace mrproof {

using namespace model;

std::optional<Annotation> Incident::annotation() const {
  const auto rule = name.find('/');
  const auto kind = name.find('/', rule + 1);
  if (rule == std::string::npos || kind == std::string::npos) return std::nullopt;
  return Annotation{verdict, name.substr(0, rule), name.substr(rule + 1, kind - rule - 1),
                    name.substr(kind + 1)};
}

Finding* Tally::add(const Record& end, const Step& step, const std::string& case_name) {
  ++steps;
  inside_ns_ += end.inside_ns;
  if (end.rebuilt) {
    ++rebuilt_;
    rebuilt_ns_ += end.elapsed_ns;
  }
  if (step.annotations.empty()) return nullptr;
  const Annotation& name = step.annotations.front();
  ++counts.at(static_cast<std::size_t>(name.verdict));
  if (end.rule != Record::kNoRule) ++judged.at(end.rule);
  if (name.verdict != Verdict::deviates) return nullptr;
  if (const auto* rule = book->find(name.rule)) ++judged.at(book->index(*rule));
  const auto known = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& f) { return f.name == name; });
  if (known != findings.end()) {
    ++known->count;
    return nullptr;
  }
  Finding finding;
  finding.name = name;
  finding.count = 1;
  finding.case_name = case_name;
  finding.step = end.index;
  finding.call = print_call(step);
  finding.result = print_result(step);
  finding.remarks = step.remarks;
  findings.push_back(std::move(finding));
  return &findings.back();
}

void Tally::add_case(const Record& end) {
  ++cases;
  case_ns_ += end.elapsed_ns;
  reset_ns_ += end.inside_ns;
}

bool Tally::has_unexpected() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& f) { return f.expected_reason.empty(); }) ||
         std::any_of(incidents.begin(), incidents.end(), [](const Incident& i) {
           return i.verdict != Verdict::inconclusive && i.expected_reason.empty();
         });
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

}  // namespace mrproof
