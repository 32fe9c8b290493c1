// Trials: whether a candidate trace shows a deviation on a device.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "impl/device.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::property_tests {

/// The first deviation, hang, crash or warning of the kernel that the trace's annotations tell of;
/// null if none does.
const model::Annotation* told_by(const model::Trace& trace);
/// The last one: what a run has written the trace for.
const model::Annotation* last_told_by(const model::Trace& trace);

/// A place where traces can be tried.
class Trials {
 public:
  Trials() = default;
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;
  virtual ~Trials() = default;

  /// Makes the calls of one candidate after the other, each from a fresh start, up to the first
  /// that shows what is wanted. Returns that one as it was seen, up to and including the step that
  /// shows it, annotated. A candidate ends early at a call that may not be made. Throws ToolError
  /// or impl::DeviceError if the device cannot be used.
  virtual std::optional<model::Trace> first_showing(std::span<const model::Trace> candidates,
                                                    const model::Annotation& wanted) = 0;
};

/// Tries on a device of this process: for devices that survive what they do.
class DeviceTrials final : public Trials {
 public:
  /// The device has to outlive this object.
  explicit DeviceTrials(impl::Device& device) : device_(device) {}
  std::optional<model::Trace> first_showing(std::span<const model::Trace> candidates,
                                            const model::Annotation& wanted) override;
  /// Steps made so far.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  std::optional<model::Trace> run(const model::Trace& candidate, const model::Annotation& wanted);
  impl::Device& device_;
  std::uint64_t steps_ = 0;
};

}  // namespace mrproof::property_tests
