#include "conformance/session/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/run/journal.hpp"
#include "conformance/run/read_back.hpp"
#include "conformance/session/part.hpp"
#include "model/trace/trace_dialect.hpp"

namespace mrproof::conformance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using model::Verdict;

/// A shard's report, and what every report has to tell of it.
struct Shard {
  std::string folder;
  Json report;
  std::uint64_t number = 0;   ///< from 1
  std::uint64_t of = 0;       ///< how many there are
  std::uint64_t planned = 0;  ///< its cases, in the end without those that are no part of the plan
  std::string error;          ///< why the tool gave up; empty if it did not
  /// What all shards have in common: by the report, and by the journal.
  std::map<std::string, Json> plan, target, options;

  /// What `look` misses is told with the report's file.
  void look(const std::function<void()>& look) const { look_into(folder + "/report.json", look); }
};

Shard load(const std::string& folder) {
  Shard shard;
  shard.folder = folder;
  shard.report = load_report(folder + "/report.json");
  const Json& report = shard.report;
  shard.look([&] {
    shard.number = report.at("cases").at("shard");
    shard.of = report.at("cases").at("shards");
    shard.planned = report.at("cases").at("planned");
    shard.error = report.at("error");
    model::book_named(report.at("dialect"));
    shard.plan["number of shards"] = shard.of;
    for (const char* key : {"dialect", "seed", "seeds"}) shard.plan[key] = report.at(key);
    for (const char* key : {"driver", "kernel", "rdma_core", "firmware"})
      shard.target[key] = report.at("target").at(key);
    for (const char* key : {"access", "features", "max_message"})
      shard.target[key] = report.at("capabilities").at(key);
  });
  return shard;
}

void check_same(const Shard& shard, const std::map<std::string, Json>& mine, const Shard& first,
                const std::map<std::string, Json>& others) {
  for (const auto& [key, value] : mine)
    if (const auto other = others.find(key); other != others.end() && other->second != value)
      throw model::ToolError(
          fmt::format("{}: its {} is {}, that of {} is {}; merge the shards of one run",
                      shard.folder, key, value.dump(), first.folder, other->second.dump()));
}

/// Whether they are the shards of one run, each once.
void check(const std::vector<Shard>& shards) {
  const Shard& first = shards.front();
  std::set<std::uint64_t> seen;
  for (const auto& shard : shards) {
    check_same(shard, shard.plan, first, first.plan);
    // One that gave up may never have seen the device.
    if (shard.error.empty() && first.error.empty())
      check_same(shard, shard.target, first, first.target);
    if (!seen.insert(shard.number).second || shard.number == 0 || shard.number > shard.of)
      throw model::ToolError(fmt::format("{}: shard {} of {} does not belong to the others",
                                         shard.folder, shard.number, shard.of));
  }
  for (std::uint64_t number = 1; number <= first.of; ++number)
    if (seen.count(number) == 0)
      throw model::ToolError(
          fmt::format("shard {} of {} is missing; run it, or name its report", number, first.of));
}

/// A file of a shard's folder, to be copied under a name that no other shard's has.
std::string take_trace(const Shard& shard, const std::string& name, Merged& merged) {
  const auto from = fs::path(shard.folder) / name;
  const bool is_name = !name.empty() && fs::path(name).filename() == name;
  std::error_code none;
  if (!is_name || !fs::is_regular_file(from, none)) return "";
  auto to = fmt::format("shard-{}-{}", shard.number, name);
  merged.traces.emplace_back(from.string(), to);
  return to;
}

/// What the journal does not say of findings: their traces, and whether they were flaky; and of
/// cases that were no part of the plan. The shard's incidents are those from `incidents` on.
void complete(Shard& shard, std::size_t incidents, Merged& merged) {
  Tally& tally = merged.tally;
  for (const Json& d : shard.report.at("deviations")) {
    const model::Annotation name = deviation_in(d);
    for (auto& f : tally.findings) {
      if (!(f.name == name) || f.case_name != d.at("case").get<std::string>()) continue;
      f.trace_file = take_trace(shard, d.at("trace"), merged);
      f.flaky = d.at("flaky");
    }
  }
  for (std::size_t i = incidents; i < tally.incidents.size(); ++i)
    tally.incidents[i].trace_file = take_trace(shard, tally.incidents[i].trace_file, merged);
  for (const Json& s : shard.report.at("cases").at("skipped")) {
    const std::string name = s.at("case");
    // What a worker skipped the journal has told already.
    if (std::any_of(tally.outcomes.begin(), tally.outcomes.end(),
                    [&](const auto& o) { return o.name == name; }))
      continue;
    tally.outcomes.push_back({name, {}, {}, true, s.at("reason"), false});
    if (shard.planned == 0) throw model::ToolError("more cases are skipped than planned");
    --shard.planned;
  }
}

