#include "impl/sim/faults.hpp"

#include <algorithm>

#include "impl/sim/fault_tables.hpp"

namespace mrproof::impl {

const std::vector<FaultInfo>& faults() {
  static const std::vector<FaultInfo> table = [] {
    std::vector<FaultInfo> rows;
    for (const auto part : {faults_of_access(), faults_of_transfers(), faults_of_windows(),
                            faults_of_regions(), faults_of_operations()})
      rows.insert(rows.end(), part.begin(), part.end());
    return rows;
  }();
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
