// What was reached of the machine code of a driver, and of the kernel's verbs, in emulated guests.
//
// The emulator tells of each block of instructions when it first translates it, which it does for
// what the guest is about to execute. A block that a fault ends early counts as a whole.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace mrproof::conformance {

/// A function of a kernel module.
struct CodeFunction {
  std::string module, file, name;  ///< `file`: as the kernel's source names it; empty: not known
  std::vector<bool> reached;       ///< for each of its instructions
};

/// Adds up what guests of one image reached.
class DriverCoverage {
 public:
  /// Nothing of all that the image's code.json lists. Throws ToolError.
  explicit DriverCoverage(const std::string& image);
  /// As a report has it. Throws json exceptions.
  static DriverCoverage from_json(const nlohmann::json& json);
  [[nodiscard]] nlohmann::ordered_json to_json() const;

  /// Adds what a guest reached: by the emulator's log, and by the console of the boot, which tells
  /// where the modules lie. Throws ToolError.
  void add(const std::string& log, const std::string& console);
  /// Adds what another run of the same image reached. Throws ToolError if it is of another one.
  void add(const DriverCoverage& other);

  [[nodiscard]] const std::vector<CodeFunction>& functions() const { return functions_; }

 private:
  DriverCoverage() = default;
  /// Where a function's instructions lie: counted from the begin of its section.
  struct Place {
    std::string section;
    std::vector<std::uint64_t> instructions;
  };
  std::vector<CodeFunction> functions_;
  std::vector<Place> places_;  ///< as many; none if it is of a report
};

}  // namespace mrproof::conformance
