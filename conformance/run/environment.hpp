// Where sessions run: a folder, a channel in it, and the host that serves the channel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conformance/run/host.hpp"

namespace mrproof::conformance {

/// The folder for a session's files.
class Folder {
 public:
  /// Makes the folder if it is missing; without a name a temporary one, which goes with this
  /// object. Throws ToolError.
  explicit Folder(const std::string& wanted);
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  bool temporary_ = false;
};

/// A channel and its host. The channel's file goes with this object: its room may be wanted for the
/// reports.
class TestEnvironment {
 public:
  /// `prefix`: of its files' names in the folder. Throws ToolError.
  TestEnvironment(const Folder& folder, const MachineOptions& machine,
                  const std::string& prefix = "");
  TestEnvironment(const TestEnvironment&) = delete;
  TestEnvironment& operator=(const TestEnvironment&) = delete;
  ~TestEnvironment();
  [[nodiscard]] Channel& channel() const { return *channel_; }
  [[nodiscard]] Host& host() const { return *host_; }

 private:
  std::string file_;
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<Host> host_;
};

}  // namespace mrproof::conformance
