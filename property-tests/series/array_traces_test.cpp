#include "property-tests/series/array_traces.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "impl/device_case.hpp"
#include "impl/sim/sim_device.hpp"
#include "property-tests/series/series.hpp"

namespace mrproof::property_tests {
namespace {

using namespace model;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(AccessArray, HasEveryTripleThatCanBe) {
  const auto& array = access_array();
  const auto total = all_triples(array_parameters()).size();
  EXPECT_THAT(uncovered_triples(array_parameters(), array), IsEmpty());
  EXPECT_LT(array.impossible.size() * 4, total) << "most triples can be";
  for (const auto& row : array.rows) EXPECT_EQ(array_constraint(row), nullptr);
}

// Reports of devices that can do everything are compared by the cases' names.
TEST(AccessArray, IsTheSameForAllDevicesThatCanDoEverything) {
  EXPECT_THAT(access_array().rows, SizeIs(565));
  Capabilities<Plain> can;
  can.claimed = Plain::flags(~0U);
  can.features = Plain::flags(~std::uint32_t{kIwarp});
  EXPECT_EQ(access_array(can).rows, access_array().rows);
  EXPECT_EQ(array_lack(can), "");
}

// Each row is needed by what it was begun for.
TEST(AccessArray, IsMissedIfARowIsLost) {
  CoveringArray array = access_array();
  array.rows.pop_back();
  EXPECT_FALSE(uncovered_triples(array_parameters(), array).empty());
}

// What cannot be really cannot: no row that the constraints allow has it.
TEST(AccessArray, CallsNothingImpossibleThatCanBe) {
  std::set<ArrayTriple> impossible;
  for (const auto& [triple, why] : access_array().impossible) {
    EXPECT_NE(why, "");
    impossible.insert(triple);
  }
  for (const auto& row : access_array().rows)
    for (const auto& triple : all_triples(array_parameters())) {
      if (!triple.in(row)) continue;
      EXPECT_FALSE(impossible.contains(triple)) << array_row_name(row);
    }
}

/// The value that the row has for a parameter.
const std::string& value(const ArrayRow& row, std::string_view parameter) {
  const auto& all = array_parameters();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == parameter; });
  return found->values.at(row.at(static_cast<std::size_t>(found - all.begin())));
}

/// What the row comes to on a device: "" if every call may be made and is answered as the rules
/// have it, what prepares the operation succeeds, and the operation itself is carried out or
/// refused for what the row is about; else what went otherwise.
/// Where the device does not re-register regions, that is the end, or it is of unchanged(row).
std::string mishap(impl::Device& device, const ArrayRow& row, bool goes_on = false) {
  model::Trace trace = array_trace(row, device.capabilities());
  impl::DeviceCase made(device, linux_rulebook(), trace.setup);
  std::uint64_t receive = 0;
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    model::Step step = trace.steps[i];
    made.oracle().resolve(step);
    const auto told = model::print_call(step);
    if (made.oracle().forbids(step) != nullptr) return told + " may not be made";
    const auto verdict = made.make(step).verdict;
    const auto outcome = step.result.outcome;
    if (goes_on && verdict == Verdict::unsupported && step.call.verb == Verb::rereg_mr) {
      trace.steps.resize(i + 1);
      const auto instead = unchanged_trace(row, device.capabilities()).steps;
      trace.steps.insert(trace.steps.end(), instead.begin(), instead.end());
      continue;
    }
    if (verdict == Verdict::unsupported) return told + " is not supported";
    if (verdict != Verdict::conforms) return told + " does not conform";
    if (outcome == Outcome::refused || outcome == Outcome::wr_flush_err)
      return told + " is refused or flushed";
    const bool last = i + 1 == trace.steps.size() ||
                      (i + 2 < trace.steps.size() && trace.steps[i + 1].call.verb == Verb::connect);
    if (!last && outcome != Outcome::ok) return told + " fails";
    receive = step.result.peer_receive.value();
  }
  const bool used = static_cast<Outcome>(receive) != Outcome::none &&
                    static_cast<Outcome>(receive) != Outcome::wr_flush_err;
  return value(row, "operation") == "post_recv" && !used ? "the receive is not used" : "";
}

/// Whether the values say anything together, on whatever device. Said once more, so that it does
/// not depend on the array's constraints. What a window needs of its region is not among this: a
/// window that cannot be bound shows when the row is run.
bool says_something(const ArrayRow& row) {
  const auto& operation = value(row, "operation");
  const auto& key = value(row, "key");
  const bool names_lkey = operation == "send" || operation == "post_recv";
  if (key == "old" && value(row, "changes") == "0") return false;
  if (operation == "bind_mw") return key == "own";
  if (operation.starts_with("atomic")) return value(row, "offset") != "nothing";
  return !(names_lkey && key == "window");
}

/// All rows that there are.
std::vector<ArrayRow> all_rows() {
  const auto& parameters = array_parameters();
  std::vector<ArrayRow> rows{{}};
  for (const auto& parameter : parameters) {
    std::vector<ArrayRow> longer;
    for (const auto& row : rows)
      for (std::uint32_t i = 0; i < parameter.values.size(); ++i) {
        longer.push_back(row);
        longer.back().push_back(i);
      }
    rows = std::move(longer);
  }
  return rows;
}

