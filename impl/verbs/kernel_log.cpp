#include "impl/verbs/kernel_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <thread>

namespace mrproof::impl {
namespace {

constexpr unsigned kWarning = 4;  // LOG_KERN | LOG_WARNING
/// More than this of one step's lines tells nothing new.
constexpr std::size_t kMostText = 4096;
/// As many functions of a call trace tell where it was.
constexpr int kMostFrames = 6;
/// Another processor may be writing a report just now: its end is waited for, so many milliseconds.
constexpr int kMostLooks = 20;
constexpr std::string_view kReport = "WARNING: ", kReportEnd = "---[ end trace";

constexpr std::array<std::string_view, 8> kFaults{
    "WARNING:", "BUG:", "Oops",         "general protection",
    "UBSAN:",   "[#",   "Kernel panic", "blocked for more than"};
/// What heads a call trace; the last two tell who had memory that a sanitizer found misused.
constexpr std::array<std::string_view, 3> kTraces{"Call Trace", "Allocated by task",
                                                  "Freed by task"};
/// Functions of a sanitizer's own, which are at the head of its traces.
constexpr std::array<std::string_view, 5> kReporters{"dump_stack", "print_report", "kasan_",
                                                     "__kasan_", "ubsan_"};
/// It complains of each access to what was freed.
constexpr std::string_view kSanitizer = "BUG: KASAN";
constexpr std::array<std::string_view, 3> kStalls{"soft lockup", "self-detected stall",
                                                  "detected stalls"};

template <std::size_t N>
bool contains_any(std::string_view line, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return line.find(word) != line.npos; });
}

/// Whether the line, a frame of a trace, names a function of a sanitizer.
bool is_of_reporter(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return std::any_of(kReporters.begin(), kReporters.end(),
                     [&](std::string_view name) { return line.starts_with(name); });
}

/// Many warnings are given once per boot (WARN_ONCE); the next case is to have them, too, where
/// debugfs is mounted (Documentation/admin-guide/clearing-warn-once.rst).
void rearm_warnings() {
  const int file = open("/sys/kernel/debug/clear_warn_once", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  if (write(file, "1", 1) < 0) errno = 0;  // then they come once, as they would without us
  close(file);
}

}  // namespace

LogLine classify_record(std::string_view record, std::string_view& text) {
  unsigned priority = 0;  // facility * 8 + level, as in syslog(2)
  for (const char digit : record) {
    if (digit < '0' || digit > '9') break;
    priority = priority * 10 + static_cast<unsigned>(digit - '0');
  }
  const std::size_t start = record.find(';');
  if (start == record.npos) return LogLine::ordinary;
  text = record.substr(start + 1);
  text = text.substr(0, text.find('\n'));
  if (priority > kWarning) return LogLine::ordinary;  // facility 0 is the kernel
  if (contains_any(text, kStalls)) return LogLine::stall;
  if (contains_any(text, kTraces)) return LogLine::call_trace;
  if (text.starts_with(' ') && text.find("+0x") != text.npos && text.find(" ? ") == text.npos)
    return is_of_reporter(text) ? LogLine::ordinary : LogLine::frame;
  return contains_any(text, kFaults) ? LogLine::fault : LogLine::ordinary;
}

KernelLog::KernelLog(bool enabled) {
  if (!enabled) return;
  file_ = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  // SEEK_END: after the last record there is now (Documentation/ABI/testing/dev-kmsg).
  if (file_ >= 0) lseek(file_, 0, SEEK_END);
}

KernelLog::~KernelLog() {
  if (file_ >= 0) close(file_);
}

bool KernelLog::tells(LogLine kind) {
  switch (kind) {
    case LogLine::ordinary: return false;
    case LogLine::frame: return frames_left_ > 0 && frames_left_-- > 0;
    case LogLine::stall: left_out_ = true; break;
    case LogLine::fault: left_out_ = false; break;
    case LogLine::call_trace: break;
  }
  frames_left_ = kind == LogLine::call_trace && !left_out_ ? kMostFrames : 0;
  return !left_out_;
}

std::string KernelLog::take() {
  if (file_ < 0) return {};
  std::string lines;
  read_new(lines);
  for (int looks = 0; in_report_ && looks < kMostLooks; ++looks) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    read_new(lines);
  }
  in_report_ = false;
  if (!lines.empty()) rearm_warnings();
  return lines;
}

void KernelLog::read_new(std::string& lines) {
  std::array<char, 8192> record;  // NOLINT(*-member-init): one read gives one whole record
  while (true) {
    const ssize_t size = read(file_, record.data(), record.size());
    if (size <= 0) {
      // EPIPE: records were overwritten before they were read; the next one follows.
      if (size < 0 && (errno == EPIPE || errno == EINTR)) continue;
      return;
    }
    std::string_view text;
    const LogLine kind = classify_record({record.data(), static_cast<std::size_t>(size)}, text);
    if (kind == LogLine::fault && text.starts_with(kReport)) in_report_ = true;
    if (text.starts_with(kReportEnd)) in_report_ = false;
    const bool again = text.starts_with(kSanitizer) &&
                       lines.find(text.substr(0, text.find("+0x"))) != lines.npos;
    if (!tells(again ? LogLine::stall : kind)) continue;
    if (lines.size() + text.size() > kMostText) continue;
    if (!lines.empty()) lines += '\n';
    lines += text;
  }
}

}  // namespace mrproof::impl
