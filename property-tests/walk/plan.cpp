#include "property-tests/walk/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace mrproof::property_tests {

using Json = nlohmann::json;

std::uint64_t Plan::cases_per_seed() const {
  return (steps_per_seed() + case_steps - 1) / case_steps;
}

std::uint64_t Plan::before_walks() const {
  std::uint64_t count = scenarios.size();
  for (const auto& one : series) count += one.cases;
  return count;
}

std::uint64_t Plan::cases() const {
  return is_replay() ? rounds * traces.size() : before_walks() + seeds * cases_per_seed();
}

std::optional<Plan::InSeries> Plan::in_series(std::uint64_t index) const {
  if (is_replay() || is_scenario(index)) return std::nullopt;
  index -= scenarios.size();
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (index < series[i].cases) return InSeries{i, index};
    index -= series[i].cases;
  }
  return std::nullopt;
}

std::uint64_t Plan::next_selected(std::uint64_t index) const {
  while (index < cases() && !selects(index)) ++index;
  return std::min(index, cases());
}

std::uint64_t Plan::selected() const {
  return cases() <= shard ? 0 : (cases() - shard + shards - 1) / shards;
}

std::string Plan::case_name(std::uint64_t index) const {
  if (is_replay()) return trace_file;
  if (is_scenario(index)) return scenarios.at(index).name;
  if (const auto in = in_series(index))
    return fmt::format("{}/{:04}", series.at(in->series).name, in->number + 1);
  index -= before_walks();
  return fmt::format("walk/seed-{}/case-{}", seed + index / cases_per_seed(),
                     index % cases_per_seed());
}

std::uint64_t Plan::case_length(std::uint64_t index) const {
  const std::uint64_t before = (index - before_walks()) % cases_per_seed() * case_steps;
  return std::min(case_steps, steps_per_seed() - before);
}

std::uint64_t Plan::case_seed(std::uint64_t index) const {
  index -= before_walks();
  model::Random random((seed + index / cases_per_seed()) * 0x10001ULL);
  return random.next() ^ (index % cases_per_seed() * 0x9e3779b97f4a7c15ULL);
}

namespace {

Json until_json(const Plan& plan) {
  if (!plan.until) return nullptr;
  return {{"verdict", static_cast<int>(plan.until->verdict)},
          {"rule", plan.until->rule},
          {"kind", model::name_of(plan.until->kind)},
          {"broken", plan.until->broken.text()}};
}

/// The class that a request gives to known trouble.
constexpr std::string_view kTrouble = "trouble";

Json known_json(const Plan& plan) {
  Json known = Json::array();
  for (const auto& k : plan.walk.known)
    known.push_back({{"rule", k.rule},
                     {"kind", is_trouble(k) ? kTrouble : model::name_of(k.kind)},
                     {"broken", k.broken.text()}});
  return known;
}

Json scenarios_json(const Plan& plan) {
  Json scenarios = Json::array();
  for (const auto& s : plan.scenarios)
    scenarios.push_back({{"name", s.name},
                         {"text", s.text},
                         {"deliberate", s.deliberate},
                         {"finding", s.finding},
                         {"keeps_memory", s.keeps_memory},
                         {"led", s.led},
                         {"walk", {s.walk_steps, s.walk_seed, s.walk_wrong_percent}}});
  return scenarios;
}

Json series_json(const Plan& plan) {
  Json series = Json::array();
  for (const auto& s : plan.series)
    series.push_back({{"kind", s.kind},
                      {"name", s.name},
                      {"cases", s.cases},
                      {"scope", s.scope},
                      {"slower", s.slower}});
  return series;
}

/// The name that a request has. Throws ToolError.
model::DeviationName parse_name(const Json& json) {
  const std::string kind = json.at("kind"), broken = json.at("broken");
  const auto known = kind == kTrouble ? model::DeviationClass::none : model::parse_class(kind);
  if (!known) throw model::ToolError("the request names an unknown class: " + kind);
  return {json.at("rule"), *known, std::string_view(broken)};
}

/// FNV-1a of the text, enough to tell that it is another one.
std::string digest(const Json& json) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : json.dump())
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return fmt::format("{} of digest {:016x}", json.size(), hash);
}

}  // namespace

