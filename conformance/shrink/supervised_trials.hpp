// Trials through the supervisor: for devices that may kill the worker, or the machine around it.
#pragma once

#include "conformance/run/place.hpp"
#include "conformance/run/session.hpp"
#include "conformance/shrink/trials.hpp"

namespace mrproof {

/// Tries in workers, one for each list of candidates and one more after each that kills it; in a
/// virtual machine, which is booted anew when its kernel is not to be trusted any more.
class SupervisedTrials final : public Trials {
 public:
  /// Of the options: target, kernel arguments, limits. Of the plan: device and dialect.
  SupervisedTrials(const SessionOptions& options, Plan plan);
  std::optional<Trace> first_showing(std::span<const Trace> candidates,
                                     const Annotation& wanted) override;
  /// The first deviation or trouble that the trace shows, whatever it is.
  std::optional<Annotation> first_trouble(const Trace& trace);
  /// Who was tried, once something was.
  [[nodiscard]] const impl::Description& device() const { return device_; }

 private:
  void run(Tally& tally);
  [[nodiscard]] Tally empty_tally() const;
  SessionOptions options_;
  Plan plan_;
  Folder folder_;
  Place place_;
  impl::Description device_;
};

}  // namespace mrproof
