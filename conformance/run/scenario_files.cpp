#include "conformance/run/scenario_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "impl/own_program.hpp"
#include "model/trace/trace_dialect.hpp"
#include "property-tests/shrink/shrink_form.hpp"
#include "property-tests/shrink/trials.hpp"

namespace mrproof::conformance {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> traces_in(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (at->path().extension() == ".mrt") files.push_back(at->path());
  if (error) throw model::ToolError(fmt::format("{}: cannot be read: {}", folder, error.message()));
  if (files.empty()) throw model::ToolError(fmt::format("{}: no trace (*.mrt) is in it", folder));
  std::sort(files.begin(), files.end());
  return files;
}

std::string name_of(const fs::path& folder, const fs::path& file) {
  const fs::path whole = fs::weakly_canonical(folder);
  const auto relative = fs::weakly_canonical(file).lexically_relative(whole).replace_extension();
  return (whole.filename() / relative).string();
}

bool shows_anything(const model::Trace& trace) {
  return std::any_of(trace.steps.begin(), trace.steps.end(), [](const model::Step& step) {
    return std::any_of(step.annotations.begin(), step.annotations.end(), [](const auto& a) {
      return a.verdict != model::Verdict::conforms && a.verdict != model::Verdict::unsupported &&
             a.verdict != model::Verdict::inconclusive;
    });
  });
}

/// Whether it has the head of a finding's trace, and is no test of the oracle alone.
bool was_seen(const fs::path& file) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line) && line.starts_with('#');)
    if (line.starts_with("# seen on:")) return true;
  return false;
}

}  // namespace

std::vector<property_tests::Scenario> load_scenarios(const std::vector<std::string>& folders,
                                                     const std::string& dialect) {
  std::vector<property_tests::Scenario> scenarios;
  for (const auto& folder : folders)
    for (const auto& file : traces_in(folder)) {
      const model::Trace trace = model::load_trace(file.string());
      if (model::book_of(trace, "", file.string()).dialect() == dialect) {
        const bool finding = was_seen(file) && shows_anything(trace);
        scenarios.push_back(
            {name_of(folder, file), property_tests::calls_text(trace), finding, finding});
        const auto* shows = property_tests::last_told_by(trace);
        if (!finding || shows == nullptr) continue;
        scenarios.back().keeps_memory = model::is_of_kept_memory(*shows);
        if (trace.guest && (trace.rounds > 1 || !trace.guest->wire.empty()))
          scenarios.back().race = {*trace.guest, trace.rounds, *shows};
      }
    }
  return scenarios;
}

Installed find_installed() {
  const auto share = fs::path(impl::own_program()).parent_path().parent_path() / "share/mrproof";
  Installed found;
  const auto add = [&](std::vector<std::string>& folders, const char* name) {
    if (fs::is_directory(share / name)) folders.push_back((share / name).string());
  };
  add(found.scenarios, "scenarios");
  add(found.scenarios, "expectations");
  add(found.large, "large");
  std::error_code none;
  for (const auto& file : fs::directory_iterator(share / "scopes", none))
    if (file.path().filename().string().starts_with("tour-"))
      found.tours.push_back(file.path().string());
  std::sort(found.tours.begin(), found.tours.end());
  return found;
}

std::vector<property_tests::Scenario> scenarios_of_unexpected(const Tally& tally) {
  std::vector<property_tests::Scenario> scenarios;
  for (const auto& f : tally.findings)
    if (f.expected_reason.empty() && !f.trace.steps.empty())
      scenarios.push_back(
          {model::print_annotation(f.name), property_tests::calls_text(f.trace), false, true});
  return scenarios;
}

}  // namespace mrproof::conformance
