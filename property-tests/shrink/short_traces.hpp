// Short traces that may show a deviation, all there are in a small world: the plainest of them that
// shows it is the form to report, and where none of so many steps shows it, none is shorter.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/trace/trace.hpp"

namespace mrproof::property_tests {

/// How much is spent on the traces of one length.
struct ShortTracesLimits {
  std::uint64_t calls = 50'000'000;  ///< calls looked at in the model
  std::size_t traces = 40'000;       ///< that are worth a trial
};

/// Takes a trace; false: no more are wanted.
using TakeTrace = std::function<bool(model::Trace)>;

/// The traces of exactly so many steps, on a device that can what `like` says, that the model takes
/// for possible witnesses of `wanted`. Their calls are plain (plain_calls.hpp), made on one or two
/// PDs and pairs; calls before the last succeed, but for re-registrations and work requests that
/// bring a queue pair into the error state; and what a call makes or changes is mentioned later.
/// Whether that were all: no limit was met, and no trace was turned down.
bool each_short_trace(const model::Trace& like, const model::Annotation& wanted, std::size_t steps,
                      const ShortTracesLimits& limits, const TakeTrace& take);

/// What a search came to.
struct ShortTraces {
  std::vector<model::Trace> traces;  ///< the plainest first
  bool all = true;                   ///< no limit was met: there are no others
  std::size_t tried = 0;             ///< so many of the first do not show it on the device
};

/// Searches, and remembers what was found, and what was tried on one device.
class ShortTraceStore {
 public:
  explicit ShortTraceStore(const ShortTracesLimits& limits = {}) : limits_(limits) {}
  /// The traces of each_short_trace(). Lives as long as the store; whoever tries them says so
  /// there.
  ShortTraces& get(const model::Trace& like, const model::Annotation& wanted, std::size_t steps);

 private:
  ShortTracesLimits limits_;
  std::map<std::string, ShortTraces> known_;
};

}  // namespace mrproof::property_tests
