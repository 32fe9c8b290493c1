// Steps of every verb for tests of what carries steps: traces and records.
#pragma once

#include <gtest/gtest.h>

#include "model/random.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::model::testing {

/// A step of that verb with all its arguments, keys and results drawn at random; most of them make
/// no sense to a device.
Step random_step(Verb verb, Random& random);

/// Whether both have the same call and key names, apart from what Oracle::resolve() puts in.
::testing::AssertionResult same_call(const Step& a, const Step& b);

/// Whether a trace tells the same of both.
::testing::AssertionResult same(const Step& a, const Step& b);
/// Expects that the trace is the same when it is printed and read again.
void expect_same_after_printing(const Trace& trace);

}  // namespace mrproof::model::testing
