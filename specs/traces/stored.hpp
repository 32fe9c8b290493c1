// The scenarios of model/scenarios/ as text in the program, so that it needs no folder.
#pragma once

#include <span>

namespace mrproof::specs {

/// A trace's file name, without its folder, and its text.
struct StoredTrace {
  const char* name;
  const char* text;
};

/// All of them, in the order of their names.
std::span<const StoredTrace> stored_traces();

}  // namespace mrproof::specs
