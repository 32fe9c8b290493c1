// What the kernel complained of while a step was made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mrproof::impl {

/// What a line of the kernel's log says about the kernel itself.
enum class LogLine : std::uint8_t {
  ordinary,    ///< nothing wrong with the kernel
  fault,       ///< WARN, BUG, oops, a sanitizer's finding, a task that hangs
  call_trace,  ///< heads the trace that follows one of the others
  frame,       ///< a function of such a trace that was certainly running, and reports nothing
  stall,       ///< a processor that was busy for too long, as happens in slow virtual machines
};

/// Reads the kernel's log from its construction on. It stays empty if /dev/kmsg cannot be opened,
/// which needs CAP_SYSLOG if kernel.dmesg_restrict is set.
class KernelLog {
 public:
  /// With `enabled` false the log stays empty.
  explicit KernelLog(bool enabled);
  ~KernelLog();
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;

  /// Whether the log can be read.
  [[nodiscard]] bool watching() const { return file_ >= 0; }
  /// The new lines about a fault in the kernel, with the first functions of its call trace (and of
  /// those that allocated and freed the memory, if a sanitizer tells), joined by newlines; mostly
  /// empty. It costs one system call when nothing was logged. Lines that drivers log at warning
  /// level in their ordinary work are left out, and so are stalls, which a slow machine causes by
  /// itself, and all but the first of a sanitizer's reports from one place. If debugfs is mounted,
  /// warnings that the kernel gives once per boot can come again afterwards.
  std::string take();

 private:
  void read_new(std::string& lines);
  /// Whether the next line, of that kind, is one of those that take() returns.
  bool tells(LogLine kind);

  int file_ = -1;
  bool left_out_ = false;   ///< the call trace to come belongs to a report that is not told
  bool in_report_ = false;  ///< the end of a warning was not read yet
  int frames_left_ = 0;     ///< of the call trace that is being read
};

/// Reads a record of /dev/kmsg, "PRIORITY,SEQUENCE,TIME,FLAGS;TEXT\n..." (dev-kmsg in the kernel's
/// Documentation/ABI/testing), and puts its text's first line into `text`. What programs wrote into
/// the log, and what is below the level of warnings, is ordinary.
LogLine classify_record(std::string_view record, std::string_view& text);

}  // namespace mrproof::impl
