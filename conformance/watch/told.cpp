#include <fmt/format.h>

#include "conformance/watch/watching.hpp"

namespace mrproof::watch {

std::string finding_text(const Finding& f) {
  auto text = fmt::format("{}: {}\n  {}\n  {}{}\n", name_of(f.whose), f.name, f.what, f.wrong,
                          f.clauses.empty() ? "" : " [" + f.clauses + "]");
  for (const auto& object : f.objects) text += fmt::format("  {}\n", object.history);
  text += fmt::format("  at {}\n", f.place);
  if (!f.trace.empty()) text += fmt::format("  shown alone by: {}\n", f.trace_file);
  if (!f.remedy.empty()) text += fmt::format("  remedy: {}\n", f.remedy);
  return text + "\n";
}

std::string summary_text(const Told& told) {
  std::string text;
  for (const auto& f : told.findings)
    if (f.count > 1) text += fmt::format("{} times: {} at {}\n", f.count, f.name, f.place);
  text += fmt::format("{} findings; {}{} events seen, {} judged, {} unknown, {} passed through\n",
                      told.findings.size(),
                      told.suppressed.empty() ? ""
                                              : fmt::format("{} suppressed; ",
                                                            told.suppressed.size()),
                      told.counts.events, told.counts.judged, told.counts.unknown,
                      told.counts.passed);
  if (told.lost == 0) return text;
  return text + fmt::format("{} events could not be written, so nothing is told of what came then; "
                            "choose a folder with more room by --out\n",
                            told.lost);
}

}  // namespace mrproof::watch
