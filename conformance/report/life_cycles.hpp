// State diagrams drawn from the rules: what becomes of a region, of windows, of a re-registration.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/judge/rulebook.hpp"

namespace mrproof::conformance {

/// A state of a diagram: what many states of the model have in common.
struct DiagramState {
  std::string name;
  double x = 0;  ///< its centre in the drawing
  double y = 0;
  std::string note = {};  ///< a second line, if any
  bool passed = false;    ///< of a path: it was there
  bool here = false;      ///< of a path: it ended there
};

/// That a rule leads from one state of a diagram to another, or to itself.
struct Transition {
  std::size_t from;
  std::size_t to;
  const model::PlainRule* rule;
  std::string taken = {};  ///< of a path: the step that took it
};

/// A drawing to be made.
struct Diagram {
  std::string id;  ///< "mr", "mw1", "mw2", "rereg"
  std::string title;
  std::string caption;
  std::vector<DiagramState> states;
  std::vector<Transition> transitions;  ///< each once
  bool of_one_verb = false;             ///< arrows are then labelled by rules, not by verbs
  bool of_path = false;                 ///< arrows are then labelled by the steps that took them
};

/// Which state of the diagram "mr" the region in the slot is in.
std::size_t region_stage(const model::State<model::Plain>& state, std::size_t slot);
/// Which state of the diagrams "mw1" and "mw2" the window in the slot is in.
std::size_t window_stage(const model::State<model::Plain>& state, std::size_t slot);

/// The diagrams of the dialect. Every transition was made: by a call of a small alphabet in a state
/// that such calls reach, ended by a result that the rule allows, with the rule's effect.
std::vector<Diagram> life_cycles(const model::Rulebook& book);

}  // namespace mrproof::conformance
