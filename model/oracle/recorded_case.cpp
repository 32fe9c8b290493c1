#include "model/oracle/recorded_case.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mrproof::model {

namespace {

void append(std::uint64_t address, std::byte value, std::vector<ByteRun>& runs) {
  if (runs.empty() || runs.back().address + runs.back().bytes.size() != address)
    runs.push_back({address, {}});
  runs.back().bytes.push_back(value);
}

/// All but the low byte, which binds change: what tells objects apart.
std::uint64_t index_of_key(const Plain::Key& key) { return key.value() >> 8U; }

/// As ibv_inc_rkey(3) makes it: the low byte goes on by one, the others stay.
Plain::Key next_of(const Plain::Key& key) {
  const auto low = Plain::key(0xff);
  return (key & ~low) | ((key + Plain::key(1)) & low);
}

}  // namespace

void RecordedMemory::differences(const Memory& expected, std::vector<ByteRun>& runs) {
  for (const auto& run : recorded_)
    for (std::size_t i = 0; i < run.bytes.size(); ++i)
      if (Memory::contains(run.address + i, 1) && expected.at(run.address + i) != run.bytes[i])
        append(run.address + i, run.bytes[i], runs);
}

KeyGiver::KeyGiver(const Trace& trace) {
  for (const auto& step : trace.steps) {
    if (!step.keys_seen) continue;
    told_.push_back(index_of_key(step.result.lkey));
    told_.push_back(index_of_key(step.result.rkey));
  }
}

void KeyGiver::give(Step& step, const State<Plain>& state) {
  const Verb verb = step.call.verb;
  auto& r = step.result;
  if (step.keys_seen || !tells_keys(verb, r)) return;
  if (verb == Verb::rereg_mr) {
    r.lkey = state.regions.at(step.call.mr).lkey;
    r.rkey = state.regions.at(step.call.mr).rkey;
  } else if (is_bind(verb)) {
    const auto& window = state.windows.at(step.call.mw);
    r.rkey = window.two.truth() ? step.call.rkey : next_of(window.rkey);
  } else {
    r.rkey = fresh();
    if (tells_lkey(verb)) r.lkey = r.rkey;
  }
}

Plain::Key KeyGiver::fresh() {
  do ++next_;
  while (std::find(told_.begin(), told_.end(), next_) != told_.end());
  return Plain::key(next_ << 8U);
}

RecordedCase::RecordedCase(const Trace& trace, const Rulebook& book, Keys keys)
    : steps_(trace.steps), oracle_(book, trace.setup, trace.can) {
  if (keys == Keys::given) keys_.emplace(trace);
}

Step* RecordedCase::next() {
  if (count_ == steps_.size()) return nullptr;
  step_ = steps_[count_++];
  oracle_.resolve(step_);
  return &step_;
}

bool RecordedCase::has_result() const {
  return step_.observed || step_.call.verb == Verb::fill || step_.call.verb == Verb::protect;
}

void RecordedCase::check_callable(const std::string& file) const {
  if (const auto* precondition = oracle_.forbids(step_))
    fail(file, fmt::format("this call may not be made here, since it does not hold that {}",
                   precondition->sentence));
}

void RecordedCase::fail(const std::string& file, const std::string& what) const {
  throw TraceError(fmt::format("{}:{}:1: {}", file, step_.line, what));
}

Judgement RecordedCase::judge() {
  if (keys_) keys_->give(step_, oracle_.state());
  RecordedMemory memory(step_);
  return oracle_.check(step_, memory);
}

Oracle oracle_before(const Trace& trace, const Rulebook& book, std::size_t count) {
  RecordedCase recorded(trace, book);
  for (std::size_t i = 0; i < count && recorded.next() != nullptr; ++i) {
    recorded.judge();
    if (recorded.oracle().lost()) break;
  }
  return recorded.oracle();
}

}  // namespace mrproof::model
