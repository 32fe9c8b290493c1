// QEMU's monitor, by the machine protocol (QMP): one JSON object a line, both ways.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace mrproof::conformance {

/// One connection. A QEMU that is gone answers nothing: is_open() tells.
class Qmp {
 public:
  /// Takes over one end of a socket pair whose other end is QEMU's.
  explicit Qmp(int socket) : socket_(socket) {}
  ~Qmp();
  Qmp(const Qmp&) = delete;
  Qmp& operator=(const Qmp&) = delete;

  /// Begins with what QEMU wants to hear first; `goes_on`: and has it let the machine run then. A
  /// QEMU that does not answer shows in a machine that does not come up.
  void greet(bool goes_on);
  /// Lets a machine that stands still run. It is not waited for: a busy guest keeps QEMU from
  /// saying so for as long as it does not sleep.
  void go_on();
  /// Carries out a command and returns what it returns. Throws ToolError with QEMU's own words if
  /// it refuses, or if it is gone, or does not answer.
  nlohmann::json execute(const std::string& command, const nlohmann::json& arguments);
  void execute(const std::string& command);
  /// Whether the machine stands still, as far as QEMU has told: also if it refused to go on.
  bool is_stopped();
  [[nodiscard]] bool is_open() const { return open_; }

 private:
  void send(const std::string& command, const nlohmann::json& arguments);
  void take_in(int wait_ms);
  void take(const std::string& line);

  int socket_;
  bool open_ = true;
  bool stopped_ = false;
  int sent_ = 0;        ///< how many commands
  int go_on_ = 0;       ///< the number of the last one that lets the machine run
  std::string text_;    ///< that has come and is no whole line
  std::string answer_;  ///< to the last command; empty: none yet
};

}  // namespace mrproof::conformance
