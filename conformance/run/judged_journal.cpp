#include "conformance/run/judged_journal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/oracle/judge_trace.hpp"
#include "conformance/run/plan.hpp"

namespace mrproof {
namespace {

using Json = nlohmann::json;

/// Hands over what the lines say, a case when it is over.
class Reader {
 public:
  Reader(const model::Rulebook& book, JournalVisitor& visitor) : book_(book), visitor_(visitor) {}

  void take(const Json& line) {
    const std::string record = line.at("record");
    if (record == "device") {
      end_case();
      given_ = line.at("given");
      visitor_.device(parse_trace("# mrproof trace v1\n" + given_, "journal").can);
    } else if (record == "case") {
      end_case();
      name_ = line.at("case");
      text_ = fmt::format("# mrproof trace v1\n{}{}", given_, line.at("given").get<std::string>());
      in_case_ = true;
    } else if (record == "step") {
      text_ += fmt::format("{} -> {}\n", line.at("call").get<std::string>(),
                           line.at("result").get<std::string>());
    } else if (record == "incident") {
      visitor_.incident(line.at("name"));
    }
  }

  void end_case() {
    if (!in_case_) return;
    in_case_ = false;
    const Trace trace = parse_trace(text_, name_);
    visitor_.begin_case(name_, trace.setup);
    Oracle oracle(book_, trace.setup, trace.can);
    bool goes_on = true;
    for (Step step : trace.steps) {
      oracle.resolve(step);
      const auto before = oracle.state();
      RecordedMemory memory(step);
      step.bytes.clear();
      const auto judgement = oracle.check(step, memory);
      visitor_.step(before, step, judgement);
      goes_on = oracle.recover(step, judgement) || judgement.verdict != model::Verdict::deviates;
    }
    visitor_.end_case(oracle, trace.steps.size(), goes_on);
  }

 private:
  const model::Rulebook& book_;
  JournalVisitor& visitor_;
  std::string given_, name_, text_;
  bool in_case_ = false;
};

}  // namespace

void visit_journal(const std::string& file, const model::Rulebook& book, JournalVisitor& visitor) {
  std::ifstream in(file);
  if (!in) throw ToolError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  Reader reader(book, visitor);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    try {
      reader.take(Json::parse(line));
    } catch (const std::exception& error) {
      throw ToolError(fmt::format("{}:{}: {}", file, number, error.what()));
    }
  }
  reader.end_case();
}

}  // namespace mrproof
