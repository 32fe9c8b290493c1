// Writes the calls of a run's walks as a table for bare_loop:
//
//     bare_table REPORT/journal.jsonl EXPECTATIONS TABLE
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "benchmarks/bare_table.h"
#include "conformance/run/expectations.hpp"
#include "conformance/trace/trace.hpp"
#include "impl/layout.hpp"
#include "impl/verbs/request.hpp"

namespace mrproof {
namespace {

using model::Outcome;
using model::Verb;

#define MRPROOF_SAME_VERB(name) \
  static_assert(static_cast<int>(BARE_##name) == static_cast<int>(Verb::name));
BARE_VERBS(MRPROOF_SAME_VERB)
static_assert(static_cast<int>(BARE_KEY_OLD_WINDOW) ==
              static_cast<int>(KeyName::Kind::old_window_rkey));
static_assert(BARE_BUFFERS == kBufferCount && BARE_ABSENT == Setup::kAbsent);

bare_key key_of(const KeyName& name) {
  return {static_cast<std::uint32_t>(name.kind), name.slot, name.flip, name.value};
}

/// The status that the model's outcome stands for.
std::uint64_t ended_of(Outcome outcome) {
  if (outcome == Outcome::refused) return BARE_REFUSED;
  if (outcome == Outcome::none) return BARE_NONE;
  for (int status = IBV_WC_SUCCESS; status < IBV_WC_GENERAL_ERR; ++status)
    if (impl::outcome_of(static_cast<ibv_wc_status>(status)) == outcome)
      return static_cast<std::uint64_t>(status);
  return BARE_OTHER;
}

bare_step step_of(const Step& step) {
  const auto& c = step.call;
  bare_step s{};
  s.verb = static_cast<std::uint8_t>(c.verb);
  s.pd = c.pd;
  s.mr = c.mr;
  s.mw = c.mw;
  s.qp = c.qp;
  s.option = c.option;
  s.seed = c.seed;
  s.elements = c.elements;
  s.access = static_cast<std::uint32_t>(c.access.value());
  s.flags = static_cast<std::uint32_t>(c.flags.value());
  s.lkey = key_of(step.lkey);
  s.second_lkey = key_of(step.second);
  s.rkey = key_of(step.rkey);
  s.address = c.address.value();
  s.length = c.length.value();
  s.second_address = c.second.address.value();
  s.second_length = c.second.length.value();
  s.remote = c.remote.value();
  s.iova = c.iova.value();
  s.operand = c.operand.value();
  s.swap = c.swap.value();
  s.ended = ended_of(step.result.outcome);
  return s;
}

/// A line of a trace, alone.
Trace line_of(const std::string& text) {
  return parse_trace("# mrproof trace v1\n" + text + "\n", "journal");
}

bare_case case_of(const Setup& setup) {
  bare_case c{};
  std::copy(setup.pd.begin(), setup.pd.end(), c.pd);
  std::copy(setup.qp_pd.begin(), setup.qp_pd.end(), c.qp_pd);
  return c;
}

struct Table {
  bare_header header{};
  std::vector<bare_case> cases;
  std::vector<bare_step> steps;

  void take(const nlohmann::json& line) {
    const std::string record = line.at("record");
    if (record == "case") {
      if (!line.at("case").get<std::string>().starts_with("walk/"))
        throw ToolError("it has cases besides walks; run without --scenarios and the like");
      cases.push_back(case_of(line_of(line.at("given")).setup));
    } else if (record == "step") {
      const std::string call = line.at("call");
      const std::string result = line.at("result");
      steps.push_back(step_of(line_of(call + " -> " + result).steps.at(0)));
      ++cases.back().steps;
      header.step_ns += line.at("elapsed_ns").get<std::uint64_t>();
      header.inside_ns += line.at("inside_ns").get<std::uint64_t>();
    } else if (record == "case_end") {
      header.harness_ns += line.at("elapsed_ns").get<std::uint64_t>();
      header.reset_ns += line.at("inside_ns").get<std::uint64_t>();
    } else if (record == "incident") {
      throw ToolError("the run had an incident: its time says nothing");
    }
  }
};

/// Nothing but a case's end in the middle tells that what was seen made the pairs doubtful.
void mark_doubted(std::vector<bare_case>& cases) {
  std::uint64_t longest = 0;
  for (const auto& c : cases) longest = std::max(longest, c.steps);
  for (auto& c : cases) c.doubted = c.steps < longest ? 1 : 0;
}

Table read_table(const std::string& journal, const std::string& expectations) {
  Plan plan;
  skip(load_expectations(expectations), plan);
  Table table;
  std::ifstream in(journal);
  for (std::string line; std::getline(in, line);) table.take(nlohmann::json::parse(line));
  if (table.steps.empty()) throw ToolError(journal + ": no steps in it; is it a run's journal?");
  mark_doubted(table.cases);
  table.header.cases = table.cases.size();
  table.header.steps = table.steps.size();
  table.header.read_after_connect = plan.read_after_connect ? 1 : 0;
  for (std::size_t i = 0; i < kBufferCount; ++i) {
    table.header.buffer[i][0] = buffer_address(i);
    table.header.buffer[i][1] = buffer_size(i);
  }
  return table;
}

template <class T>
void put(std::ofstream& out, const T* from, std::size_t count) {
  out.write(reinterpret_cast<const char*>(from), static_cast<std::streamsize>(sizeof(T) * count));
}

void write_table(const Table& table, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  put(out, &table.header, 1);
  put(out, table.cases.data(), table.cases.size());
  put(out, table.steps.data(), table.steps.size());
  out.close();
  if (!out) throw ToolError(path + ": cannot be written; is the disk full?");
}

}  // namespace
}  // namespace mrproof

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: bare_table JOURNAL EXPECTATIONS TABLE\n", stderr);
    return 2;
  }
  try {
    mrproof::write_table(mrproof::read_table(argv[1], argv[2]), argv[3]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bare_table: %s\n", error.what());
    return 2;
  }
  return 0;
}
