#include "conformance/run/wire.hpp"

#include <gtest/gtest.h>

#include "impl/sim/sim_device.hpp"
#include "model/trace/test_steps.hpp"
#include "property-tests/walk/plan.hpp"
#include "property-tests/walk/test_walk.hpp"

namespace mrproof::conformance {
namespace {

using namespace model;

std::vector<std::byte> encoded(const Record& record) {
  std::vector<std::byte> bytes(100);  // what was in it before does not matter
  encode(record, bytes);
  return bytes;
}

/// The supervisor's view of a step: what step_begin and step_end say of it together.
model::Step sent(const model::Step& step) {
  Record record;
  record.step = step;
  record.index = 7;
  record.kind = RecordKind::step_begin;
  const Record begin = decode(encoded(record));
  record.kind = RecordKind::step_end;
  Record end = decode(encoded(record));
  EXPECT_EQ(begin.index, 7U);
  EXPECT_EQ(end.index, 7U);
  end.step.call = begin.step.call;
  end.step.lkey = begin.step.lkey;
  end.step.second = begin.step.second;
  end.step.rkey = begin.step.rkey;
  end.step.keys_seen = true;
  return end.step;
}

TEST(Wire, StepsArriveAsTheyWere) {
  for (const auto* fault : {"last-byte-lost", "stale-lkey-accepted", "reg-mr-without-errno"}) {
    impl::SimOptions options;
    options.fault = fault;
    impl::SimDevice device(options);
    const property_tests::Plan plan = property_tests::testing::plan_of(4000);
    for (std::uint64_t index = 0; index < plan.cases(); ++index) {
      model::Trace trace = property_tests::testing::walk_case(device, plan, index);
      const std::string before = model::print_trace(trace);
      for (model::Step& step : trace.steps) {
        const auto keys = std::pair{step.call.lkey.value(), step.call.rkey.value()};
        step = sent(step);
        EXPECT_EQ((std::pair{step.call.lkey.value(), step.call.rkey.value()}), keys);
      }
      ASSERT_EQ(model::print_trace(trace), before);
    }
  }
}

TEST(Wire, EveryVerbArrivesAsItWas) {
  model::Random random(11);
  for (std::size_t i = 0; i < 50 * kVerbs; ++i) {
    model::Step step = model::testing::random_step(static_cast<Verb>(i % kVerbs), random);
    step.observed = true;
    const model::Step again = sent(step);
    ASSERT_TRUE(model::testing::same(step, again));
    ASSERT_EQ(again.call.second.lkey.value(), step.call.second.lkey.value());
  }
}

/// One record of each kind with everything set that it carries.
std::vector<Record> records() {
  std::vector<Record> all(static_cast<std::size_t>(RecordKind::done) + 1);
  for (std::size_t i = 0; i < all.size(); ++i) {
    Record& r = all[i];
    r.kind = static_cast<RecordKind>(i);
    r.index = 0x123456789abcdef0;
    r.setup = model::standard_setup();
    r.can = {Plain::flags(3), Plain::address(99), Plain::flags(5)};
    r.rule = 12;
    r.inside_ns = 1;
    r.elapsed_ns = 2;
    r.reset_ns = 3;
    r.rebuilt = true;
    r.text = "text with \"quotes\" and \n";
    r.kernel_warning = "WARNING: a";
    r.skip_reason = "it lacks b";
    r.step.timed_out = true;
    r.left_out = true;
    r.step.bytes = {{0x1000, {std::byte{1}, std::byte{2}}}, {0x2000, {}}};
    r.step.annotations = {{{"a.b", DeviationClass::status, {"c+d"}}, Verdict::deviates}};
    r.step.remarks = {"one", "two"};
  }
  return all;
}

TEST(Wire, RecordsOfEveryKindArriveAsTheyWere) {
  for (const Record& r : records()) {
    const Record again = decode(encoded(r));
    EXPECT_EQ(again.kind, r.kind);
    EXPECT_EQ(again.index, r.index);
    switch (r.kind) {
      case RecordKind::hello:
        EXPECT_EQ(again.can.claimed.value(), 3U);
        EXPECT_EQ(again.can.max_message.value(), 99U);
        EXPECT_EQ(again.can.features.value(), 5U);
        EXPECT_EQ(again.text, r.text);
        break;
      case RecordKind::case_begin: EXPECT_EQ(again.setup, r.setup); break;
      case RecordKind::step_end:
        EXPECT_EQ(again.rule, 12U);
        EXPECT_TRUE(again.rebuilt);
        EXPECT_TRUE(again.step.timed_out);
        EXPECT_EQ(again.step.bytes, r.step.bytes);
        EXPECT_EQ(again.step.annotations, r.step.annotations);
        EXPECT_EQ(again.step.remarks, r.step.remarks);
        EXPECT_EQ(again.kernel_warning, r.kernel_warning);
        break;
      case RecordKind::disturbed:
      case RecordKind::complaint:
      case RecordKind::failure: EXPECT_EQ(again.text, r.text); break;
      case RecordKind::case_end:
        EXPECT_EQ(again.inside_ns, 1U);
        EXPECT_EQ(again.elapsed_ns, 2U);
        EXPECT_EQ(again.reset_ns, 3U);
        EXPECT_TRUE(again.left_out);
        EXPECT_EQ(again.skip_reason, r.skip_reason);
        break;
      case RecordKind::step_begin:
      case RecordKind::alive:
      case RecordKind::done: break;
    }
  }
}

TEST(Wire, WhatIsCutOffOrUnknownIsRefused) {
  for (const Record& r : records()) {
    std::vector<std::byte> bytes = encoded(r);
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_THROW(decode(std::span(bytes).first(size)), model::ToolError)
          << static_cast<int>(r.kind) << " " << size;
    bytes.front() = std::byte{200};
    EXPECT_THROW(decode(bytes), model::ToolError);
  }
}

TEST(Wire, DescriptionsArriveAsTheyWere) {
  const impl::Description d{"rxe0", "rdma_rxe", "6.1.0-44", "44.0", "\"odd\" firmware\n"};
  const impl::Description again = parse_description(print_description(d));
  EXPECT_EQ(again.device, d.device);
  EXPECT_EQ(again.driver, d.driver);
  EXPECT_EQ(again.kernel, d.kernel);
  EXPECT_EQ(again.rdma_core, d.rdma_core);
  EXPECT_EQ(again.firmware, d.firmware);
  for (const std::string damaged : {"{", "", "[]", "3", "{\"device\": 3}"})
    EXPECT_THROW(parse_description(damaged), model::ToolError) << damaged;
}

TEST(Wire, DescriptionsMayHoldBytesThatAreNoText) {
  // Sysfs files and firmware strings are not always UTF-8.
  const impl::Description d{"rxe0", "rdma_rxe", "6.1", "44.0", "\xff\xfe"};
  EXPECT_NO_THROW(parse_description(print_description(d)));
}

}  // namespace
}  // namespace mrproof::conformance
