#include "conformance/run/saved_guest.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// What changes when the file does: its size and its time.
std::string version_of(const fs::path& file) {
  std::error_code unknown;
  const auto size = fs::file_size(file, unknown);
  const auto time = fs::last_write_time(file, unknown);
  return fmt::format("{} {}", size, time.time_since_epoch().count());
}

fs::path find_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');)
    if (auto file = fs::path(folder) / name; fs::exists(file)) return file;
  return name;
}

/// A word for a shell.
std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 4)
    text.replace(at, 1, "'\\''");
  return "'" + text + "'";
}

/// Removes what was saved before the image was made last: 100 MB each.
void remove_outdated(const std::string& target) try {
  const auto made = fs::last_write_time(target + "/initrd");
  for (const auto& entry : fs::directory_iterator(target))
    if (entry.path().filename().string().starts_with("saved-") && entry.last_write_time() < made)
      fs::remove(entry.path());
} catch (const fs::filesystem_error&) {  // the image is not this user's
}

/// Waits until QEMU has done it. It takes a second; of a file that ends too early QEMU may say
/// nothing.
void await_end(Qmp& qmp, const char* what) {
  constexpr std::chrono::minutes kLimit{2};
  const auto begun = std::chrono::steady_clock::now();
  for (;; usleep(5000)) {
    if (std::chrono::steady_clock::now() - begun > kLimit)
      throw model::ToolError(
          fmt::format("the guest cannot be {}: QEMU did not come to an end of it", what));
    const json answer = qmp.execute("query-migrate", json::object());
    const std::string status = answer.value("status", "setup");
    if (status == "completed") return;
    if (status == "failed")
      throw model::ToolError(fmt::format("the guest cannot be {}: {}", what,
                                         answer.value("error-desc", "QEMU gives no reason")));
  }
}

/// A file that stays while it is open, even if another run takes it for damaged and removes it: as
/// one whose QEMU was killed while it read it.
class OpenFile {
 public:
  explicit OpenFile(const std::string& name) : file_(open(name.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) throw model::ToolError(std::strerror(errno));
  }
  ~OpenFile() { close(file_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  /// Its name for processes of this machine.
  [[nodiscard]] std::string name() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }

 private:
  int file_;
};

}  // namespace

SavedGuest::SavedGuest(const std::string& target, const std::string& mode,
                       const std::vector<std::string>& kernel_arguments) {
  const auto key =
      fmt::format("{}; {}; {}; {}; {}; {}", mode, version_of(target + "/kernel"),
                  version_of(target + "/initrd"), version_of(target + "/boot"),
                  version_of(find_program("qemu-system-x86_64")), fmt::join(kernel_arguments, " "));
  file_ = fmt::format("{}/saved-{:016x}", target, std::hash<std::string>()(key));
  remove_outdated(target);
}

bool SavedGuest::exists() const { return fs::exists(file_) && fs::exists(console()); }

void SavedGuest::save(Qmp& qmp, const std::string& said) const {
  qmp.execute("migrate-set-parameters", {{"max-bandwidth", 1ULL << 40U}});
  // Others may do the same at the same time; and a file that is there is whole.
  const std::string part = fmt::format("{}.{}", file_, getpid());
  const std::string done = part + ".done";
  qmp.execute(
      "migrate",
      {{"uri", fmt::format("exec:cat >{} && mv {} {}", quoted(part), quoted(part), quoted(done))}});
  std::error_code error;
  try {
    await_end(qmp, "saved");
    for (int i = 0; i < 1000 && !fs::exists(done); ++i) usleep(5000);
    fs::copy_file(said, console(), fs::copy_options::overwrite_existing);
    fs::rename(done, file_);
  } catch (const std::exception& failed) {
    fs::remove(part, error);
    fs::remove(done, error);
    throw model::ToolError(fmt::format("{}: {}", file_, failed.what()));
  }
}

void SavedGuest::load(Qmp& qmp) const {
  try {
    const OpenFile saved(file_);
    // QEMU would announce the guest to networks for a second, by this machine's clock: its timer
    // ends what the guest executes, and waits for the first thread, whose turn it is not then.
    qmp.execute("migrate-set-parameters", {{"announce-rounds", 0}});
    qmp.execute("migrate-incoming", {{"uri", fmt::format("exec:cat {}", saved.name())}});
    await_end(qmp, "begun from");
  } catch (const model::ToolError& failed) {
    std::error_code ignored;
    fs::remove(file_, ignored);  // the next run saves another
    throw model::ToolError(
        fmt::format("{}: no guest that can be begun from: {}", file_, failed.what()));
  }
}

}  // namespace mrproof::conformance
