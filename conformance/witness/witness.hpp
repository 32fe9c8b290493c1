// Witnesses: traces that show something of a rule, found by search and made short.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "conformance/trace/trace.hpp"
#include "conformance/walk/random.hpp"

namespace mrproof {

/// Looks for witnesses of what is missing, by random walks through small worlds in which, at each
/// step, every result that a rule could have is tried, and results that are wrong in one detail.
class WitnessSearch {
 public:
  /// `missing`: items as conformance/testing/coverage.hpp names them.
  explicit WitnessSearch(std::set<std::string> missing) : missing_(std::move(missing)) {}

  /// One walk of `length` steps after those of the given beginning.
  void walk(const Trace& beginning, std::uint64_t seed, std::size_t length);
  /// The shortest trace found for each item: its last step shows it.
  [[nodiscard]] const std::map<std::string, Trace>& found() const { return found_; }
  /// Walks that ended because the model contradicted itself.
  [[nodiscard]] std::size_t lost() const { return lost_; }

 private:
  class Walker;
  [[nodiscard]] bool wanted(const std::string& item, std::size_t steps) const;
  /// Whether something of the verb is still to be found.
  [[nodiscard]] bool lacks_verb(std::string_view dialect, std::string_view verb) const;
  std::set<std::string> missing_;
  std::map<std::string, Trace> found_;
  std::size_t lost_ = 0;
};

/// The trace with a last result that is as the blamed rule would have it, if it shows the same:
/// where a call must not end so, what is seen beside its end should not look wrong, too.
Trace with_sound_result(const Trace& trace, const std::string& item);

/// Whether the trace is judged without complaint up to its last step, and that step shows the item.
bool shows(const Trace& trace, const std::string& item);

/// A shorter and plainer trace that shows the same; nothing if the given one does not.
std::optional<Trace> shrink_witness(Trace trace, const std::string& item);

/// The trace with its last step annotated, its comment, and its place below conformance/scenarios/.
struct Scenario {
  std::string path;
  std::string text;
};
Scenario make_scenario(const Trace& witness, const std::string& item);

}  // namespace mrproof
