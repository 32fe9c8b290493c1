// A case that is made on a device of this process, and judged.
#pragma once

#include "impl/device.hpp"
#include "impl/device_memory.hpp"
#include "model/oracle/oracle.hpp"

namespace mrproof::impl {

/// Puts what was seen of the step's call into it.
inline void record(model::Step& step, const Observation& seen) {
  step.result = seen.result;
  step.observed = step.keys_seen = true;
  step.timed_out = seen.timed_out;
}

/// Makes steps on a device, one after the other, each judged by what is seen of it.
class DeviceCase {
 public:
  /// Resets the device, which has to outlive this object.
  DeviceCase(Device& device, const model::Rulebook& book, const model::Setup& setup)
      : device_(device),
        memory_(device),
        oracle_(book, setup_on(device, setup), device.capabilities()) {
    device.reset(setup);
  }

  /// Makes the step's call, whose keys are resolved, and judges it.
  model::Judgement make(model::Step& step) {
    seen_ = device_.perform(step.call);
    record(step, seen_);
    return oracle_.check(step, memory_);
  }
  /// What was seen of the last step.
  [[nodiscard]] const Observation& seen() const { return seen_; }
  [[nodiscard]] const model::Oracle& oracle() const { return oracle_; }

 private:
  Device& device_;
  DeviceMemory memory_;
  model::Oracle oracle_;
  Observation seen_;
};

}  // namespace mrproof::impl
