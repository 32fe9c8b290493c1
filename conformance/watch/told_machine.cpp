// What is told, for machines: JSON, JUnit, SARIF.
#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "conformance/report/report.hpp"
#include "conformance/watch/watching.hpp"

namespace mrproof::watch {
namespace {

using Json = nlohmann::ordered_json;
using conformance::escaped;

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// File and line of a place that has them: "main() at pair.c:12".
struct Source {
  std::string file;
  int line = 0;
};
std::optional<Source> source_of(const std::string& place) {
  const auto at = place.find("() at "), colon = place.rfind(':');
  if (at == std::string::npos || colon == std::string::npos) return std::nullopt;
  Source source{place.substr(at + 6, colon - at - 6), 0};
  std::from_chars(place.data() + colon + 1, place.data() + place.size(), source.line);
  if (source.line == 0) return std::nullopt;
  return source;
}

Json json_of(const Finding& f, std::uint64_t began) {
  auto objects = Json::array();
  for (const auto& object : f.objects) objects.push_back(object.history);
  Json json{{"whose", name_of(f.whose)}, {"name", f.name}, {"what", f.what}, {"wrong", f.wrong},
            {"clauses", f.clauses}, {"objects", objects}, {"remedy", f.remedy}, {"pid", f.pid},
            {"place", f.place}, {"ns", f.time < began ? 0 : f.time - began}, {"count", f.count}};
  if (!f.trace.empty()) json["trace"] = f.trace_file;
  if (!f.known.empty()) json["suppressed"] = f.known;
  return json;
}

std::string junit_case(const Finding& f) {
  const auto inside = f.known.empty()
                          ? fmt::format("<failure type=\"{}\" message=\"{}\">{}</failure>",
                                        escaped(f.name), escaped(f.wrong), escaped(finding_text(f)))
                          : "<system-out>suppressed: " + escaped(f.known) + "</system-out>";
  return fmt::format("  <testcase classname=\"mrproof.watch.{}\" name=\"{} at {}\">{}</testcase>\n",
                     name_of(f.whose), escaped(f.name), escaped(f.place), inside);
}

Json sarif_result(const Finding& f) {
  std::string text = f.what + ". " + f.wrong;
  for (const auto& object : f.objects) text += "\n" + object.history;
  if (!f.remedy.empty()) text += "\nremedy: " + f.remedy;
  Json place;
  if (const auto source = source_of(f.place))
    place["physicalLocation"] = {{"artifactLocation", {{"uri", source->file}}},
                                 {"region", {{"startLine", source->line}}}};
  place["logicalLocations"] = Json::array({{{"fullyQualifiedName", f.place}}});
  Json result{{"ruleId", f.name}, {"level", "error"}, {"message", {{"text", text}}},
              {"locations", Json::array({place})}, {"occurrenceCount", f.count},
              {"properties", {{"whose", name_of(f.whose)}, {"clauses", f.clauses}}}};
  if (!f.known.empty())
    result["suppressions"] =
        Json::array({{{"kind", "external"}, {"justification", f.known}}});
  return result;
}

}  // namespace

std::string told_json(const Told& told) {
  auto findings = Json::array(), suppressed = Json::array();
  for (const auto& f : told.findings) findings.push_back(json_of(f, told.began));
  for (const auto& f : told.suppressed) suppressed.push_back(json_of(f, told.began));
  return dumped({{"format", "mrproof watch v1"}, {"findings", findings}, {"suppressed", suppressed},
                 {"counts", {{"events", told.counts.events}, {"judged", told.counts.judged},
                             {"unknown", told.counts.unknown}, {"passed", told.counts.passed},
                             {"lost", told.lost}}}});
}

std::string told_junit(const Told& told) {
  std::string cases;
  for (const auto& f : told.findings) cases += junit_case(f);
  for (const auto& f : told.suppressed) cases += junit_case(f);
  // Readers of JUnit take a run without cases for one that did not take place.
  if (cases.empty()) cases = "  <testcase classname=\"mrproof.watch\" name=\"nothing found\"/>\n";
  const auto failed = told.findings.size();
  return fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<testsuite name=\"mrproof watch\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
                     "skipped=\"0\">\n{}</testsuite>\n",
                     std::max<std::size_t>(failed + told.suppressed.size(), 1), failed, cases);
}

std::string told_sarif(const Told& told) {
  auto rules = Json::array(), results = Json::array();
  std::set<std::string> names;
  for (const auto* list : {&told.findings, &told.suppressed})
    for (const auto& f : *list) {
      results.push_back(sarif_result(f));
      if (!names.insert(f.name).second) continue;
      Json rule{{"id", f.name}, {"shortDescription", {{"text", f.wrong}}}};
      if (!f.remedy.empty()) rule["help"] = {{"text", f.remedy}};
      rules.push_back(rule);
    }
  return dumped({{"version", "2.1.0"},
                 {"runs", Json::array({{{"tool", {{"driver", {{"name", "mrproof watch"},
                                                             {"rules", rules}}}}},
                                        {"results", results}}})}});
}

}  // namespace mrproof::watch
