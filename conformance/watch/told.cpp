#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/watch/watching.hpp"

namespace mrproof::watch {
namespace {

std::string_view name_of(Whose whose) { return whose == Whose::program ? "program" : "provider"; }

}  // namespace

std::string told_text(const Told& told) {
  std::string text;
  for (const auto& f : told.findings) {
    text += fmt::format("{}: {}{}\n  {}\n  {}{}\n", name_of(f.whose), f.name,
                        f.count > 1 ? fmt::format(" ({} times)", f.count) : "", f.what, f.wrong,
                        f.clauses.empty() ? "" : " [" + f.clauses + "]");
    for (const auto& object : f.objects) text += fmt::format("  {}\n", object);
    text += fmt::format("  at {}\n", f.place);
    if (!f.remedy.empty()) text += fmt::format("  remedy: {}\n", f.remedy);
    text += '\n';
  }
  text += fmt::format("{} findings; {} events seen, {} judged, {} unknown, {} passed through",
                      told.findings.size(), told.counts.events, told.counts.judged,
                      told.counts.unknown, told.counts.passed);
  if (told.lost == 0) return text + "\n";
  return text + fmt::format("\n{} events could not be written, so nothing is told; choose a folder "
                            "with more room by --out\n",
                            told.lost);
}

std::string told_json(const Told& told) {
  auto all = nlohmann::json::array();
  for (const auto& f : told.findings) {
    all.push_back({{"whose", name_of(f.whose)}, {"name", f.name}, {"what", f.what},
                   {"wrong", f.wrong}, {"clauses", f.clauses}, {"objects", f.objects},
                   {"remedy", f.remedy}, {"pid", f.pid}, {"place", f.place},
                   {"count", f.count}});
  }
  const nlohmann::json report{{"format", "mrproof watch v1"}, {"findings", all},
      {"counts", {{"events", told.counts.events}, {"judged", told.counts.judged},
                  {"unknown", told.counts.unknown}, {"passed", told.counts.passed},
                  {"lost", told.lost}}}};
  return report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace mrproof::watch
