// Findings of watch that are known and not to be told again: a file, a line each.
#pragma once

#include <string>
#include <vector>

#include "conformance/watch/finding.hpp"

namespace mrproof::watch {

/// One line: "exit.PD_left,program@ib_write_bw*  # librdmacm frees it with the last rdma_cm_id".
/// Name and place are patterns of the shell (fnmatch(3) with FNM_EXTMATCH); the place is what the
/// finding says behind "at". Without a place: anywhere.
struct Suppression {
  std::string name;
  Whose whose = Whose::program;
  std::string place;  ///< empty: anywhere
  std::string reason;
};

/// All lines of a file.
class Suppressions {
 public:
  /// None.
  Suppressions() = default;
  /// Throws model::ToolError naming file and line when a line is not of the form, or has no reason.
  explicit Suppressions(const std::string& file);
  Suppressions(const std::string& text, const std::string& file);

  /// Why the finding is not to be told; null if it is.
  [[nodiscard]] const std::string* reason(const Finding& finding) const;

 private:
  std::vector<Suppression> all_;
};

}  // namespace mrproof::watch