void add_facts(const Shard& shard, Merged& merged) {
  const Json& report = shard.report;
  RunFacts& facts = merged.facts;
  facts.place = report.at("target").at("place");
  RunFacts mine;
  mine.seconds = report.at("timing").at("seconds");
  mine.boot_seconds = report.at("timing").at("boot_seconds");
  if (report.contains("driver_coverage"))
    mine.driver = DriverCoverage::from_json(report.at("driver_coverage"));
  if (!shard.error.empty())
    mine.error = fmt::format("{}: its run gave up: {}", shard.folder, shard.error);
  add_facts(facts, mine);
  if (report.at("cut_short").get<bool>()) merged.cut_short.push_back(shard.folder);
  for (const Json& name : report.at("cases").at("missing")) facts.missing.push_back(name);
  // Of the device, and so the same for all shards; one that gave up may not know.
  for (const auto& line : report.at("cases").value("lacking", std::vector<std::string>()))
    if (std::find(facts.lacking.begin(), facts.lacking.end(), line) == facts.lacking.end())
      facts.lacking.push_back(line);
}

/// The sums that a journal and its report both have.
std::map<std::string, std::uint64_t> sums_of(const Tally& tally) {
  std::map<std::string, std::uint64_t> sums{{"all", tally.steps}};
  for (const auto verdict :
       {Verdict::conforms, Verdict::deviates, Verdict::unsupported, Verdict::inconclusive})
    sums[std::string(model::kVerdictNames.at(static_cast<std::size_t>(verdict)))] =
        tally.count(verdict);
  return sums;
}

/// What the run was begun with, but for what may be another one for each shard.
void add_options(const std::string& begun_with, Shard& shard) {
  if (begun_with.empty()) return;
  const Json all = Json::parse(begun_with);
  for (const auto& [option, value] : all.items())
    if (option != "--shard" && option != "--device" && option != "--target")
      shard.options[option] = value;
}

/// Reads a shard's journal, and holds it against its report.
void read(Shard& shard, Merged& merged) {
  Tally& tally = merged.tally;
  const auto cases = tally.cases;
  const auto incidents = tally.incidents.size();
  const auto before = sums_of(tally);
  const std::string journal = shard.folder + "/journal.jsonl";
  if (shard.error.empty() || fs::exists(journal)) add_options(read_shard(journal, tally), shard);
  check_ended(shard.folder, shard.report, tally.cases - cases);
  shard.look([&] {
    complete(shard, incidents, merged);
    add_facts(shard, merged);
  });
  if (!shard.error.empty()) return;  // of a full disk, say; nothing says which of them is right
  std::map<std::string, std::uint64_t> said;
  shard.look([&] {
    for (const auto& sum : before)
      said[sum.first] =
          sum.first == "all" ? shard.report.at("steps") : shard.report.at("counts").at(sum.first);
  });
  for (const auto& [name, sum] : sums_of(tally))
    if (sum - before.at(name) != said.at(name))
      throw model::ToolError(
          fmt::format("{}: has {} steps ({}) where report.json has {}; run the shard again",
                      journal, sum - before.at(name), name, said.at(name)));
}

/// Whether the shards' numbers of cases are those of one plan that was shared out.
void check_planned(const std::vector<Shard>& shards, std::uint64_t planned) {
  for (const auto& shard : shards)
    if (const auto share = (planned + shard.of - shard.number) / shard.of; shard.planned != share)
      throw model::ToolError(
          fmt::format("{}: it has {} cases, and shard {} of {} of all {} cases had {}; merge "
                      "shards of one plan (--steps, --case-steps, --scenarios, --tours)",
                      shard.folder, shard.planned, shard.number, shard.of, planned, share));
}

}  // namespace

void check_out(const std::vector<std::string>& folders, const std::string& out) {
  std::error_code none;
  for (const auto& folder : folders)
    if (fs::equivalent(folder, out, none))
      throw model::ToolError(
          fmt::format("{}: is the folder of a shard; choose another --out", out));
  if (fs::exists(fs::path(out) / "journal.jsonl", none))
    throw model::ToolError(
        fmt::format("{}: holds the report of a run (journal.jsonl); choose another --out", out));
}

Merged merge_reports(const std::vector<std::string>& folders, const Expectations& expectations) {
  std::vector<Shard> shards;
  for (const auto& folder : folders) shards.push_back(load(folder));
  check(shards);
  const Json& first = shards.front().report;
  Merged merged{{}, Tally(model::book_named(first.at("dialect"))), {}, {}, {}};
  std::uint64_t planned = 0;
  bool gave_up = false;
  for (auto& shard : shards) {
    read(shard, merged);
    check_same(shard, shard.options, shards.front(), shards.front().options);
    planned += shard.planned;
    gave_up |= !shard.error.empty();
  }
  // A journal that is not whole does not say which cases were part of the plan.
  if (!gave_up) check_planned(shards, planned);
  shards.front().look([&] {
    merged.plan.dialect = first.at("dialect");
    merged.plan.seed = first.at("seed");
    merged.plan.seeds = first.at("seeds");
  });
  merged.plan.steps = 0;
  merged.plan.series.push_back({property_tests::CaseSeries::Kind::array, "merged", planned});
  merged.facts.cut_short = !merged.cut_short.empty();
  mark_expected(expectations, merged.tally);
  return merged;
}

void copy_traces(Merged& merged, const std::string& out) {
  for (const auto& [from, to] : merged.traces) {
    std::error_code error;
    fs::copy_file(from, fs::path(out) / to, fs::copy_options::overwrite_existing, error);
    if (error && merged.facts.error.empty())
      merged.facts.error =
          fmt::format("{}: cannot be copied to {}: {}", from, out, error.message());
  }
}

}  // namespace mrproof::conformance
