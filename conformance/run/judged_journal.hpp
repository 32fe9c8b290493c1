// Judges a run's journal again, step by step.
#pragma once

#include <string>

#include "model/oracle/oracle.hpp"

namespace mrproof::conformance {

/// Receives what a journal has, in its order.
class JournalVisitor {
 public:
  JournalVisitor() = default;
  JournalVisitor(const JournalVisitor&) = delete;
  JournalVisitor& operator=(const JournalVisitor&) = delete;
  virtual ~JournalVisitor() = default;

  /// The device, as often as a worker opened it.
  virtual void device(const model::Capabilities<model::Plain>& can) = 0;
  virtual void begin_case(const model::Setup& setup) = 0;
  /// A step, its keys resolved, in the state before it.
  virtual void step(const model::State<model::Plain>& before, const model::Step& step,
                    const model::Judgement& judgement) = 0;
  /// A crash, hang or warning: "local_inv.none/none/unbound_window_named", or empty.
  virtual void incident(const std::string& name) = 0;
};

/// Reads a journal.jsonl; returns how many cases were made to their end. Throws ToolError if it
/// cannot be read or is malformed.
std::uint64_t visit_journal(const std::string& file, const model::Rulebook& book,
                            JournalVisitor& visitor);

}  // namespace mrproof::conformance
