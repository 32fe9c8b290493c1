// What was reached of the machine code of a driver, and of the kernel's verbs, in emulated guests.
//
// The emulator tells of each block of instructions when it first translates it, which it does for
// what the guest is about to execute. A block that a fault ends early counts as a whole.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mrproof::conformance {

/// A function of a kernel module.
struct CodeFunction {
  std::string module, file, name;  ///< `file`: as the kernel's source names it; empty: not known
  std::vector<bool> reached;       ///< for each of its instructions
  /// Whether any instruction of a line was, by file and line; none without debug information. Of
  /// other functions' lines those that were made part of this one.
  std::map<std::pair<std::string, unsigned>, bool> lines = {};
};

/// What was reached of the code of one image.
class DriverCoverage {
 public:
  /// Of no code at all.
  DriverCoverage() = default;
  /// As a report has it. Throws json exceptions.
  static DriverCoverage from_json(const nlohmann::json& json);
  [[nodiscard]] nlohmann::ordered_json to_json() const;

  /// Adds what else was reached of the same code. Throws ToolError if it is another's.
  void add(const DriverCoverage& other);
  /// Leaves what the other one has not reached of the same code.
  void remove(const DriverCoverage& other);
  /// How many instructions were reached.
  [[nodiscard]] std::size_t count() const;

  [[nodiscard]] const std::vector<CodeFunction>& functions() const { return functions_; }

 private:
  friend class CodeLog;
  void expect_same_code(const DriverCoverage& other) const;
  std::vector<CodeFunction> functions_;
};

/// What emulators of guests of one image tell.
class CodeLog {
 public:
  /// By the image's code.json. Throws ToolError.
  explicit CodeLog(const std::string& image);
  /// Reads on in the log of the emulator that was started last. `console`: of the boot of its
  /// guest, which tells where the modules lie. Throws ToolError.
  void read(const std::string& log, const std::string& console);
  /// The log begins anew, with another emulator.
  void restart() { read_ = 0; }
  /// What was read since it was taken last.
  DriverCoverage take();

 private:
  /// Where a function's instructions lie: counted from the begin of its section.
  struct Place {
    std::string section;
    std::vector<std::uint64_t> instructions;
    std::vector<std::pair<std::string, unsigned>> lines;  ///< of each; or none
  };
  void place(const std::string& console);

  DriverCoverage none_, reached_;
  std::vector<Place> places_;  ///< of each function
  std::string console_;        ///< of which `at_` is
  std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> at_;  ///< of addresses
  std::uint64_t read_ = 0;                                                     ///< bytes of the log
};

}  // namespace mrproof::conformance
