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

/// Looks for traces, in one dialect after the other; keeps what it has read.
class Tracer {
 public:
  /// A trace that shows that the obligation does not hold of the rows; nothing if none was found.
  std::optional<Shown> find(const std::vector<Row>& rows, const Obligation& obligation);
  /// Gives the first refuted obligations their traces, at most `most` of them.
  void add_traces(const std::vector<Row>& rows, std::vector<Obligation>& obligations,
                  std::size_t most);

 private:
  std::mutex mutex_;
  std::map<std::size_t, std::unique_ptr<TraceSearch>> searches_;
};

/// Writes a text file. Throws std::runtime_error.
void write_file(const std::string& file, const std::string& text);
/// Writes the obligations' traces to DIR/THEOREM-SUBJECT.mrt. Throws std::runtime_error.
void write_traces(const std::string& folder, const std::vector<Obligation>& obligations);

}  // namespace mrproof::specs