std::string print_begun_with(const Plan& plan, const std::string& target) {
  std::error_code ignored;
  const Json begun = {
      {"--device", plan.device},
      {"--target",
       target.empty() ? "" : std::filesystem::weakly_canonical(target, ignored).string()},
      {"--dialect", plan.dialect},
      {"--seed", plan.seed},
      {"--seeds", plan.seeds},
      {"--steps", plan.steps},
      {"--case-steps", plan.case_steps},
      {"--wrong", plan.walk.wrong_percent},
      {"--objects", plan.walk.objects},
      {"--quick", !plan.patient},
      {"--leak-rounds", plan.leak_rounds},
      {"--shard", fmt::format("{}/{}", plan.shard + 1, plan.shards)},
      {"--scenarios", digest(scenarios_json(plan))},
      {"--tours", digest(series_json(plan))},
      {"--expect", digest({known_json(plan), plan.read_after_connect})}};
  return begun.dump();
}

std::string print_request(const Plan& plan, std::uint64_t first_case) {
  const Json request = {{"device", plan.device},
                        {"dialect", plan.dialect},
                        {"seed", plan.seed},
                        {"seeds", plan.seeds},
                        {"steps", plan.steps},
                        {"case_steps", plan.case_steps},
                        {"wrong_percent", plan.walk.wrong_percent},
                        {"objects", plan.walk.objects},
                        {"patient", plan.patient},
                        {"brisk", plan.brisk},
                        {"read_after_connect", plan.read_after_connect},
                        {"known", known_json(plan)},
                        {"scenarios", scenarios_json(plan)},
                        {"series", series_json(plan)},
                        {"shard", plan.shard},
                        {"shards", plan.shards},
                        {"traces", plan.traces},
                        {"rounds", plan.rounds},
                        {"leak_rounds", plan.leak_rounds},
                        {"until", until_json(plan)},
                        {"lossless", plan.lossless},
                        {"more_to_come", plan.more_to_come},
                        {"trace_file", plan.trace_file},
                        {"first_case", first_case}};
  return request.dump();
}

Plan parse_request(const std::string& text, std::uint64_t& first_case) {
  try {
    const Json request = Json::parse(text);
    Plan plan;
    request.at("device").get_to(plan.device);
    request.at("dialect").get_to(plan.dialect);
    request.at("seed").get_to(plan.seed);
    request.at("seeds").get_to(plan.seeds);
    request.at("steps").get_to(plan.steps);
    request.at("case_steps").get_to(plan.case_steps);
    request.at("wrong_percent").get_to(plan.walk.wrong_percent);
    request.at("objects").get_to(plan.walk.objects);
    request.at("patient").get_to(plan.patient);
    request.at("brisk").get_to(plan.brisk);
    request.at("read_after_connect").get_to(plan.read_after_connect);
    for (const auto& k : request.at("known")) plan.walk.known.push_back(parse_name(k));
    for (const auto& s : request.at("scenarios"))
      plan.scenarios.push_back({s.at("name"), s.at("text"), s.at("deliberate"), s.at("finding"),
                                s.at("keeps_memory"), s.at("led"), s.at("walk").at(0),
                                s.at("walk").at(1), s.at("walk").at(2)});
    for (const auto& s : request.at("series"))
      plan.series.push_back(
          {s.at("kind"), s.at("name"), s.at("cases"), s.at("scope"), s.at("slower")});
    request.at("shard").get_to(plan.shard);
    request.at("shards").get_to(plan.shards);
    request.at("traces").get_to(plan.traces);
    request.at("rounds").get_to(plan.rounds);
    request.at("leak_rounds").get_to(plan.leak_rounds);
    if (const Json& until = request.at("until"); !until.is_null()) {
      const auto verdict = static_cast<model::Verdict>(until.at("verdict").get<int>());
      plan.until = {parse_name(until), verdict};
    }
    request.at("lossless").get_to(plan.lossless);
    request.at("more_to_come").get_to(plan.more_to_come);
    request.at("trace_file").get_to(plan.trace_file);
    request.at("first_case").get_to(first_case);
    return plan;
  } catch (const Json::exception& error) {
    throw model::ToolError(
        fmt::format("the request to the worker cannot be read: {}", error.what()));
  }
}

}  // namespace mrproof::property_tests
