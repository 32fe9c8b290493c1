// What a run leaves behind: report.json, junit.xml and a summary for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/run/kept_case.hpp"
#include "conformance/run/tally.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {

/// What a report says beside the tally.
struct RunFacts {
  std::string place;   ///< where it ran
  double seconds = 0;  ///< wall time of the run, boot included
  double boot_seconds = 0;
  double machine_seconds = 0;  ///< of all its cases, by the clocks of the machines they ran in
  bool cut_short = false;              ///< ended by --time or an interrupt before its plan was done
  std::string error;                   ///< why the tool gave up; empty if it did not
  std::vector<std::string> missing;    ///< cases of the plan that have no outcome
  bool all_expected = false;           ///< an expectation that nothing met is a failure
  std::vector<std::string> unmatched;  ///< those expectations
  std::vector<std::string> drift;      ///< what the provider chose otherwise than it is pinned to
  /// Lines on what no case of the plan's series can test, since the device lacks what it needs.
  std::vector<std::string> lacking;
  std::optional<DriverCoverage> driver;  ///< what was reached of it, if that was asked for
  std::uint64_t races = 0;               ///< traces of the plan that were made again and again
  std::uint64_t guided_cases = 0;        ///< that were led by what they reached
  std::vector<KeptCase> kept;            ///< of these

  /// Cases that were to be run: those of the plan, and those that came after it.
  [[nodiscard]] std::uint64_t planned(const property_tests::Plan& plan) const {
    return plan.selected() + guided_cases;
  }
};

/// report.json, format version 1; every field is described in conformance/README.md.
std::string report_json(const property_tests::Plan& plan, const Tally& tally,
                        const RunFacts& facts);

/// One self-contained HTML page for people: what was judged, and each deviation with a drawing of
/// the buffers, the regions and the ranges that the step used.
std::string report_html(const property_tests::Plan& plan, const Tally& tally,
                        const RunFacts& facts);

/// The cases that were skipped, with the reason; those of a series in one line.
std::vector<std::string> skipped_cases(const Tally& tally);

/// Text made safe for HTML and XML.
std::string escaped(const std::string& text);

/// JUnit XML: one test case for each case of the plan. What was expected passes, and says so; a
/// case in which nothing could be learnt is skipped; a missing one is an error.
std::string report_junit(const Tally& tally, const RunFacts& facts);

/// The same as KTAP, version 1.
std::string report_ktap(const Tally& tally, const RunFacts& facts);

/// A summary for a pull request, in Markdown: at most 60 rows.
std::string report_markdown(const property_tests::Plan& plan, const Tally& tally,
                            const RunFacts& facts);

/// Unexpected findings as SARIF 2.1.0; their place is the trace file.
std::string report_sarif(const Tally& tally);

/// A page of text for the terminal.
std::string report_text(const property_tests::Plan& plan, const Tally& tally,
                        const RunFacts& facts);

}  // namespace mrproof::conformance
