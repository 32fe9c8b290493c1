// Which objects of a state are shown to people: all where they are few, else those that matter.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "model/trace/trace.hpp"

namespace mrproof::specs {

/// Of one state and the step made in it.
class ShownObjects {
 public:
  /// All regions and windows if at most 40 of the kind are live; else those that the step names by
  /// its arguments or keys, and the regions that such windows are bound to. The step's keys need
  /// not be resolved.
  ShownObjects(const model::State<model::Plain>& state, const model::Step& step);

  [[nodiscard]] bool region(std::size_t slot) const { return regions_.shows(slot); }
  [[nodiscard]] bool window(std::size_t slot) const { return windows_.shows(slot); }
  /// Those that are named, however many there are.
  [[nodiscard]] const std::set<std::uint32_t>& named_regions() const { return regions_.named; }
  [[nodiscard]] const std::set<std::uint32_t>& named_windows() const { return windows_.named; }
  /// "10000 regions, of which those are shown that the step names"; empty if all are shown.
  [[nodiscard]] std::string hidden() const;

 private:
  struct Some {
    std::set<std::uint32_t> named;
    std::size_t live = 0;
    [[nodiscard]] bool few() const { return live <= 40; }
    [[nodiscard]] bool shows(std::size_t slot) const {
      return few() || named.contains(static_cast<std::uint32_t>(slot));
    }
  };
  void name(const model::Step& step);
  void name(const model::KeyName& key);
  Some regions_, windows_;
};

}  // namespace mrproof::specs
