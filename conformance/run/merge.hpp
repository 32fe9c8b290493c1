// Reports of the shards of one run, put together.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/report.hpp"
#include "conformance/run/expectations.hpp"

namespace mrproof {

/// Reads the journals and reports of all shards into the tally, and says what a report needs beside
/// it; traces of findings are copied into `out`. Each shard must be there once, of one target,
/// dialect and seed. Throws ToolError otherwise, naming what is missing, and if a journal is.
struct Merged {
  Plan plan;
  Tally tally;
  RunFacts facts;
};
Merged merge_reports(const std::vector<std::string>& folders, const std::string& out,
                     const Expectations& expectations);

}  // namespace mrproof
