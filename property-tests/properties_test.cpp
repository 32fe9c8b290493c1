// Properties of devices and of the harness, over walks that RapidCheck chooses. RC_PARAMS work as
// its users know them: RC_PARAMS="seed=7 max_success=1000".
//
// The walk draws the calls: it knows the model's state, so that every verb comes about, with
// handles live, stale and foreign, and values at the edges of what is allowed. RapidCheck chooses
// the walks. A counterexample is made short by our own shrinker, which confirms each candidate on
// the device.
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "impl/by_name/open_device.hpp"
#include "impl/sim/faults.hpp"
#include "impl/sim/sim_options.hpp"
#include "model/oracle/judge_trace.hpp"
#include "property-tests/shrink/shrink.hpp"
#include "property-tests/walk/test_walk.hpp"

namespace mrproof::property_tests {
namespace {

using ::testing::HasSubstr;

/// The device of that name, as --device has it. There can be one simulated device in a process at a
/// time, so the last one ends when another is asked for.
impl::Device& device_of(const std::string& name, const std::string& dialect = "linux") {
  static std::unique_ptr<impl::Device> device;
  static std::pair<std::string, std::string> is;
  if (device == nullptr || is != std::pair(name, dialect)) {
    device.reset();
    device = impl::open_device(name, dialect);
    is = {name, dialect};
  }
  return *device;
}

/// A case of a walk: up to 300 calls.
model::Trace any_case(impl::Device& device, const std::string& dialect = "linux") {
  Plan plan = testing::plan_of(static_cast<std::uint64_t>(*rc::gen::inRange(1, 300)),
                               *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()));
  plan.case_steps = plan.steps;
  plan.dialect = dialect;
  return testing::walk_case(device, plan, 0);
}

/// One of the faults that are to be found, as a device's name.
std::string any_faulty_device() {
  std::vector<std::string> names;
  for (const auto& info : impl::faults())
    if (!info.expected.rule.empty() && !info.shows_at_reset())
      names.push_back("sim:" + std::string(info.id));
  return *rc::gen::elementOf(names);
}

/// The first case of a walk in which the device deviates.
model::Trace any_deviating_case(impl::Device& device) {
  const Plan plan =
      testing::plan_of(20000, *rc::gen::noShrink(rc::gen::arbitrary<std::uint64_t>()));
  for (std::uint64_t index = 0; index < plan.cases(); ++index) {
    model::Trace trace = testing::walk_case(device, plan, index);
    if (last_told_by(trace) != nullptr) return trace;
  }
  RC_DISCARD("not found by this walk");
}

/// The shortest trace that shows the same.
std::string shortest(impl::Device& device, const model::Trace& trace) {
  DeviceTrials trials(device);
  ShortTraceStore store;
  const model::Annotation wanted = *last_told_by(trace);
  const auto shrunk = Shrinker(trials, wanted, store).run(trace);
  return shrunk ? model::print_trace(presentable(*shrunk, wanted))
                : "it does not repeat:\n" + model::print_trace(trace);
}

void conforms(impl::Device& device, const std::string& dialect) {
  const model::Trace trace = any_case(device, dialect);
  if (last_told_by(trace) != nullptr) RC_FAIL(shortest(device, trace));
}

RC_GTEST_PROP(Device, Conforms, ()) {
  const char* name = std::getenv("MRPROOF_DEVICE");  // another one than the simulated device
  conforms(device_of(name == nullptr ? "sim" : name), "linux");
}

RC_GTEST_PROP(ModelAndSimulatedDevice, AgreeInEveryDialectWithEverySetOfCapabilities, ()) {
  std::vector<std::string> names;
  for (const auto& [name, options] : impl::capability_sets())
    names.push_back("sim@" + std::string(name));
  const std::string name = *rc::gen::elementOf(names);
  const std::string dialect = *rc::gen::elementOf(
      std::vector<std::string>(model::kDialects.begin(), model::kDialects.end()));
  RC_TAG(name, dialect);
  conforms(device_of(name, dialect), dialect);
}

RC_GTEST_PROP(Trace, ParseUndoesPrint, ()) {
  const std::string text = model::print_trace(any_case(device_of(any_faulty_device())));
  RC_ASSERT(model::print_trace(model::parse_trace(text, "")) == text);
}

RC_GTEST_PROP(Trace, IsJudgedAgainAsItWasOnTheDevice, ()) {
  const model::Trace trace = any_case(device_of(any_faulty_device()));
  const model::Trace judged = model::judge_trace(model::parse_trace(model::print_trace(trace), ""),
                                                 *model::find_rulebook(trace.dialect), "");
  RC_ASSERT(judged.steps.size() == trace.steps.size());
  for (std::size_t i = 0; i < trace.steps.size(); ++i)
    RC_ASSERT(judged.steps[i].annotations == trace.steps[i].annotations);
}

RC_GTEST_PROP(Replay, ShowsTheSameDeviation, ()) {
  impl::Device& device = device_of(any_faulty_device());
  const std::vector<model::Trace> one{any_deviating_case(device)};
  const model::Annotation* told = last_told_by(one[0]);
  DeviceTrials trials(device);
  const auto again = trials.first_showing(one, *told);
  RC_ASSERT(again.has_value());
  RC_ASSERT(model::print_trace(*again) == model::print_trace(one[0]));
}

RC_GTEST_PROP(Shrinking, NeverChangesTheDeviationNorMakesTheTraceLonger, ()) {
  impl::Device& device = device_of(any_faulty_device());
  const model::Trace trace = any_deviating_case(device);
  const model::Annotation* told = last_told_by(trace);
  DeviceTrials trials(device);
  ShortTraceStore store({100'000, 500});
  const auto shrunk = Shrinker(trials, *told, store).run(trace);
  RC_ASSERT(shrunk.has_value());
  RC_ASSERT(shrunk->trace.steps.back().annotations.front() == *told);
  RC_ASSERT(shrunk->trace.steps.size() <= trace.steps.size());
  RC_ASSERT(shrunk->bound.steps <= shrunk->trace.steps.size());
  const std::vector<model::Trace> one{shrunk->trace};
  RC_ASSERT(trials.first_showing(one, *told).has_value());
}

/// What the function made of a rule's terms is to say, asked of one term after the other.
bool applies_by_terms(const model::PlainRule& rule, const model::PlainView& view) {
  const auto holds = [&](const model::Term<model::Plain>& term) {
    return term.condition->holds(view).truth() == term.holds;
  };
  const auto& all = rule.requires_all;
  const auto& any = rule.reasons;
  return std::all_of(all.begin(), all.end(), holds) &&
         (any.empty() || std::any_of(any.begin(), any.end(), holds));
}

/// Asks all rules of the step's verb, each with its own outcome.
void compare_rules(const model::Oracle& oracle, const model::Step& step) {
  for (std::size_t i = 0; i < model::kOutcomes; ++i) {
    auto result = step.result;
    result.outcome = static_cast<model::Outcome>(i);
    for (const model::PlainRule* rule : oracle.book().rules(step.call.verb, result.outcome)) {
      const model::PlainView view{oracle.state(), step.call, result};
      const model::PlainView other{oracle.state(), step.call,
                                   result};  // it remembers what it finds
      if (rule->applies(view) != applies_by_terms(*rule, other)) RC_FAIL(rule->id);
    }
  }
}

RC_GTEST_PROP(Rules, ApplyAsTheirTermsSay, ()) {
  const model::Trace trace = any_case(device_of(any_faulty_device()));
  model::RecordedCase recorded(trace, *model::find_rulebook(trace.dialect));
  while (const model::Step* step = recorded.next()) {
    compare_rules(recorded.oracle(), *step);
    recorded.judge();
  }
}

std::size_t count_of(std::string_view what, std::string_view text) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++count;
  return count;
}

/// That the first property sees what it is for, and says it shortly.
TEST(Device, ThatDoesNotConformIsFoundOut) {
  impl::Device& device = device_of("sim:remote-write-right-unchecked");
  const auto result = rc::detail::checkTestable([&] { conforms(device, "linux"); });
  ASSERT_TRUE(result.template is<rc::detail::FailureResult>());
  const auto& failure = result.template get<rc::detail::FailureResult>();
  EXPECT_THAT(failure.description, HasSubstr("! deviates"));
  // A registration and a write; a receive, where the write brings immediate data.
  EXPECT_LE(count_of(" -> ", failure.description), 3U) << failure.description;
}

}  // namespace
}  // namespace mrproof::property_tests
