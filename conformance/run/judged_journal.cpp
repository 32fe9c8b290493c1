#include "conformance/run/judged_journal.hpp"

#include "conformance/run/read_back.hpp"
#include "model/oracle/recorded_case.hpp"

namespace mrproof::conformance {
namespace {

using Json = nlohmann::json;

/// Hands over what the lines say, a case when it is over.
class Reader {
 public:
  Reader(const model::Rulebook& book, JournalVisitor& visitor) : book_(book), visitor_(visitor) {}

  void take(const Json& line, std::size_t number) {
    const std::string record = line.at("record");
    if (record == "device") {
      end_case();
      given_ = line.at("given");
      visitor_.device(model::parse_trace("# mrproof trace v1\n" + given_, "journal").can);
    } else if (record == "case") {
      end_case();
      case_.begin(line.at("case"), given_ + line.at("given").get<std::string>(), number);
      in_case_ = true;
    } else if (record == "step") {
      case_.add_step(line, number);
    } else if (record == "case_end") {
      ended_ += line.contains("skipped") ? 0 : 1;
    } else if (record == "incident") {
      visitor_.incident(line.at("name"));
    }
  }

  void end_case() {
    if (!in_case_) return;
    in_case_ = false;
    const model::Trace trace = case_.trace();
    visitor_.begin_case(trace.setup);
    model::RecordedCase recorded(trace, book_);
    while (const model::Step* step = recorded.next()) {
      const auto before = recorded.oracle().state();
      const auto judgement = recorded.judge();
      visitor_.step(before, *step, judgement);
    }
  }

  [[nodiscard]] std::uint64_t ended() const { return ended_; }

 private:
  const model::Rulebook& book_;
  JournalVisitor& visitor_;
  std::string given_;
  JournalCase case_;
  std::uint64_t ended_ = 0;
  bool in_case_ = false;
};

}  // namespace

std::uint64_t visit_journal(const std::string& file, const model::Rulebook& book,
                            JournalVisitor& visitor) {
  Reader reader(book, visitor);
  read_lines(
      file, "name a run's folder with its journal",
      [&](const Json& line, std::size_t number) { reader.take(line, number); },
      [&] { reader.end_case(); });
  return reader.ended();
}

}  // namespace mrproof::conformance
