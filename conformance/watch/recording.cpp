#include "conformance/watch/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace mrproof::watch {

/// The events of one thread.
class Recording::File {
 public:
  explicit File(const std::filesystem::path& path) : in_(path, std::ios::binary) {
    // A thread that lost all of its events has a file of no bytes.
    if (!in_.read(reinterpret_cast<char*>(&head_), sizeof head_) || head_.magic[0] == '\0') return;
    if (head_.magic != kMagic || head_.version != kVersion)
      throw std::runtime_error(
          fmt::format("{}: is no recording that this mrproof can read; record it again with the "
                      "library of this build",
                      path.string()));
    read_record();
    read_event();
  }
  [[nodiscard]] bool has_event() const { return has_event_; }
  [[nodiscard]] const Event& event() const { return event_; }
  [[nodiscard]] std::uint64_t lost() const { return head_.lost; }
  /// Elements follow their request, unless a signal handler has written between them.
  void read_event() {
    has_event_ = has_record_;
    if (!has_event_) return;
    event_ = {record_, {}, true, head_.pid, head_.tid};
    read_record();
    while (event_.parts.size() < event_.record.parts && has_record_ &&
           record_.kind == Kind::element && record_.object == event_.record.object) {
      event_.parts.push_back(record_);
      read_record();
    }
    event_.whole = event_.parts.size() == event_.record.parts;
  }

 private:
  void read_record() {
    has_record_ =
        in_.read(reinterpret_cast<char*>(&record_), sizeof record_) && record_.time != 0;
  }
  std::ifstream in_;
  Head head_{};
  Record record_{};
  Event event_;
  bool has_record_ = false, has_event_ = false;
};

namespace {

bool is_later(const auto& a, const auto& b) {
  return a->event().record.time > b->event().record.time;
}

}  // namespace

Recording::Recording(const std::string& folder) {
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed)) {
    if (!entry.path().filename().string().starts_with("events.")) continue;
    auto file = std::make_unique<File>(entry.path());
    lost_ += file->lost();
    if (file->has_event()) files_.push_back(std::move(file));
  }
  if (failed)
    throw std::runtime_error(fmt::format("{}: cannot be read: {}", folder, failed.message()));
  std::make_heap(files_.begin(), files_.end(), [](auto& a, auto& b) { return is_later(a, b); });
}

Recording::~Recording() = default;

bool Recording::next(Event& event) {
  if (files_.empty()) return false;
  const auto later = [](auto& a, auto& b) { return is_later(a, b); };
  std::pop_heap(files_.begin(), files_.end(), later);
  File& file = *files_.back();
  event = file.event();
  if (event.record.kind == Kind::exit) lost_ += event.record.words[0];
  file.read_event();
  if (file.has_event())
    std::push_heap(files_.begin(), files_.end(), later);
  else
    files_.pop_back();
  return true;
}

}  // namespace mrproof::watch
