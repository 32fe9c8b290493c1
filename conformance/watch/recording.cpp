#include "conformance/watch/recording.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <set>
#include <stdexcept>

namespace mrproof::watch {
namespace {

constexpr std::uint64_t kNever = ~std::uint64_t{0};
/// How far next() stays behind the clock while the program runs. A thread marks its file before it
/// reads the clock; this is much longer than it takes until others see the mark.
constexpr std::uint64_t kBehind = 10'000'000;

std::uint64_t clock_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

/// A file, open for a moment: a program has more threads than a process may have files.
class Opened {
 public:
  explicit Opened(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0)
      throw std::runtime_error(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  }
  ~Opened() { close(file_); }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  /// Bytes from the offset on, as many as are there.
  std::size_t read(std::uint64_t offset, void* to, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
      const auto part = pread(file_, static_cast<char*>(to) + done, size - done,
                              static_cast<off_t>(offset + done));
      if (part < 0 && errno == EINTR) continue;
      if (part <= 0) break;
      done += static_cast<std::size_t>(part);
    }
    return done;
  }
  [[nodiscard]] std::uint64_t kept() const {
    std::uint64_t kept = 0;
    read(offsetof(Head, kept), &kept, sizeof kept);
    return kept;
  }

 private:
  int file_;
};

/// Records of a file from that one on, as many as are there: the older ones, then those of the
/// room, all of the same moment.
void read_records(const std::string& path, std::uint64_t first, std::vector<Record>& records) {
  const Opened file(path);
  const std::size_t wanted = records.size();
  for (std::uint64_t kept = file.kept(), before = kept + 1; kept != before;) {
    const std::uint64_t older = kept / sizeof(Record);
    records.resize(wanted);
    std::size_t have = 0;
    if (first < older)
      have = file.read(kOlder + first * sizeof(Record), records.data(),
                       std::min<std::uint64_t>(wanted, older - first) * sizeof(Record)) /
             sizeof(Record);
    // While the room is cleared the older ones are all.
    const std::uint64_t in_room = first + have - older;
    if ((kept & 1U) == 0 && in_room < kRoom && first + have >= older)
      have += file.read(sizeof(Head) + in_room * sizeof(Record), records.data() + have,
                        std::min<std::uint64_t>(wanted - have, kRoom - in_room) * sizeof(Record)) /
              sizeof(Record);
    records.resize(have);
    before = kept;
    kept = file.kept();
  }
}

/// The first element of a request, which stands in the request's record.
Record first_element(const Record& request) {
  Record first{request.time, Kind::element, 0, 0, request.object, 0, {}};
  first.words = {request.words[6], low(request.words[7]), high(request.words[7])};
  return first;
}

}  // namespace

/// The events of one thread.
class Recording::File {
 public:
  explicit File(std::string path) : path_(std::move(path)) {}

  /// Reads the head. What was read ahead is forgotten: some of it may have been half written.
  void look() {
    records_.clear();
    used_ = 0;
    // A thread that lost all of its events has a file of no bytes, or one without a head.
    if (Opened(path_).read(0, &head_, sizeof head_) < sizeof head_ || head_.magic[0] == '\0') {
      head_ = Head{};
      return;
    }
    if (head_.magic != kMagic || head_.version != kVersion)
      throw std::runtime_error(
          fmt::format("{}: is no recording that this mrproof can read; record it again with the "
                      "library of this build",
                      path_));
  }
  [[nodiscard]] const Head& head() const { return head_; }
  /// The time of the next event; none: kNever.
  [[nodiscard]] std::uint64_t time() {
    const Record* next = peek(0);
    return next == nullptr ? kNever : next->time;
  }
  /// Takes the next event. Further elements, and stacks, follow their record, unless a signal
  /// handler has written between them.
  Event take() {
    Event event{*peek(0), {}, true, head_.pid, head_.tid};
    const Record& record = event.record;
    std::size_t taken = 1;
    if (record.kind == Kind::post_send || record.kind == Kind::post_recv) {
      if (record.parts > 0) event.parts.push_back(first_element(record));
      for (const Record* part = nullptr;
           event.parts.size() < record.parts && (part = peek(taken)) != nullptr &&
           part->kind == Kind::element && part->object == record.object;
           ++taken)
        event.parts.push_back(*part);
      event.whole = event.parts.size() == record.parts;
    } else if (const Record* stack = record.parts > 0 ? peek(1) : nullptr;
               stack != nullptr && stack->kind == Kind::stack) {
      event.parts.push_back(*stack);
      ++taken;
    }
    used_ += taken;
    at_ += taken;
    return event;
  }

 private:
  /// That record, counted from the next one; null if it is not there yet.
  const Record* peek(std::size_t index) {
    if (head_.version == 0) return nullptr;
    if (used_ + index >= records_.size()) {
      constexpr std::size_t kAtOnce = 512;
      records_.resize(std::max(kAtOnce, index + 1));
      used_ = 0;
      read_records(path_, at_, records_);
    }
    if (used_ + index >= records_.size()) return nullptr;
    const Record& record = records_[used_ + index];
    return record.time == 0 ? nullptr : &record;
  }

  std::string path_;
  Head head_{};
  std::vector<Record> records_;  // read ahead
  std::size_t used_ = 0;         // of them
  std::uint64_t at_ = 0;         // the number of the next one in the file
};

namespace {

bool is_later(auto* a, auto* b) { return a->time() > b->time(); }

}  // namespace

Recording::Recording(std::string folder) : folder_(std::move(folder)) {}
Recording::~Recording() = default;

void Recording::look(Until until) {
  // First the clock, then the files and their marks, then what they hold: whatever is written
  // later than that bears a later time.
  const bool marks_count = until == Until::may_change;
  std::uint64_t horizon = until == Until::end   ? kNever
                          : until == Until::now ? clock_now()
                                                : clock_now() - kBehind;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, failed))
    if (entry.path().filename().string().starts_with("events."))
      files_.try_emplace(entry.path(), std::make_unique<File>(entry.path()));
  if (failed)
    throw std::runtime_error(fmt::format("{}: cannot be read: {}", folder_, failed.message()));
  lost_ = 0;
  for (auto& [path, file] : files_) {
    file->look();
    const Head& head = file->head();
    // A file that never got a head is of a thread that lost all it had, at least one.
    lost_ += !marks_count && head.version == 0 ? 1 : head.lost;
    if (head.lost > 0) horizon = std::min(horizon, head.lost_since);
    // One that is to read its clock next: of what it will write nothing is known.
    if (marks_count && head.since == 1) horizon = 0;
    if (marks_count && head.since > 1) horizon = std::min(horizon, head.since);
  }
  horizon_ = horizon;
  waiting_.clear();
  for (auto& [path, file] : files_)
    if (file->time() < horizon_) waiting_.push_back(file.get());
  std::make_heap(waiting_.begin(), waiting_.end(), [](auto* a, auto* b) { return is_later(a, b); });
}

bool Recording::next(Event& event) {
  if (waiting_.empty()) return false;
  const auto later = [](auto* a, auto* b) { return is_later(a, b); };
  std::pop_heap(waiting_.begin(), waiting_.end(), later);
  File& file = *waiting_.back();
  event = file.take();
  if (file.time() < horizon_)
    std::push_heap(waiting_.begin(), waiting_.end(), later);
  else
    waiting_.pop_back();
  return true;
}

std::vector<std::uint32_t> Recording::processes() const {
  std::set<std::uint32_t> all;
  for (const auto& [path, file] : files_)
    if (file->head().pid != 0) all.insert(file->head().pid);
  return {all.begin(), all.end()};
}

}  // namespace mrproof::watch
