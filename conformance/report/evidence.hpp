// What a trace shows: its steps up to the one that decides, and all that the model knows there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/oracle/recorded_case.hpp"

namespace mrproof::conformance {

/// A trace read as a finding: what led to the decisive step, what it was allowed to do, what it
/// did.
struct Evidence {
  model::Trace trace;  ///< up to the decisive step, which is its last; annotated, keys resolved
  const model::Rulebook* book = nullptr;
  model::State<model::Plain> state;           ///< before the decisive step
  model::Memory memory;                       ///< the same; what the program stores in it is done
  std::vector<const model::PlainRule*> open;  ///< rules that the situation of that step allows
  /// Of a request in flight: rules that the situation allowed at a moment since it was posted.
  std::vector<const model::PlainRule*> meanwhile = {};
  /// What the outcome moves, as at the last moment that allowed it; nothing if it moves nothing.
  model::Transfer<model::Plain> due = {};
  /// The message, if the request took it along when it was posted.
  std::vector<std::byte> carried = {};

  [[nodiscard]] const model::Step& decisive() const { return trace.steps.back(); }
  [[nodiscard]] const model::Annotation& finding() const { return decisive().annotations.front(); }
  [[nodiscard]] model::PlainView view() const {
    return {state, decisive().call, decisive().result};
  }
  /// Whether the decisive step is one that no rule allows.
  [[nodiscard]] bool is_deviation() const;
  /// Whether a rule that says something about the device allows the outcome here.
  [[nodiscard]] bool allows(model::Outcome outcome) const;
  /// The outcomes for which allows() holds, in the order of the model.
  [[nodiscard]] std::vector<model::Outcome> allowed() const;
};

/// Reads a trace as evidence. The decisive step is the last one that the trace itself calls a
/// deviation, crash, hang or kernel warning, as far as the steps before it leave a known state;
/// else the first that the oracle finds to deviate; else the last. Throws TraceError where a step
/// before it has no result or may not be made, and for a trace without steps; `file` is named in
/// errors.
Evidence gather_evidence(const model::Trace& trace, const model::Rulebook& book,
                         const std::string& file);

/// The states on the way to the decisive step. They are followed again where they are asked for: a
/// large case has many steps and large states, and all of them together fit into no memory.
class StateCursor {
 public:
  /// The evidence has to outlive it.
  explicit StateCursor(const Evidence& evidence) : evidence_(evidence) {}
  /// The state before the step of that index; it holds until the next call. To go on costs the
  /// steps between, to go back all from the first.
  const model::State<model::Plain>& before(std::size_t index);

 private:
  const Evidence& evidence_;
  std::optional<model::RecordedCase> followed_;
  std::size_t count_ = 0;  ///< how many steps were followed
};

/// The rules that the situation allows for a call, of whatever weight. The caller owes the
/// preconditions of the call, keys resolved.
std::vector<const model::PlainRule*> open_rules(const model::Rulebook& book,
                                                const model::State<model::Plain>& state,
                                                const model::Call<model::Plain>& call);

}  // namespace mrproof::conformance
