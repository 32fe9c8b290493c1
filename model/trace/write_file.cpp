#include "model/trace/write_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "model/trace/tool_error.hpp"

namespace mrproof::model {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, int error) {
  throw ToolError(fmt::format(
      "{}: cannot be written: {}; make room, or name another", path, std::strerror(error)));
}

/// Writes all of it and closes; 0, or what went wrong.
int write_and_close(int fd, const std::string& text) {
  int error = 0;
  for (std::size_t done = 0; done < text.size() && error == 0;) {
    const ssize_t written = ::write(fd, text.data() + done, text.size() - done);
    if (written >= 0) done += static_cast<std::size_t>(written);
    if (written < 0 && errno != EINTR) error = errno;
  }
  if (::close(fd) != 0 && error == 0) error = errno;  // some disks tell only now that they are full
  return error;
}

void write_through(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) fail(path, errno);
  if (const int error = write_and_close(fd, text); error != 0) fail(path, error);
}

fs::path folder_of(const std::string& path) {
  const auto folder = fs::path(path).parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

/// Opens a new file in the folder. Its name does not grow with the path's: that may be as long as
/// names get.
int open_beside(const std::string& path, std::string& temporary) {
  int fd = -1;
  for (unsigned number = 0; fd < 0 && (number == 0 || errno == EEXIST); ++number) {
    temporary = folder_of(path) / fmt::format(".mrproof-{}-{}", getpid(), number);
    fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  }
  return fd;
}

/// The new file gets what the old one had; only root can give it to another owner, and then that
/// matters.
int make_alike(int fd, const struct stat& old) {
  const bool same_owner = fchown(fd, old.st_uid, old.st_gid) == 0;
  const mode_t mode = old.st_mode & (same_owner ? 07777U : 0777U);
  return fchmod(fd, mode) == 0 ? 0 : errno;
}

}  // namespace

void write_whole_file(const std::string& path, const std::string& text) {
  if (path.empty()) fail(path, ENOENT);
  struct stat old {};
  const bool exists = lstat(path.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) return write_through(path, text);
  if (exists && access(path.c_str(), W_OK) != 0) fail(path, errno);
  std::string temporary;
  const int fd = open_beside(path, temporary);
  if (fd < 0) {
    // A file may be open to us in a folder that is not.
    if (exists && (errno == EACCES || errno == EPERM)) return write_through(path, text);
    fail(path, errno);
  }
  int error = exists ? make_alike(fd, old) : 0;
  if (const int failed = write_and_close(fd, text); error == 0) error = failed;
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  unlink(temporary.c_str());
  fail(path, error);
}

void check_writable(const std::string& path) {
  struct stat there {};
  if (stat(path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) fail(path, EISDIR);
    if (access(path.c_str(), W_OK) != 0) fail(path, errno);
    return;
  }
  if (errno != ENOENT) fail(path, errno);
  if (path.empty() || path.back() == '/') fail(path, ENOENT);
  if (lstat(path.c_str(), &there) == 0) return;  // a link to nothing: what it names can be made
  if (access(folder_of(path).c_str(), W_OK | X_OK) != 0) fail(path, errno);
}

void make_empty_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  const bool empty = !error && fs::is_empty(path, error);
  if (error)
    throw ToolError(
        fmt::format("{}: cannot be made: {}; name another folder", path, error.message()));
  if (!empty) throw ToolError(path + ": has files already; name an empty folder");
}

}  // namespace mrproof::model
