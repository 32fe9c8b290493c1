// A case that was kept since it reached something of the driver that no case before it had.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conformance/run/driver_coverage.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::conformance {

/// One of them.
struct KeptCase {
  std::uint64_t number = 0;  ///< of the run's guided cases
  model::Trace trace;        ///< its calls, as they were seen
  DriverCoverage first;      ///< what it was the first to reach
  bool alone = true;         ///< a guest in which nothing else ran reaches that by it, too
};

/// "guided/000017"
std::string guided_name(std::uint64_t number);
/// Its trace within the report folder: "corpus/guided-000017.mrt".
std::string corpus_file(const KeptCase& kept);
/// "rxe_resp.c check_rkey 12 of 340": what it was the first to reach, in instructions.
std::vector<std::string> first_reached(const KeptCase& kept);

}  // namespace mrproof::conformance
