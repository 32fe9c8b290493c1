// Traces for what was refuted, beside the table.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "specs/prover/mutants.hpp"
#include "specs/traces/trace_search.hpp"

namespace mrproof::specs {

/// Looks for traces, in one dialect after the other; keeps what it has read. Any number of threads
/// may look at a time.
class Tracer {
 public:
  /// A trace that shows that the obligation does not hold of the rows; nothing if none was found.
  std::optional<Shown> find(const std::vector<Row>& rows, const Obligation& obligation);
  /// Gives the first refuted obligations their traces, at most `most` of them.
  void add_traces(const std::vector<Row>& rows, std::vector<Obligation>& obligations,
                  std::size_t most);

 private:
  std::unique_ptr<TraceSearch> take(std::size_t dialect);
  void give_back(std::size_t dialect, std::unique_ptr<TraceSearch> search);

  std::mutex mutex_;
  /// Those that nobody uses just now, by dialect.
  std::map<std::size_t, std::vector<std::unique_ptr<TraceSearch>>> idle_;
};

/// Writes the obligations' traces to DIR/THEOREM-SUBJECT.mrt. Throws std::runtime_error.
void write_traces(const std::string& folder, const std::vector<Obligation>& obligations);

}  // namespace mrproof::specs
