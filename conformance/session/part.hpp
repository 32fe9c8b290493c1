// A run in several guests at once: each makes a part of the cases and writes files of its own.
//
// How many guests there are is part of what a run is begun with, and does not hang on the machine:
// what a guest does to a case depends on the cases that it had before.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/report.hpp"
#include "conformance/run/environment.hpp"
#include "conformance/run/journal.hpp"

namespace mrproof::conformance {

/// The cases of one guest, and what became of them.
struct Part {
  property_tests::Plan plan;
  Tally tally;
  std::size_t number = 0;  ///< from 0
  std::string prefix;      ///< of its files' names in the report folder; empty: it is the only one
  Resumption at;

  [[nodiscard]] std::string journal(const Folder& folder) const {
    return folder.file(prefix + "journal.jsonl");
  }
};

/// The plan's cases dealt out to so many guests, or to as many as there are cases.
std::vector<Part> parts_of(const property_tests::Plan& plan, std::size_t guests,
                           const model::Rulebook& book);

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
