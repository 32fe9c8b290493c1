// Reports of the shards of one run, put together.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "conformance/report/report.hpp"
#include "conformance/run/expectations.hpp"

namespace mrproof::conformance {

/// What the shards' journals and reports say together, and what a report needs beside it.
struct Merged {
  property_tests::Plan plan;
  Tally tally;
  RunFacts facts;
  std::vector<std::string> cut_short;  ///< folders of shards that ended before their plan was done
  /// Traces of findings: each the file, and its name in the merged report's folder.
  std::vector<std::pair<std::string, std::string>> traces;
};

/// Reads the journals and reports of all shards; writes nothing. Each shard must be there once, of
/// one target and one plan, and its journal as long as its report says. Throws ToolError otherwise,
/// naming the file or what is missing.
Merged merge_reports(const std::vector<std::string>& folders, const Expectations& expectations);

/// Throws ToolError if reports written to `out` would overwrite those of a run.
void check_out(const std::vector<std::string>& folders, const std::string& out);

/// Copies the traces to the folder. What cannot be copied stands in the facts' `error`.
void copy_traces(Merged& merged, const std::string& out);

}  // namespace mrproof::conformance