void add_triples(const ArrayRow& row, std::set<ArrayTriple>& triples) {
  for (std::uint32_t a = 0; a < row.size(); ++a)
    for (auto b = static_cast<std::uint32_t>(a + 1); b < row.size(); ++b)
      for (auto c = static_cast<std::uint32_t>(b + 1); c < row.size(); ++c)
        triples.insert(ArrayTriple{{a, b, c}, {row[a], row[b], row[c]}});
}

/// A simulated device of a set of capabilities, by the set's name; "minimal" can re-register
/// regions, too.
class ArrayOn : public ::testing::TestWithParam<const char*> {
 protected:
  static impl::SimOptions set_named(std::string_view wanted) {
    for (const auto& [name, options] : impl::capability_sets())
      if (name == wanted) return options;
    throw std::logic_error("no such set");
  }
  /// Whether it does that no device claims: rows that begin with it are in every array.
  static impl::SimOptions re_registering(impl::SimOptions options) {
    options.features |= kReregTranslation | kReregPd | kReregAccess;
    return options;
  }
  impl::SimDevice device_{re_registering(set_named(GetParam()))};
  const Capabilities<Plain> can_ = device_.capabilities();
};

TEST_P(ArrayOn, EachRowComesToItsOperation) {
  std::set<std::string> texts;
  for (const auto& row : access_array(can_).rows) {
    const model::Trace trace = array_trace(row, can_);
    EXPECT_LE(trace.steps.size(), 10U);
    texts.insert(model::print_trace(trace));
    EXPECT_EQ(lacking(trace, can_), "") << array_row_name(row);
    EXPECT_EQ(mishap(device_, row), "") << model::print_trace(trace);
    const auto last = model::print_call(trace.steps.back());
    const auto& operation = value(row, "operation");
    EXPECT_TRUE(last.starts_with(operation == "post_recv" ? "send" : operation)) << last;
  }
  EXPECT_EQ(texts.size(), access_array(can_).rows.size());
}

// By brute force: all rows are run, and the array has the triples of those that come to their
// operation.
TEST_P(ArrayOn, EachTripleThatCanBeIsInARowThatRuns) {
  std::set<ArrayTriple> possible, run;
  std::size_t rows = 0;
  for (const auto& row : all_rows()) {
    if (!says_something(row)) continue;
    const auto why = mishap(device_, row);
    EXPECT_EQ(array_constraint(row, can_) == nullptr, why.empty())
        << array_row_name(row) << ": " << why;
    if (why.empty()) add_triples(row, possible);
    rows += why.empty() ? 1 : 0;
  }
  const auto& array = access_array(can_);
  for (const auto& row : array.rows)
    if (mishap(device_, row).empty()) add_triples(row, run);
  std::vector<ArrayTriple> missed;
  std::set_difference(possible.begin(), possible.end(), run.begin(), run.end(),
                      std::back_inserter(missed));
  EXPECT_THAT(missed, IsEmpty());
  EXPECT_EQ(run.size(), possible.size());
  EXPECT_EQ(all_triples(array_parameters()).size() - array.impossible.size(), possible.size());
  std::printf("%s: all %zu triples of %zu rows are in %zu\n", GetParam(), possible.size(), rows,
              array.rows.size());
}

// What the trace asks of a device is what its calls need: no more, or it would be skipped in vain.
TEST_P(ArrayOn, EachRowAsksForWhatItsCallsNeed) {
  for (const auto& row : access_array(can_).rows) {
    const model::Trace trace = array_trace(row, can_);
    std::uint64_t access = 0;
    std::uint64_t features = 0;
    for (const auto& step : trace.steps) {
      const auto verb = step.call.verb;
      if (verb == Verb::reg_mr || verb == Verb::rereg_mr)
        access |= step.call.access.value() & kFeatureFlags;
      if (verb == Verb::alloc_mw) features |= kMwType1;
      if (is_atomic(verb)) features |= kAtomics;
    }
    EXPECT_EQ(trace.can.claimed.value(), access) << model::print_trace(trace);
    EXPECT_EQ(trace.can.features.value(), features) << model::print_trace(trace);
  }
}

INSTANTIATE_TEST_SUITE_P(AccessArray, ArrayOn,
                         ::testing::Values("full", "no-atomics", "no-windows", "iwarp", "minimal",
                                           "short-messages"),
                         [](const auto& set) {
                           std::string name = set.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// On devices that refuse to re-register regions, too, the rows that are called instead have all
// triples of the rows that come to their operation. By brute force as above.
TEST(AccessArray, HasEveryTripleWithoutReRegistrationInRowsWithout) {
  for (auto [name, options] : impl::capability_sets()) {
    options.features &= ~(kReregTranslation | kReregPd | kReregAccess);
    impl::SimDevice device(options);
    std::set<ArrayTriple> possible, run;
    for (const auto& row : all_rows())
      if (says_something(row) && mishap(device, row).empty()) add_triples(row, possible);
    for (const auto& row : access_array(device.capabilities()).rows) {
      const auto rows = mishap(device, row).empty() ? std::vector<ArrayRow>{row} : unchanged(row);
      EXPECT_EQ(mishap(device, row, true), "") << name << ": " << array_row_name(row);
      for (const auto& one : rows) add_triples(one, run);
    }
    std::vector<ArrayTriple> missed;
    std::set_difference(possible.begin(), possible.end(), run.begin(), run.end(),
                        std::back_inserter(missed));
    EXPECT_THAT(missed, IsEmpty()) << name;
    std::printf("%.*s, not re-registering: all %zu triples\n", static_cast<int>(name.size()),
                name.data(), possible.size());
  }
}

}  // namespace
}  // namespace mrproof::property_tests
