// Texts that are no traces, and where and how their error has to say so.
#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace mrproof::model::testing {

/// A text with one mistake.
struct Malformed {
  const char* name;  ///< of the test
  std::string text;
  std::size_t line = 0;    ///< from 1
  std::size_t column = 0;  ///< from 1
  const char* word;        ///< what the message has to contain
};

/// How GoogleTest names a text.
inline void PrintTo(const Malformed& bad, std::ostream* out) { *out << bad.name; }

/// One of each kind.
const std::vector<Malformed>& malformed_traces();

}  // namespace mrproof::model::testing
