#include "conformance/run/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/run/journal.hpp"
#include "conformance/trace/trace_dialect.hpp"

namespace mrproof {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Shard {
  std::string folder;
  Json report;
};

Shard load(const std::string& folder) {
  const auto file = folder + "/report.json";
  std::ifstream in(file);
  if (!in) throw ToolError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  try {
    Shard shard{folder, Json::parse(in)};
    if (shard.report.at("format") != "mrproof-report") throw ToolError(file + ": it is no report");
    return shard;
  } catch (const Json::exception& error) {
    throw ToolError(fmt::format("{}: {}", file, error.what()));
  }
}

/// Whether they are the shards of one run, each once.
void check(const std::vector<Shard>& shards) {
  const Json& first = shards.front().report;
  const auto of = first.at("cases").at("shards").get<std::uint64_t>();
  std::set<std::uint64_t> seen;
  for (const auto& shard : shards) {
    for (const char* key : {"dialect", "seed", "seeds"})
      if (shard.report.at(key) != first.at(key))
        throw ToolError(
            fmt::format("{}: its {} is not that of {}", shard.folder, key, shards.front().folder));
    for (const char* key : {"driver", "kernel", "rdma_core"})
      if (shard.report.at("target").at(key) != first.at("target").at(key))
        throw ToolError(
            fmt::format("{}: its {} is not that of {}", shard.folder, key, shards.front().folder));
    const auto number = shard.report.at("cases").at("shard").get<std::uint64_t>();
    if (shard.report.at("cases").at("shards") != of || !seen.insert(number).second)
      throw ToolError(fmt::format("{}: shard {} of {} does not belong to the others", shard.folder,
                                  number, shard.report.at("cases").at("shards").dump()));
  }
  for (std::uint64_t number = 1; number <= of; ++number)
    if (seen.count(number) == 0)
      throw ToolError(
          fmt::format("shard {} of {} is missing; run it, or name its report", number, of));
}

/// A file of a shard's folder under a name that no other shard's has.
std::string copy_trace(const std::string& folder, const std::string& name, const std::string& out) {
  if (name.empty() || out.empty()) return "";
  const auto to = fs::path(folder).filename().string() + "-" + name;
  std::error_code error;
  fs::copy_file(fs::path(folder) / name, fs::path(out) / to, fs::copy_options::overwrite_existing,
                error);
  return error ? "" : to;
}

/// What the journal does not say of findings: their traces, and whether they were flaky; and of
/// cases that were no part of the plan. How many of those there are.
std::size_t complete(const Shard& shard, const std::string& out, Tally& tally) {
  for (const Json& d : shard.report.at("deviations")) {
    const Annotation name{model::Verdict::deviates, d.at("rule"), d.at("class"), d.at("condition")};
    for (auto& f : tally.findings) {
      if (!(f.name == name) || f.case_name != d.at("case").get<std::string>()) continue;
      f.trace_file = copy_trace(shard.folder, d.at("trace"), out);
      f.flaky = d.at("flaky");
    }
  }
  for (auto& incident : tally.incidents)
    for (const Json& i : shard.report.at("incidents"))
      if (i.at("trace") == incident.trace_file && i.at("case") == incident.case_name)
        incident.trace_file = copy_trace(shard.folder, i.at("trace"), out);
  std::size_t unplanned = 0;
  for (const Json& s : shard.report.at("cases").at("skipped")) {
    const std::string name = s.at("case");
    // What a worker skipped the journal has told already.
    if (std::any_of(tally.outcomes.begin(), tally.outcomes.end(),
                    [&](const auto& o) { return o.name == name; }))
      continue;
    tally.outcomes.push_back({name, {}, {}, true, s.at("reason"), false});
    ++unplanned;
  }
  return unplanned;
}

void add_facts(const Json& report, RunFacts& facts) {
  facts.place = report.at("target").at("place");
  facts.seconds = std::max(facts.seconds, report.at("timing").at("seconds").get<double>());
  facts.boot_seconds =
      std::max(facts.boot_seconds, report.at("timing").at("boot_seconds").get<double>());
  facts.cut_short |= report.at("cut_short").get<bool>();
  if (facts.error.empty()) facts.error = report.at("error");
  for (const Json& name : report.at("cases").at("missing")) facts.missing.push_back(name);
}

}  // namespace

Merged merge_reports(const std::vector<std::string>& folders, const std::string& out,
                     const Expectations& expectations) {
  std::vector<Shard> shards;
  for (const auto& folder : folders) shards.push_back(load(folder));
  check(shards);
  const Json& first = shards.front().report;
  Merged merged{{}, Tally(book_named(first.at("dialect"))), {}};
  merged.plan.dialect = first.at("dialect");
  merged.plan.seed = first.at("seed");
  merged.plan.seeds = first.at("seeds");
  merged.plan.steps = 0;
  std::uint64_t planned = 0;
  for (const auto& shard : shards) {
    read_shard(shard.folder + "/journal.jsonl", merged.tally);
    const auto unplanned = complete(shard, out, merged.tally);
    add_facts(shard.report, merged.facts);
    planned += shard.report.at("cases").at("planned").get<std::uint64_t>() - unplanned;
  }
  merged.plan.scenarios.resize(planned);
  mark_expected(expectations, merged.tally);
  return merged;
}

}  // namespace mrproof
