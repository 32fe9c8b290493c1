#include "impl/verbs/kernel_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>

namespace mrproof::impl {
namespace {

constexpr int kWarningLevel = 4;  // LOG_WARNING
/// More than this of one step's lines tells nothing new.
constexpr std::size_t kMostText = 4096;

constexpr std::array<std::string_view, 10> kFaults{
    "WARNING:", "BUG:",       "Oops",     "general protection", "Call Trace",
    "UBSAN:",   "KASAN:",     "[#1]",     "Kernel panic",       "blocked for more than"};
constexpr std::array<std::string_view, 3> kStalls{"soft lockup", "self-detected stall",
                                                  "detected stalls"};

template <std::size_t N>
bool contains_any(std::string_view line, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return line.find(word) != line.npos; });
}

}  // namespace

bool tells_of_fault(int level, std::string_view line) {
  return level <= kWarningLevel && contains_any(line, kFaults) && !contains_any(line, kStalls);
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

std::string KernelLog::take() {
  std::string lines;
  if (file_ < 0) return lines;
  std::array<char, 8192> record;  // NOLINT(*-member-init): one read gives one whole record
  while (true) {
    const ssize_t size = read(file_, record.data(), record.size());
    if (size > 0)
      note({record.data(), static_cast<std::size_t>(size)}, lines);
    else if (size == 0 || (errno != EPIPE && errno != EINTR))
      break;  // EPIPE: records were overwritten before they were read; the next one follows
  }
  return lines;
}

/// A record is "PRIORITY,SEQUENCE,TIME,FLAGS[,...];TEXT\n" and lines with its context.
void KernelLog::note(std::string_view record, std::string& lines) {
  int priority = 0;
  std::size_t at = 0;
  for (; at < record.size() && record[at] >= '0' && record[at] <= '9'; ++at)
    priority = priority * 10 + (record[at] - '0');
  const std::size_t start = record.find(';', at);
  if (start == record.npos) return;
  std::string_view text = record.substr(start + 1);
  text = text.substr(0, text.find('\n'));

  if (contains_any(text, kStalls)) stall_ = true;
  if (!tells_of_fault(priority & 7, text)) return;
  if (stall_ && text.find("Call Trace") != text.npos) {
    stall_ = false;
    return;
  }
  if (lines.size() + text.size() > kMostText) return;
  if (!lines.empty()) lines += '\n';
  lines += text;
}

}  // namespace mrproof::impl
