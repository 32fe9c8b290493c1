#include "conformance/run/verify.hpp"

#include <fmt/format.h>

#include <array>
#include <set>

#include "conformance/run/read_back.hpp"
#include "model/oracle/recorded_case.hpp"
#include "model/trace/notation.hpp"
#include "model/trace/trace_dialect.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

using Json = nlohmann::json;
using model::Verdict;

/// Judges a journal's cases one after the other.
class Verifier {
 public:
  Verifier(const model::Rulebook& book, Verification& result) : book_(book), result_(result) {}

  void take(const Json& line, std::size_t number) {
    const std::string record = line.at("record");
    if (record == "device") given_ = line.at("given");
    if (record == "case") begin_case(line, number);
    if (record == "step") add_step(line, number);
    if (record == "incident") ++incidents_;
  }
  /// Judges the last case.
  void end() { judge(); }

  void compare(const Json& report) {
    for (const auto verdict :
         {Verdict::conforms, Verdict::deviates, Verdict::unsupported, Verdict::inconclusive}) {
      const std::string name(model::kVerdictNames.at(static_cast<std::size_t>(verdict)));
      const auto said = report.at("counts").at(name).get<std::uint64_t>();
      const auto found = counts_.at(static_cast<std::size_t>(verdict));
      if (said != found)
        differ(fmt::format("report.json counts {} steps as {}, the journal has {}", said, name,
                           found));
    }
    std::set<std::string> named;
    for (const auto& d : report.at("deviations"))
      named.insert(fmt::format("deviates {} {} {}", d.at("rule").get<std::string>(),
                               d.at("class").get<std::string>(),
                               d.at("condition").get<std::string>()));
    for (const auto& name : deviations_)
      if (named.count(name) == 0) differ("report.json lacks: " + name);
    for (const auto& name : named)
      if (deviations_.count(name) == 0) differ("the journal does not show: " + name);
    if (report.at("incidents").size() != incidents_)
      differ(fmt::format("report.json has {} incidents, the journal {}",
                         report.at("incidents").size(), incidents_));
  }

 private:
  void differ(std::string what) { result_.differences.push_back(std::move(what)); }

  void begin_case(const Json& line, std::size_t number) {
    judge();
    case_.begin(line.at("case"), given_ + line.at("given").get<std::string>(), number);
    ++result_.cases;
  }

  void add_step(const Json& line, std::size_t number) {
    case_.add_step(line, number);
    verdicts_.push_back(line.at("verdict"));
    warned_.push_back(line.contains("kernel_warning"));
  }

  void judge() {
    if (verdicts_.empty()) return;
    const model::Trace trace = case_.trace();
    model::RecordedCase recorded(trace, book_);
    for (std::size_t i = 0; const model::Step* step = recorded.next(); ++i)
      compare_step(recorded.judge(), *step, i);
    verdicts_.clear();
    warned_.clear();
  }

  void compare_step(model::Judgement judgement, const model::Step& step, std::size_t number) {
    if (warned_.at(number) && judgement.verdict != Verdict::deviates &&
        judgement.verdict != Verdict::hang)
      judgement.verdict = Verdict::kernel_warning;
    const auto name = model::print_annotation(model::annotate(judgement, step));
    ++result_.steps;
    ++counts_.at(static_cast<std::size_t>(judgement.verdict));
    if (judgement.verdict == Verdict::deviates) deviations_.insert(name);
    if (name != verdicts_.at(number))
      differ(fmt::format("{} step {}: '{}', but it is '{}'", case_.name(), number + 1,
                         verdicts_.at(number), name));
  }

  const model::Rulebook& book_;
  Verification& result_;
  std::string given_;
  JournalCase case_;
  std::vector<std::string> verdicts_;
  std::vector<bool> warned_;
  std::array<std::uint64_t, model::kVerdicts> counts_{};
  std::set<std::string> deviations_;
  std::size_t incidents_ = 0;
};

}  // namespace

Verification verify_report(const std::string& folder) {
  const std::string file = folder + "/report.json";
  const Json report = load_report(file);
  const model::Rulebook* book = nullptr;
  look_into(file, [&] { book = &model::book_named(report.at("dialect")); });
  Verification result;
  Verifier verifier(*book, result);
  read_lines(
      folder + "/journal.jsonl", "a report is judged anew by its journal",
      [&](const Json& line, std::size_t number) { verifier.take(line, number); },
      [&] { verifier.end(); });
  look_into(file, [&] { verifier.compare(report); });
  return result;
}

}  // namespace mrproof::conformance
