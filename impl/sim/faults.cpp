#include "impl/sim/faults.hpp"

#include <algorithm>
#include <cstddef>

namespace mrproof::impl {
namespace {

/// An enumerator's name with hyphens.
template <std::size_t N>
struct Kebab {
  char text[N]{};
  consteval Kebab(const char (&name)[N]) {
    for (std::size_t i = 0; i < N; ++i) text[i] = name[i] == '_' ? '-' : name[i];
  }
};
template <Kebab name>
constexpr std::string_view kId{name.text};

}  // namespace

const std::vector<FaultInfo>& faults() {
#define MRPROOF_FAULT(id, breaks, rule, condition, ...) \
  {Fault::id, kId<#id>, breaks, {rule, condition}, __VA_ARGS__},
  static const std::vector<FaultInfo> table{
#include "impl/sim/faults.inc"
  };
#undef MRPROOF_FAULT
  return table;
}

std::optional<Fault> fault_by_name(std::string_view id) {
  const auto& all = faults();
  const auto found =
      std::find_if(all.begin(), all.end(), [id](const FaultInfo& info) { return info.id == id; });
  if (found == all.end()) return std::nullopt;
  return found->fault;
}

}  // namespace mrproof::impl
