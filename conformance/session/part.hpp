// A run in several guests at once: each makes a part of the cases and writes files of its own.
//
// How many guests there are is part of what a run is begun with, and does not hang on the machine:
// what a guest does to a case depends on the cases that it had before.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/report.hpp"
#include "conformance/run/environment.hpp"
#include "conformance/run/expectations.hpp"
#include "conformance/run/journal.hpp"

namespace mrproof::conformance {

/// The cases of one guest, and what became of them.
struct Part {
  property_tests::Plan plan;
  Tally tally;
  std::size_t number = 0;  ///< from 0
  std::string prefix;      ///< of its files' names in the report folder; empty: it is the only one
  MachineOptions machine;
  std::uint64_t numbered_from = 0;  ///< in the journal: the plan's first case
  Resumption at = {};
  DriverCoverage planned = {};      ///< what the plan's cases reached
  std::vector<KeptCase> kept = {};  ///< of those that came after them

  [[nodiscard]] std::string journal(const Folder& folder) const {
    return folder.file(prefix + "journal.jsonl");
  }
};

/// The plan's cases dealt out to so many guests, or to as many as there are cases, unless more
/// cases come after them.
std::vector<Part> parts_of(const property_tests::Plan& plan, const MachineOptions& machine,
                           std::size_t guests, const model::Rulebook& book,
                           bool more_to_come = false);

/// Takes the races that are expected out of the plan: each is a part of its own, in a guest like
/// the one in which it was seen. Nothing where such a guest cannot be had.
std::vector<Part> take_races(property_tests::Plan& plan, const MachineOptions& machine,
                             const Expectations& expectations, const model::Rulebook& book);

/// Where the parts go on. Where no part has a journal, that of the whole run is gone on with, in
/// one guest. Throws ToolError.
void resume(std::vector<Part>& parts, const property_tests::Plan& plan, const Folder& folder,
            const std::string& target);

/// What all parts have found, in the order of the plan.
Tally join(const std::vector<Part>& parts, const property_tests::Plan& plan);

/// Gives the traces of findings the names that they have in a run in one guest; those of the same
/// finding in another part go.
void join_traces(const std::vector<Part>& parts, const Folder& folder, Tally& tally);

/// Adds what else a report says of another part.
void add_facts(RunFacts& facts, const RunFacts& other);

/// Makes the run's journal of those of its parts, as if one guest had made all cases in the order
/// of the plan. Those go if nothing is left to be resumed. Throws ToolError.
void join_journals(const std::vector<Part>& parts, const Folder& folder,
                   const std::string& begun_with, bool done);

}  // namespace mrproof::conformance
