#include "specs/traces/situations.hpp"

#include <algorithm>

#include "model/judge/judge.hpp"
#include "model/oracle/synthesize.hpp"
#include "model/trace/key_value.hpp"
#include "model/trace/layout.hpp"
#include "specs/traces/concrete_rules.hpp"

namespace mrproof::specs {

using model::Plain;

namespace {

impl::SimOptions options_of(std::string_view dialect) {
  impl::SimOptions options;
  options.dialect = dialect;
  return options;
}

impl::SimOptions options_of(std::string_view dialect, const model::Capabilities<Plain>& can) {
  impl::SimOptions options = options_of(dialect);
  options.claimed = static_cast<std::uint32_t>(can.claimed.value());
  options.max_message = can.max_message.value();
  // What devices cannot claim, it has.
  options.features =
      static_cast<std::uint32_t>(can.features.value()) | (options.features & ~impl::kSimClaimable);
  return options;
}

/// The other of the first two, if it is one of them.
std::uint32_t swapped(std::uint32_t slot) { return slot < 2 ? slot ^ 1U : slot; }

void swap_regions(model::KeyName& key) {
  using Kind = model::KeyName::Kind;
  if (key.kind != Kind::value && key.kind != Kind::window_rkey && key.kind != Kind::old_window_rkey)
    key.slot = swapped(key.slot);
}

void swap_buffers(Plain::Address& address) {
  const auto first = model::buffer_address(0) - model::kPageSize;
  const auto second = model::buffer_address(1) - model::kPageSize;
  const auto value = address.value();
  if (first <= value && value < second) address = Plain::address(value + model::kBufferStride);
  if (second <= value && value < second + model::kBufferStride)
    address = Plain::address(value - model::kBufferStride);
}

/// The trace with the first two regions in each other's place, or the first two buffers: a change
/// of the rules can be about one slot.
model::Trace renamed(model::Trace trace, bool regions, bool buffers) {
  for (model::Step& step : trace.steps) {
    auto& call = step.call;
    if (regions) {
      call.mr = swapped(call.mr);
      call.source = swapped(call.source);
      for (model::KeyName* key : {&step.lkey, &step.second, &step.rkey}) swap_regions(*key);
    }
    if (buffers)
      for (auto* address : {&call.address, &call.second.address, &call.remote, &call.iova})
        swap_buffers(*address);
  }
  return trace;
}

/// The trace with a pair of queue pairs, if they change nothing about its calls: what a step left
/// wrong can be seen through them.
model::Trace with_a_pair(model::Trace trace) {
  const bool frees =
      std::any_of(trace.steps.begin(), trace.steps.end(),
                  [](const model::Step& step) { return step.call.verb == Verb::dealloc_pd; });
  if (frees || !trace.setup.pd[0] || trace.setup.qp_pd[0] != model::Setup::kAbsent) return trace;
  trace.setup.qp_pd[0] = trace.setup.qp_pd[1] = 0;
  return trace;
}

/// Its buffers have fixed addresses.
std::mutex& device_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace

Reference::Reference(std::string_view dialect)
    : turn_(device_mutex()), device_(options_of(dialect)), can_(device_.capabilities()) {}

Reference::Reference(std::string_view dialect, const model::Capabilities<Plain>& can)
    : turn_(device_mutex()), device_(options_of(dialect, can)), can_(device_.capabilities()) {}

std::optional<Result<Plain>> Reference::answer(const Call<Plain>& call) {
  try {
    return device_.perform(call).result;
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
}

bool take_step(const model::Rulebook& book, const model::Step& step, State<Plain>& state) {
  const model::PlainView view{state, step.call, step.result};
  const auto judgement = model::judge(book, view);
  if (judgement.verdict == model::Verdict::deviates) return false;
  model::advance(*judgement.rule, view, state);
  return true;
}

std::optional<Situation> make_steps(const Proposal& proposal, const model::Rulebook& book,
                                    const Answer& answer) {
  Situation s;
  s.can = proposal.can;
  s.setup = proposal.setup;
  auto state = model::initial_state(s.setup, s.can, book.defined_access());
  const auto answered = [&](model::Step& step, const model::PlannedCall& planned) {
    static_cast<model::PlannedCall&>(step) = planned;
    model::resolve_keys(step, state);
    s.states.push_back(state);
    return ConcreteRules::fits(step.call) && book.forbids(state, step.call) == nullptr
               ? answer(s.steps.size(), state, step.call)
               : std::nullopt;
  };
  for (const model::PlannedCall& planned : proposal.steps) {
    model::Step step;
    const auto seen = answered(step, planned);
    if (!seen) return std::nullopt;
    s.steps.push_back(as_seen(step, *seen));
    if (!take_step(book, s.steps.back(), state)) return std::nullopt;
  }
  const auto seen = answered(s.next, proposal.last);
  if (!seen) return std::nullopt;
  s.seen = *seen;
  return s;
}

std::optional<Situation> make_steps(const Proposal& proposal, const model::Rulebook& book,
                                    Reference& reference) {
  reference.reset(proposal.setup);
  return make_steps(proposal, book, [&](std::size_t, const State<Plain>&, const Call<Plain>& c) {
    return reference.answer(c);
  });
}

std::vector<Result<Plain>> sound_answers(const model::Rulebook& book, const State<Plain>& state,
                                         const Call<Plain>& call) {
  std::vector<Result<Plain>> answers;
  for (std::size_t o = 0; o < model::kOutcomes; ++o)
    for (const auto* rule : book.rules(call.verb, static_cast<Outcome>(o))) {
      if (rule->weight != model::Weight::verdict) continue;
      if (const auto result = model::synthesize(*rule, state, call)) answers.push_back(*result);
    }
  return answers;
}

std::optional<Situation> make_steps_by_rules(const Proposal& proposal,
                                             const model::Rulebook& book) {
  const auto by_rule = [&](std::size_t i, const State<Plain>& state,
                           const Call<Plain>& call) -> std::optional<Result<Plain>> {
    if (i < proposal.steps.size()) {
      const auto* rule = book.find(proposal.rules.at(i));
      return rule == nullptr ? std::nullopt : model::synthesize(*rule, state, call);
    }
    const auto answers = sound_answers(book, state, call);
    return answers.empty() ? std::nullopt : std::optional(answers.front());
  };
  auto situation = make_steps(proposal, book, Answer(by_rule));
  if (situation) situation->truth = situation->states.back();
  return situation;
}

Situations::Situations(std::size_t dialect) {
  beginning_.dialect = model::kDialects.at(dialect);
  Reference reference(beginning_.dialect);
  beginning_.can = reference.can();
  const auto& book = *model::find_rulebook(beginning_.dialect);
  std::vector<model::Trace> traces;
  for (const StoredTrace& stored : stored_traces()) {
    model::Trace trace = model::parse_trace(stored.text, stored.name);
    if (trace.dialect == beginning_.dialect || trace.dialect == model::kDialects.front())
      traces.push_back(with_a_pair(std::move(trace)));
  }
  std::stable_sort(traces.begin(), traces.end(), [](const model::Trace& a, const model::Trace& b) {
    return a.steps.size() < b.steps.size();
  });
  for (const bool regions : {false, true})
    for (const bool buffers : {false, true})
      for (const model::Trace& trace : traces)
        follow(renamed(trace, regions, buffers), book, reference);
}

void Situations::follow(const model::Trace& trace, const model::Rulebook& book,
                        Reference& reference) {
  auto state = model::initial_state(trace.setup, beginning_.can, book.defined_access());
  reference.reset(trace.setup);
  Situation situation;
  situation.can = beginning_.can;
  situation.setup = trace.setup;
  std::string calls = model::print_setup(trace.setup);
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    model::Step step = trace.steps[i];
    model::resolve_keys(step, state);
    if (!book.has(step.call.verb) || !ConcreteRules::fits(step.call) ||
        book.forbids(state, step.call) != nullptr)
      return;
    const auto seen = reference.answer(step.call);
    if (!seen) return;
    situation.states.push_back(state);
    situation.next = step;
    situation.seen = *seen;
    situation.rest.assign(trace.steps.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                          trace.steps.end());
    calls += model::print_call(step) + "\n";
    // The result that a trace has may be another one where the call is the same.
    if (seen_.insert(calls + "-> " + model::print_result(step)).second) all_.push_back(situation);
    step = as_seen(step, *seen);
    if (!take_step(book, step, state)) return;
    situation.steps.push_back(std::move(step));
  }
}

model::Step as_seen(model::Step step, const Result<Plain>& result) {
  step.result = result;
  step.observed = step.call.verb != Verb::fill && step.call.verb != Verb::protect;
  step.keys_seen = model::tells_keys(step.call.verb, result);
  if (!model::is_transfer(step.call.verb) || result.outcome == Outcome::refused) {
    step.result.completion_matches = model::Bit(true);
    step.result.own_receive = step.result.peer_receive = Plain::small(Outcome::none);
  }
  step.bytes.clear();
  step.annotations.clear();
  step.remarks.clear();
  return step;
}

}  // namespace mrproof::specs
