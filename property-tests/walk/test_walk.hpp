// Walks on the simulated device, in this process, for tests.
#pragma once

#include <functional>

#include "impl/device.hpp"
#include "model/trace/trace.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::property_tests::testing {

/// Told of each step that was made, before the next one is: the oracle has moved on already.
using Look = std::function<void(const model::Step&, const model::Oracle&)>;

/// Makes one case of the plan on the device, each step judged and annotated, up to the first that
/// deviates; `goes_on`: as in a run, up to the first after which the state is not known. `look` may
/// be empty.
model::Trace walk_case(impl::Device& device, const Plan& plan, std::uint64_t index,
                       const Look& look = {}, bool goes_on = false);

/// A plan of so many steps in cases of 200.
Plan plan_of(std::uint64_t steps, std::uint64_t seed = 1);

}  // namespace mrproof::property_tests::testing
