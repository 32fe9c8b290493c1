// Mistakes that a tired engineer makes in the rules, each of which a theorem has to notice, with a
// trace.
#pragma once

#include <ostream>

namespace mrproof::specs {

/// A mutant of the rules that somebody could have written.
struct Mistake {
  const char* mutant;  ///< its name, see mutants_of()
  const char* story;   ///< how it comes about
  const char* fault;   ///< of the simulated device that is the same mistake, or empty
};

/// The name of its mutant.
inline std::ostream& operator<<(std::ostream& out, const Mistake& mistake) {
  return out << mistake.mutant;
}

/// All of them; `mrproof prove --mutant NAME` proves each wrong.
inline constexpr Mistake kMistakes[] = {
    {"bind_mw.ok without bind_in_bounds",
     "The bounds of a bind are checked where it is refused, and forgotten where it succeeds.",
     "bind-bounds-unchecked"},
    {"reg_mr.ok without remote_write_has_local_write",
     "The sentence on LOCAL_WRITE is in the middle of the page's list of flags, and was not read.",
     ""},
    {"rdma_read.ok without remote_right",
     "The check of a remote right was written for writes and not copied to reads.",
     "remote-read-right-unchecked"},
    {"rdma_write: remote_in_bounds shifts comparison a2206b",
     "The last byte is compared with < for <=.", ""},
    {"local_inv.ok does not set mw.bound",
     "Invalidation completes, and nobody marks the window as unbound: its key goes on working.",
     ""},
    {"rereg_mr.ok does not set mr.access (linux)",
     "Re-registration sets address and domain, and the line with the new rights was lost.", ""},
};

}  // namespace mrproof::specs
