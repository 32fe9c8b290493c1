// What the program of repro.hpp calls its objects: mr8; or mr[8], where there are many.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/trace/trace.hpp"

namespace mrproof::conformance {

/// Kinds of objects that a program may have many of.
enum class ReproKind : std::uint8_t { pd, mr, mw };

/// Of one program.
class ReproNames {
 public:
  explicit ReproNames(const model::Trace& trace);

  /// "pd8" or "pd[8]", likewise the others.
  [[nodiscard]] std::string pd(std::size_t slot) const { return of(ReproKind::pd, slot); }
  [[nodiscard]] std::string mr(std::size_t slot) const { return of(ReproKind::mr, slot); }
  [[nodiscard]] std::string mw(std::size_t slot) const { return of(ReproKind::mw, slot); }
  /// The same of a variable beside the object, with `what` in its name: "mr8_rkey" or
  /// "mr_rkey[8]".
  [[nodiscard]] std::string of(ReproKind kind, std::size_t slot,
                               const std::string& what = "") const;
  /// Whether objects of the kind stand in an array, and how many it has to have room for. All do
  /// where calls overlap each other: functions name them.
  [[nodiscard]] bool many(ReproKind kind) const { return count(kind) > few_; }
  [[nodiscard]] std::size_t count(ReproKind kind) const {
    return counts_[static_cast<std::size_t>(kind)];
  }
  static const char* name(ReproKind kind);

 private:
  static constexpr std::size_t kFew = 32;
  std::size_t few_ = kFew;
  void add(ReproKind kind, std::size_t slot) {
    auto& count = counts_[static_cast<std::size_t>(kind)];
    count = std::max(count, slot + 1);
  }
  std::array<std::size_t, 3> counts_{};
};

/// The texts of steps one after the other, each of statements of main(). Those that repeat eight
/// times or more stand in a loop. Every step begins with `step = "@: `, in place of its number.
std::string looped(const std::vector<std::string>& texts);

}  // namespace mrproof::conformance
