// Records that a worker writes into its channel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "impl/device.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::conformance {

/// What a record says.
enum class RecordKind : std::uint8_t {
  hello,       ///< the device is open: `text` is its Description as JSON, `can` its capabilities
  case_begin,  ///< case `index` begins with `setup`
  step_begin,  ///< the step is about to be made
  step_end,    ///< the step was made and judged
  disturbed,   ///< the step could not be judged: `text`; the case begins anew, or is given up
  complaint,   ///< what is wrong with the reset just made, or with a case: annotation, `text`
  alive,       ///< calls are made that no record tells of
  case_end,    ///< case `index` is over; inside_ns and reset_ns are of its reset
  failure,     ///< the worker gives up: `text` is one line; never a verdict
  done,        ///< every case of the plan is over
};

/// One record; which fields count depends on the kind.
struct Record {
  RecordKind kind = RecordKind::done;
  /// Of the case, or of the step within its case; complaint: of the case, from 1, if it is not what
  /// was left of the one before the reset.
  std::uint64_t index = 0;
  /// step_begin: call and keys; step_end: result, bytes, annotation; complaint: annotation
  model::Step step;
  model::Setup setup;
  model::Capabilities<model::Plain> can;
  std::uint16_t rule = kNoRule;  ///< place in the rulebook of the rule taken
  std::uint64_t inside_ns = 0;   ///< time inside the implementation's calls
  std::uint64_t elapsed_ns = 0;  ///< time of the whole step, or of the whole case
  std::uint64_t reset_ns = 0;    ///< case_end: time of the whole reset
  /// step_end: what taking `rule` came to, of a step without an annotation: a name with nothing
  /// broken in it is left to whoever reads the record.
  model::Verdict verdict = model::Verdict::conforms;
  std::uint8_t process = 0;    ///< step_end: that made the call, of two
  bool rebuilt = false;        ///< queue pairs were rebuilt in this step
  bool left_out = false;       ///< case_end: it ended before a call that is not made (Plan)
  std::string kernel_warning;  ///< step_end: the kernel's, one a line; of a hang also those that
                               ///< came when all that the call hung on was destroyed
  std::string skip_reason;     ///< case_end: why nothing of the case was made; empty if it was
  std::string text;            ///< see kind

  static constexpr std::uint16_t kNoRule = 0xffff;
};

/// Encodes into `bytes`, which is cleared first and keeps its capacity.
void encode(const Record& record, std::vector<std::byte>& bytes);
/// Decodes. Throws ToolError when the bytes are no record (a worker of another version).
Record decode(std::span<const std::byte> bytes);

/// A device's description as JSON, and back.
std::string print_description(const impl::Description& description);
impl::Description parse_description(const std::string& text);

}  // namespace mrproof::conformance
