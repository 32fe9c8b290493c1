#include "impl/sim/sim_options.hpp"

namespace mrproof::impl {
namespace {

SimOptions with(std::uint32_t claimed, std::uint32_t features) {
  SimOptions options;
  options.claimed = claimed;
  options.features = features;
  return options;
}

/// Everything but these.
SimOptions without(std::uint32_t access, std::uint32_t features) {
  return with(kSimAccess & ~access, kSimFeatures & ~features);
}

SimOptions short_messages() {
  SimOptions options;
  options.max_message = 100;
  return options;
}

SimOptions in_two_processes() {
  SimOptions options;
  options.processes = 2;
  return options;
}

SimOptions with_fork_protection() {
  SimOptions options;
  options.fork_protection = true;
  return options;
}

/// Windows, invalidation and atomics over iWARP are not modelled.
SimOptions over_iwarp() {
  using namespace model;
  SimOptions options =
      without(kRemoteAtomic | kMwBind, kAtomics | kMwType1 | kMwType2B | kMemoryExtensions);
  options.features |= kIwarp;
  return options;
}

/// Of all operations RDMA write alone, on regions that are paged on demand.
SimOptions writes_on_demand() {
  return with(kSimAccess, kSimFeatures | (model::kOnDemandMissing & ~model::kOnDemandNoWrite));
}

}  // namespace

const std::vector<std::pair<std::string_view, SimOptions>>& capability_sets() {
  using namespace model;  // the flags; nothing else is used here
  static const std::vector<std::pair<std::string_view, SimOptions>> sets{
      {"full", {}},
      {"no-windows", without(kMwBind, kMwType1 | kMwType2B | kMemoryExtensions)},
      {"type-1-only", without(0, kMwType2B | kMemoryExtensions)},
      {"type-2a", with(kSimAccess, (kSimFeatures & ~kMwType2B) | kMwType2A)},
      {"no-atomics", without(kRemoteAtomic, kAtomics)},
      {"no-odp", without(kOnDemand | kHugetlb, kImplicitOnDemand)},
      {"odp-write", writes_on_demand()},
      {"odp-messages",
       with(kSimAccess, kSimFeatures | kOnDemandNoWrite | kOnDemandNoRead | kOnDemandNoAtomic)},
      {"no-rereg", without(0, kReregTranslation | kReregPd | kReregAccess)},
      {"no-advise", without(0, kAdviseMr)},
      {"minimal", with(0, 0)},
      {"short-messages", short_messages()},
      {"iwarp", over_iwarp()},
      {"two-processes", in_two_processes()},
      {"fork", with_fork_protection()},
  };
  return sets;
}

}  // namespace mrproof::impl
