// Bounded model checking: a few steps from the start of a case, then a call, all found by Z3.
//
// Where no scenario comes near to what is wanted, the solver is asked for setup, device, steps and
// call at once. What it finds is a proposal: keys are taken by name, and whoever asks makes the
// steps again on the simulated device and looks whether they show it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/trace/trace.hpp"
#include "specs/prover/rows.hpp"

namespace mrproof::specs {

/// What a device has to be for a trace.
enum class AnyDevice : std::uint8_t {
  full,   ///< one that can do all
  any,    ///< one that can do less, or has windows of type 2A; not over iWARP
  iwarp,  ///< one over iWARP
};

/// Steps and a call behind them, with names for keys.
struct Proposal {
  model::Capabilities<model::Plain> can;
  model::Setup setup;
  std::vector<model::PlannedCall> steps;
  std::vector<std::size_t> kinds;  ///< which kind of step each is
  std::vector<std::string> rules;  ///< and of which rule
  model::PlannedCall last;
  model::Result<model::Plain> result;  ///< of the last; its keys are the solver's
  /// Names of the result's keys, where the state before has such keys.
  model::KeyName lkey, rkey;
};

/// Proposes traces for rules of one dialect. Makes stores: no younger one may be in use.
class BoundedSearch {
 public:
  /// What is to hold of the call "call." of that shape with the result "result." in the state.
  using Goal =
      std::function<std::vector<smt::Bit>(const model::State<Terms>& state, const Shape& shape)>;

  /// `dialect`: its place in model::kDialects. `can`: what the full device can do.
  BoundedSearch(std::size_t dialect, const model::Capabilities<model::Plain>& can);

  /// The goal after `steps` steps on such a device, if that is possible; not with steps of the
  /// kinds of those that were `tried`.
  std::optional<Proposal> find(const Goal& goal, const Shape& shape, std::size_t steps,
                               AnyDevice device, const std::vector<Proposal>& tried = {});

  /// The same after steps of the kinds that most traces begin with, of which there are some
  /// sequences: faster, and asked harder.
  std::optional<Proposal> find_after(const Goal& goal, const Shape& shape, std::size_t beaten,
                                     AnyDevice device);
  static std::size_t beaten_paths();

 private:
  class Path;
  static std::optional<Proposal> solve(Path& path, const Goal& goal, const Shape& shape,
                                       AnyDevice device, unsigned limit);
  std::size_t dialect_;
  model::Capabilities<model::Plain> can_;
  std::vector<Row> rows_;
};

}  // namespace mrproof::specs
