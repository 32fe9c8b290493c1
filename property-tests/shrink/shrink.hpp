// Shrinking: the shortest and plainest trace that shows the same deviation on the same device.
#pragma once

#include <functional>
#include <set>

#include "model/oracle/predict.hpp"
#include "property-tests/shrink/short_traces.hpp"
#include "property-tests/shrink/shrink_moves.hpp"
#include "property-tests/shrink/trials.hpp"

namespace mrproof::property_tests {

/// How far shrinking is.
struct ShrinkProgress {
  std::uint64_t tried = 0;  ///< candidates made on the device
  std::size_t steps = 0;    ///< of the shortest trace so far
};

/// What is known of shorter traces, of those that short_traces.hpp speaks of.
struct LowerBound {
  std::size_t steps = 1;   ///< none with fewer steps shows the deviation
  bool by_model = true;    ///< none of them leads to where it could; else they were tried
  std::size_t needed = 1;  ///< none with fewer steps leads to where it could be shown
};

/// What shrinking came to.
struct Shrunk {
  model::Trace trace;  ///< as it was seen: its last step is the one that shows the deviation
  std::uint64_t tried = 0;
  LowerBound bound;

  /// Whether no trace of those that the bound speaks of is shorter.
  [[nodiscard]] bool is_shortest() const { return bound.steps == trace.steps.size(); }
};

/// Shrinks by trial: steps, objects, flags, keys and numbers are left out or replaced by plainer
/// ones as long as the deviation that `wanted` names is still shown; every result that counts was
/// seen on the device. What is short by then is replaced by the plainest short trace that shows the
/// same, whatever it began with, and that is made plainer in the same way. Stops when nothing that
/// it can try makes the trace plainer.
class Shrinker {
 public:
  using Progress = std::function<void(const ShrinkProgress&)>;

  /// Short traces are taken from `store`, which has to outlive this object.
  Shrinker(Trials& trials, model::Annotation wanted, ShortTraceStore& store)
      : trials_(trials), wanted_(std::move(wanted)), store_(store) {}
  /// Short traces have no verbs and access flags but those of the trace that is shrunk: where a
  /// device has several faults, another one may have the same name.
  void keep_to_given() { keeps_ = true; }
  /// Called before each batch of trials.
  void on_progress(Progress progress) { progress_ = std::move(progress); }

  /// Nothing if the trace does not show the deviation (any more).
  std::optional<Shrunk> run(const model::Trace& trace);
  /// What run() has reached so far, if it was ended by an exception; no steps: nothing yet.
  [[nodiscard]] Shrunk best() const { return {best_, trials_made_, {}}; }

 private:
  using Candidates = std::vector<std::pair<TraceWeight, model::Trace>>;
  void adopt(const model::Trace& seen);
  void descend();
  bool begin_anew(std::size_t most);
  [[nodiscard]] bool is_kept(const model::Trace& trace) const;
  std::optional<model::Trace> first_showing(ShortTraces& known);
  bool improve_by(void (*moves)(const ShrinkForm&, const Propose&));
  void consider(const model::Trace& trace, Candidates& candidates);
  bool improve(Candidates plainer);
  [[nodiscard]] bool promising(model::Prospect prospect) const;
  bool replace_steps();
  void replacements_of(std::size_t at, const model::State<model::Plain>& state,
                       Candidates& candidates);

  Trials& trials_;
  model::Annotation wanted_;
  ShortTraceStore& store_;
  LowerBound bound_;
  std::size_t searched_ = 0;  ///< short traces of up to so many steps were tried
  bool searched_all_ = true;  ///< and those were all
  bool keeps_ = false;
  model::Trace given_;
  Progress progress_;
  model::Trace best_;
  model::Trace like_;  ///< the same without steps
  ShrinkForm form_;    ///< of the best
  TraceWeight weight_;
  bool foreseeable_ = false;  ///< whether the model can tell what is hopeless here
  std::set<std::string> tried_;
  std::uint64_t trials_made_ = 0;
};

/// The trace for people: annotated only where it deviates, and without the values of keys, unless
/// they are what deviates.
model::Trace presentable(const Shrunk& shrunk, const model::Annotation& wanted);

}  // namespace mrproof::property_tests
