// What is known of a driver on a target: expected deviations and cases to skip, each with the
// reason why it is known.
#pragma once

#include <string>
#include <vector>

#include "conformance/run/tally.hpp"

namespace mrproof::conformance {

/// One line of a file of fails: "reg_mr.ok/accepted/memory_mapped,Deviates  # reason"; of
/// a call that hangs, kills the kernel or makes it complain: "send.none/none/receive_posted,Hang",
/// ",Crash" or ",KernelWarning", the latter also from one place only:
/// ",KernelWarning@rxe_comp.c"; ",Hang@refcount.c" is a hang after which the kernel complained from
/// there, at the latest when all was destroyed. "@refcount.c:rxe_destroy_qp" wants a function of
/// that name in the warning's call trace, too (in what is shown of it). "reset.none/none/-" is what
/// the kernel complained of while it destroyed what a case left.
///
/// Each part may be a pattern of the shell: "rdma_*.loc_prot_err", "@(send|send_with_inv).ok"
/// (fnmatch(3) with FNM_EXTMATCH), except the conditions of a call that hangs, kills or is
/// complained of, which a walk has to recognize. The conditions "-" stand for no condition at all:
/// such calls are not avoided, so a warning needs its place then.
/// "expectations/F14-*: atomic_*.ok/bytes/bytes_as_predicted,Deviates" is expected in those cases
/// only. "reset.ok/detail/pages_unpinned,Deviates" is of what a case left (leftovers.hpp).
///
/// Every full run has to meet each entry. Of an entry and those behind it that begin with "or " one
/// is enough: the same fault shows as one or the other. What begins with "race " has to be met by
/// machines that do the same each time (races.hpp); elsewhere it may be met or not. "wire " is
/// "race ", of cases only whose packets go over a wire that may lose them.
struct Expectation {
  std::string rule;
  std::string kind;
  std::string broken;
  model::Verdict verdict = model::Verdict::deviates;
  std::string reason;
  std::size_t line = 0;
  /// Source file of a kernel's warning, or of one after a hang, and behind a colon a pattern of a
  /// function in its call trace; empty: any.
  std::string place;
  std::string cases;         ///< pattern of the cases in which it is expected; empty: in all
  bool alternative = false;  ///< to the entry before it
  bool race = false;
  bool wire = false;  ///< a race, too
};

/// One line of a file of skips: "scenario/rdma_*/ok-*,Skip  # reason", a pattern of cases; or
/// "connect/straight-to-use,Skip": after RESET each end of a pair makes an RDMA read of no bytes
/// first, except where the trace of a finding is replayed, since what RESET leaves behind makes
/// later results doubtful.
struct Skip {
  std::string pattern;
  std::string reason;
  std::size_t line = 0;
};

/// The files of one driver on one target.
struct Expectations {
  std::vector<Expectation> fails;  ///< what is seen
  std::vector<Skip> skips;         ///< what is not done
};

/// Reads ci/expectations/<driver>-<target>-fails.txt and, where it exists, the file beside it that
/// ends in -skips.txt. Throws ToolError naming file and line when a line is not of the form, or has
/// no reason.
Expectations load_expectations(const std::string& fails_file);

/// Adds the calls that are expected to hang, crash or make the kernel complain to those that a walk
/// leaves out: each would cost a time limit or a boot, and their traces are replayed elsewhere.
/// `with_races`: those of races, too, since chance is as it is in their traces (a wire).
void avoid_expected(const Expectations& expectations, property_tests::WalkOptions& walk,
                    bool with_races = false);

/// Takes the skipped scenarios out of the plan; what was taken out, each with its reason.
std::vector<CaseOutcome> skip(const Expectations& expectations, property_tests::Plan& plan);

/// Writes the reasons into the findings and incidents that are expected, and marks the cases in
/// which nothing else was seen.
void mark_expected(const Expectations& expectations, Tally& tally);

/// Whether the trouble or deviation is that of an entry for races, wherever a warning came from.
bool is_expected_race(const Expectations& expectations, const model::Annotation& shown);

/// The entries of fails that the tally meets nowhere, and those of skips that skipped nothing:
/// mended, or misspelt. `with_races`: those of races count, too.
std::vector<std::string> unmatched(const Expectations& expectations, const Tally& tally,
                                   bool with_races);

/// "RULE/CLASS/CONDITION,Deviates", as files have it.
std::string print_entry(const Expectation& expectation);

/// Throws ToolError naming file and line unless the text is that of a file of fails.
void check_expectations(const std::string& text, const std::string& file);

/// The text of a file of fails after a full run, whose report.json is given: without the entries
/// that nothing met, and with the unexpected deviations and incidents that it has not yet, for the
/// reason given. Throws ToolError if the report is not of a full run, if there is something to add
/// and no reason, or the reason is not one line of text.
std::string updated_expectations(const std::string& file_text, const std::string& report_json,
                                 const std::string& reason);

}  // namespace mrproof::conformance
