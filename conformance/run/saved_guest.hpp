// A guest that is ready, kept in a file: to begin from it takes a fraction of a boot.
#pragma once

#include <string>
#include <vector>

#include "conformance/run/qmp.hpp"

namespace mrproof::conformance {

/// The saved guest of an image, for one program, QEMU, seed and set of kernel arguments: any other
/// has a file of another name. The channel is a part of it, as of any guest's memory.
class SavedGuest {
 public:
  /// `mode`: of the guest, as the boot program is told.
  SavedGuest(const std::string& target, const std::string& mode,
             const std::vector<std::string>& kernel_arguments);

  [[nodiscard]] bool exists() const;
  /// Keeps the guest of a QEMU that stands still, and what its console said. Throws ToolError if
  /// that fails.
  void save(Qmp& qmp, const std::string& console) const;
  /// Takes it into a QEMU that waits for one (boot --incoming), where it stands still as before.
  /// Throws ToolError if that fails, and removes the file.
  void load(Qmp& qmp) const;
  /// The file of what it said while it booted.
  [[nodiscard]] std::string console() const { return file_ + ".log"; }

 private:
  std::string file_;
};

}  // namespace mrproof::conformance
