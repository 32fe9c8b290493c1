// Mistakes that a tired engineer makes in the rules, each of which a theorem has to notice, with a
// trace.
#pragma once

#include <ostream>
#include <span>

namespace mrproof::specs {

/// A mutant of the rules that somebody could have written.
struct Mistake {
  const char* mutant;  ///< its name, see mutants_of()
  const char* story;   ///< how it comes about
  const char* fault;  ///< of the simulated device, if it has one that is the same mistake; or empty
};

/// The name of its mutant.
inline std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.mutant;
}

/// All of them; `mrproof prove --mutant NAME` proves each wrong.
std::span<const Mistake> mistakes();

}  // namespace mrproof::specs
