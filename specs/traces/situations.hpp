// Calls in situations that traces lead to: where a wrong step is looked for.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/sim/sim_device.hpp"
#include "model/trace/trace.hpp"
#include "specs/traces/bounded_search.hpp"

namespace mrproof::specs {

/// A trace's file name, without its folder, and its text.
struct StoredTrace {
  const char* name;
  const char* text;
};

/// All scenarios, in the order of their names: they are in the program, so it needs no folder.
std::span<const StoredTrace> stored_traces();

/// A call that is about to be made.
struct Situation {
  model::Capabilities<model::Plain> can;  ///< of the simulated device
  model::Setup setup;                     ///< that it begins with
  std::vector<model::Step> steps;         ///< before it, with the simulated device's results
  std::vector<model::State<model::Plain>>
      states;                        ///< before each of them, and at last before the call
  model::Step next;                  ///< keys resolved; with the result that a trace has
  model::Result<model::Plain> seen;  ///< what the simulated device answers
  std::vector<model::Step> rest;     ///< what the trace calls after it
  /// The state by the model's own rules, where results are theirs and not the simulated device's.
  std::optional<model::State<model::Plain>> truth = std::nullopt;
};

/// The step with that result, and nothing else that was seen or said of it.
model::Step as_seen(model::Step step, const model::Result<model::Plain>& result);

/// The simulated device, whose implementation knows nothing of the rules. A process has one at a
/// time: a thread that makes another waits until it is gone.
class Reference {
 public:
  explicit Reference(std::string_view dialect);
  Reference(std::string_view dialect, const model::Capabilities<model::Plain>& can);
  [[nodiscard]] const model::Capabilities<model::Plain>& can() const { return can_; }
  /// Begins a new trace.
  void reset(const model::Setup& setup) { device_.reset(setup); }
  /// What it answers; nothing if it is no call to make.
  std::optional<model::Result<model::Plain>> answer(const model::Call<model::Plain>& call);

 private:
  std::unique_lock<std::mutex> turn_;
  impl::SimDevice device_;
  model::Capabilities<model::Plain> can_;
};

/// Takes the step, keys resolved; whether the model allows its result.
bool take_step(const model::Rulebook& book, const model::Step& step,
               model::State<model::Plain>& state);

/// How the call of that number ends in the state; nothing if it cannot be made.
using Answer = std::function<std::optional<model::Result<model::Plain>>(
    std::size_t, const model::State<model::Plain>&, const model::Call<model::Plain>&)>;

/// A proposal's steps with those answers, and its call about to be made; nothing if one of them may
/// not be made, or ends otherwise than rules allow.
std::optional<Situation> make_steps(const Proposal& proposal, const model::Rulebook& book,
                                    const Answer& answer);

/// The same with the reference's answers, which can do what the proposal says.
std::optional<Situation> make_steps(const Proposal& proposal, const model::Rulebook& book,
                                    Reference& reference);

/// A result for each rule of the call's verb that may be taken in the state.
std::vector<model::Result<model::Plain>> sound_answers(const model::Rulebook& book,
                                                       const model::State<model::Plain>& state,
                                                       const model::Call<model::Plain>& call);

/// The same with the results that the model's own rules make: what sound devices may do and the
/// simulated one does not. Its `truth` is set.
std::optional<Situation> make_steps_by_rules(const Proposal& proposal, const model::Rulebook& book);

/// All calls of the stored traces that can be followed in a dialect on the simulated device, short
/// traces first, each call with the same steps before it once. The rules' own view of the states.
class Situations {
 public:
  explicit Situations(std::size_t dialect);
  [[nodiscard]] const std::vector<Situation>& all() const { return all_; }
  /// A trace of the dialect that has no setup and no steps yet.
  [[nodiscard]] const model::Trace& beginning() const { return beginning_; }

 private:
  void follow(const model::Trace& trace, const model::Rulebook& book, Reference& reference);
  model::Trace beginning_;
  std::vector<Situation> all_;
  std::set<std::string> seen_;
};

}  // namespace mrproof::specs
