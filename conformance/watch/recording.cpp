#include "conformance/watch/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace mrproof::watch {
namespace {

void read_file(const std::filesystem::path& path, Recording& recording) {
  std::ifstream in(path, std::ios::binary);
  Head head{};
  // A thread that has done nothing else yet has its file, and nothing in it.
  if (!in.read(reinterpret_cast<char*>(&head), sizeof head) || head.magic[0] == '\0') return;
  if (head.magic != kMagic || head.version != kVersion)
    throw std::runtime_error(fmt::format(
        "{}: is no recording that this mrproof can read; record it again with the library of this "
        "build",
        path.string()));
  recording.lost += head.lost;
  Record record{};
  const auto next = [&] {
    return in.read(reinterpret_cast<char*>(&record), sizeof record) && record.time != 0;
  };
  while (next()) {
    Event event{record, {}, head.pid, head.tid};
    while (event.parts.size() < event.record.parts && next()) event.parts.push_back(record);
    if (event.parts.size() < event.record.parts) return;
    recording.events.push_back(std::move(event));
  }
}

}  // namespace

Recording read_recording(const std::string& folder) {
  std::error_code failed;
  Recording recording;
  for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
    if (entry.path().filename().string().starts_with("events."))
      read_file(entry.path(), recording);
  if (failed)
    throw std::runtime_error(fmt::format("{}: cannot be read: {}", folder, failed.message()));
  std::stable_sort(recording.events.begin(), recording.events.end(),
                   [](const Event& a, const Event& b) { return a.record.time < b.record.time; });
  return recording;
}

}  // namespace mrproof::watch
