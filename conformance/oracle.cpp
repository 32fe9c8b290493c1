#include "conformance/oracle.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "conformance/notation.hpp"

namespace mrproof {

using namespace model;

namespace {

std::uint64_t key_value(const KeyName& name, const State<Plain>& state) {
  if (name.kind == KeyName::Kind::value) return name.value;
  const auto& region = state.regions.at(name.mr);
  const auto key = name.kind == KeyName::Kind::lkey ? region.lkey : region.rkey;
  return key.value() ^ name.flip;
}

/// Whether every differing byte is one that the inexact transfer may have moved.
bool explained_by(const std::vector<ByteRun>& runs, const Transfer<Plain>& transfer,
                  const Memory& before) {
  const std::uint64_t to = transfer.to.value();
  const std::uint64_t length = transfer.length.value();
  return std::all_of(runs.begin(), runs.end(), [&](const ByteRun& run) {
    for (std::size_t i = 0; i < run.bytes.size(); ++i) {
      const std::uint64_t offset = run.address + i - to;
      if (offset >= length || run.bytes[i] != before.at(transfer.from.value() + offset))
        return false;
    }
    return true;
  });
}

}  // namespace

Oracle::Oracle(const Rulebook& book, const Setup& setup, const Capabilities<Plain>& can)
    : book_(&book), state_(initial_state(setup, can)) {}

void Oracle::resolve(Step& step) const {
  step.call.lkey = Plain::key(key_value(step.lkey, state_));
  step.call.rkey = Plain::key(key_value(step.rkey, state_));
}

const PlainCondition* Oracle::forbids(const Step& step) const {
  return book_->forbids(state_, step.call);
}

Judgement Oracle::check(Step& step, MemorySource& source) {
  const PlainView view{state_, step.call, step.result};
  if (step.call.verb == Verb::fill)
    memory_.fill(step.call.address.value(), step.call.length.value(), step.call.seed);
  const Judgement judgement = step.timed_out ? judge_hang(*book_, view) : judge(*book_, view);
  if (judgement.verdict == Verdict::deviates || judgement.verdict == Verdict::hang) {
    allowed_ = allowed(*book_, view);
    source.differences(memory_, step.bytes);
    return judgement;
  }
  const PlainRule& rule = *judgement.rule;
  const auto transfer = rule.transfer == nullptr ? Transfer<Plain>{} : rule.transfer(view);
  const Judgement bytes = check_bytes(step, rule, transfer, source);
  if (bytes.verdict == Verdict::deviates) allowed_ = allowed(*book_, view);
  advance(rule, view, state_);
  return bytes.verdict == Verdict::deviates ? bytes : judgement;
}

Judgement Oracle::check_bytes(Step& step, const PlainRule& rule, const Transfer<Plain>& transfer,
                              MemorySource& source) {
  if (transfer.exact) memory_.move(transfer);
  source.differences(memory_, step.bytes);
  Judgement judgement;
  if (step.bytes.empty()) return judgement;
  if (!transfer.exact && explained_by(step.bytes, transfer, memory_)) {
    for (const auto& run : step.bytes)
      for (std::size_t i = 0; i < run.bytes.size(); ++i)
        memory_.store(run.address + i, run.bytes[i]);
    return judgement;
  }
  judgement.verdict = Verdict::deviates;
  judgement.kind = DeviationClass::bytes;
  judgement.rule = &rule;
  judgement.add_broken(&kBytesAsPredicted);
  return judgement;
}

bool Oracle::recover(const Step& step, const Judgement& judgement) {
  if (judgement.verdict != Verdict::deviates || !step.bytes.empty()) return false;
  const auto& r = step.result;
  if (r.outcome == Outcome::ok) return false;
  if (step.call.verb == Verb::reg_mr) return true;
  const auto unknown = as_small<Plain>(QpState::unknown);
  if (!is_transfer(step.call.verb) || (r.qp_state == unknown).truth() ||
      (r.peer_state == unknown).truth())
    return false;
  const auto take_over = [](QueuePair<Plain>& qp, Plain::Small state, Plain::Small receive) {
    const auto none = as_small<Plain>(Outcome::none);
    const auto failed = state == as_small<Plain>(QpState::err);
    qp.posted = qp.posted & (receive == none) & !failed;
    qp.state = state;
  };
  take_over(state_.qps.at(step.call.qp), r.qp_state, r.own_receive);
  take_over(state_.qps.at(peer_of(step.call.qp)), r.peer_state, r.peer_receive);
  return true;
}

std::vector<std::string> Oracle::explain(const Step& step, const Judgement& judgement) const {
  std::vector<std::string> lines;
  std::string names;
  for (std::size_t i = 0; i < kOutcomes; ++i) {
    if (!allowed_.contains(static_cast<Outcome>(i))) continue;
    if (!names.empty()) names += ", ";
    names += print_outcome(static_cast<Outcome>(i), is_transfer(step.call.verb));
  }
  lines.push_back("allowed here: " + names);
  for (std::size_t i = 0; i < judgement.broken_count; ++i) {
    const auto& condition = *judgement.broken.at(i);
    const bool circumstance = condition.about == About::circumstance;
    lines.push_back(fmt::format("{}{}: {} [{}]", circumstance ? "" : "broken: ", condition.id,
                                condition.sentence, condition.source));
  }
  return lines;
}

}  // namespace mrproof
