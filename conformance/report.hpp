// What a run leaves behind: report.json, junit.xml and a summary for people.
#pragma once

#include <string>

#include "conformance/plan.hpp"
#include "conformance/tally.hpp"

namespace mrproof {

/// What a report says beside the tally.
struct RunFacts {
  std::string place;   ///< where it ran
  double seconds = 0;  ///< wall time of the run, boot included
  double boot_seconds = 0;
  bool cut_short = false;  ///< ended by --time or an interrupt before its plan was done
  std::string error;       ///< why the tool gave up; empty if it did not
};

/// report.json, format version 1; every field is described in conformance/README.md.
std::string report_json(const Plan& plan, const Tally& tally, const RunFacts& facts);

/// One self-contained HTML page for people: what was judged, and each deviation with a drawing of
/// the buffers, the regions and the ranges that the step used.
std::string report_html(const Plan& plan, const Tally& tally, const RunFacts& facts);

/// Text made safe for HTML and XML.
std::string escaped(const std::string& text);

/// JUnit XML: one test case per rule, failed by its deviations, skipped if it was never judged;
/// one more for each incident.
std::string report_junit(const Tally& tally, const RunFacts& facts);

/// A page of text for the terminal.
std::string report_text(const Plan& plan, const Tally& tally, const RunFacts& facts);

}  // namespace mrproof
