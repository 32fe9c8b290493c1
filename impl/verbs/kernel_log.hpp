// What the kernel complained of while a step was made.
#pragma once

#include <string>
#include <string_view>

namespace mrproof::impl {

/// Reads the kernel's log from the moment of its making on. It is silent where /dev/kmsg cannot be
/// opened (it needs CAP_SYSLOG if kernel.dmesg_restrict is set).
class KernelLog {
 public:
  /// `enabled` false makes a log that is always silent.
  explicit KernelLog(bool enabled);
  ~KernelLog();
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;

  /// Whether the log can be read.
  [[nodiscard]] bool watching() const { return file_ >= 0; }
  /// The new lines that tell of a fault in the kernel, joined by newlines; empty as a rule. One
  /// system call when nothing was logged. Lines that drivers log at warning level in their ordinary
  /// work are left out, and so are reports of stalls, which a slow machine causes by itself.
  std::string take();

 private:
  void note(std::string_view record, std::string& lines);

  int file_ = -1;
  bool stall_ = false;  ///< the call trace to come belongs to the report of a stall
};

/// Whether a line of the kernel's log reports a fault: WARN, BUG, oops, a sanitizer's finding, a
/// task that hangs. Level as in syslog(2); only warnings and worse count.
bool tells_of_fault(int level, std::string_view line);

}  // namespace mrproof::impl
