// A scope: which world is explored, by which calls. Read from a file.
//
// After the line "# mrproof scope v1" a scope has the "given" lines of a trace; "regions N" and
// "windows N", how many there may be at once; and steps of a trace in which "*" behind mr, mw, pd,
// qp stands for each number that the scope has, and "{A; B}" for A or B.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/trace/trace.hpp"

namespace mrproof::specs {

/// What is explored.
struct Scope {
  std::string file;
  std::string dialect = "linux";
  model::Setup setup;
  model::Capabilities<model::Plain> can;
  std::size_t regions = 0;
  std::size_t windows = 0;
  /// Whether states that differ in the numbers of regions and windows only count as one.
  bool symmetry = true;
  /// Whether the device has shown all that it can before the first call ("shown all"): what it
  /// has shown so far is then no part of states.
  bool shown = false;
  std::vector<model::Step> calls;  ///< all of them
};

/// Reads a scope strictly. `file` is only named in errors. Throws TraceError.
Scope parse_scope(std::string_view text, const std::string& file);
/// Reads a scope from a file. Throws TraceError, also when the file cannot be read.
Scope load_scope(const std::string& file);

}  // namespace mrproof::specs
