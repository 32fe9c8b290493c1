// A second virtual machine, in which the other end of the connections is.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "conformance/run/channel.hpp"
#include "conformance/run/console.hpp"
#include "conformance/run/environment.hpp"

namespace mrproof::conformance {

/// A guest that runs `mrproof peer`, and whose network card leads to that of another guest. It ends
/// with this object. Errors are ToolError.
class PeerGuest {
 public:
  /// `console`: how the names of the files begin in which its consoles are. `kernel_arguments`: of
  /// both guests.
  PeerGuest(std::string target, std::string console, std::vector<std::string> kernel_arguments);
  PeerGuest(const PeerGuest&) = delete;
  PeerGuest& operator=(const PeerGuest&) = delete;
  ~PeerGuest() { renew(); }

  /// Boots it, unless it is there, and returns when its program waits for a run.
  void bring_up();
  void renew();
  /// How it ended; nothing while it runs.
  std::optional<Ended> end();
  /// console_trouble() since it came up.
  [[nodiscard]] std::string kernel_trouble() const { return console_trouble(log_); }

  /// What the boot program of the other guest is to be told, and its kernel.
  [[nodiscard]] std::string link() const { return link_of(1); }
  [[nodiscard]] std::vector<std::string> other_arguments() const { return arguments_of(1); }

 private:
  [[nodiscard]] std::string link_of(int number) const;
  [[nodiscard]] std::vector<std::string> arguments_of(int number) const;

  Folder folder_{""};  ///< for what the two guests share: its path is short
  std::string target_, console_, log_;
  std::vector<std::string> kernel_arguments_;
  std::string secret_;
  std::string channel_file_;  ///< that all guests have; nobody uses it
  Channel channel_;
  pid_t process_ = -1;
  int boots_ = 0;
};

}  // namespace mrproof::conformance
