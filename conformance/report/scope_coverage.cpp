#include "conformance/report/scope_coverage.hpp"

#include <fmt/format.h>

#include <deque>

#include "model/trace/key_value.hpp"
#include "property-tests/series/series.hpp"
#include "property-tests/series/tours.hpp"
#include "property-tests/walk/peer_gone.hpp"
#include "specs/explain/explain.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

constexpr const char* kUnanswered = "nobody answers: it would take seconds of retries";

}  // namespace

ScopeCoverage::ScopeCoverage(specs::Transitions& all)
    : all_(&all),
      doubts_(property_tests::least_doubts(all)),
      seen_(all.calls().size()),
      last_call_(all.calls().size()),
      last_rule_(all.book().rules().size()) {}

void ScopeCoverage::begin_case(const model::Setup& setup) {
  follows_ = way_known_ = setup == all_->scope().setup;
  way_.clear();
  last_call_ = seen_.size();
  last_rule_ = all_->book().rules().size();
}

void ScopeCoverage::step(const State<Plain>& before, const model::Step& step,
                         const Judgement& judgement) {
  if (!follows_) return;
  const auto call = all_->find_call(step);
  if (!call) {  // from here on the state may be one that the scope does not tell from others
    follows_ = false;
    return;
  }
  const auto none = seen_.size();
  const auto state = all_->find(before);
  if (state && last_call_ != none) seen_[last_call_].ends.insert(*state);
  if (state) visited_.insert(*state);
  if (state && way_known_) {
    const auto [way, is_first] = ways_.try_emplace(*state, way_);
    if (!is_first && way_.size() < way->second.size()) way->second = way_;
  }
  const specs::StateCall* made = state ? all_->find(*state, *call) : nullptr;
  const bool learnt = judgement.verdict == Verdict::conforms ||
                      judgement.verdict == Verdict::deviates ||
                      judgement.verdict == Verdict::unsupported;
  last_call_ = none;
  way_known_ = way_known_ && made != nullptr && learnt && judgement.verdict != Verdict::deviates;
  if (made == nullptr || !learnt) return;
  last_call_ = all_->index(*made);
  Seen& seen = seen_[last_call_];
  seen.made = true;
  if (judgement.verdict == Verdict::deviates) {
    seen.deviates.insert(model::print_annotation(model::annotate(judgement, step)));
    last_rule_ = all_->book().rules().size();
    return;
  }
  const auto rule = all_->book().index(*judgement.rule);
  seen.rules.insert(rule);
  way_.push_back({last_call_, rule});
  if (last_rule_ != all_->book().rules().size()) pairs_.emplace(last_rule_, rule);
  last_rule_ = rule;
}

/// Whether the device has gone that way.
bool ScopeCoverage::passes(const specs::StateCall& call, const specs::TransitionEnd& end) const {
  // One state can stand for several of the device's, so that it may do one thing now, another then.
  const Seen& seen = seen_[all_->index(call)];
  return seen.ends.contains(end.to) || (call.end_count == 1 && !seen.rules.empty());
}

std::string ScopeCoverage::trouble_in(const specs::StateCall& call,
                                      const std::vector<model::DeviationName>& known) const {
  model::Step step = all_->scope().calls[call.call];
  const auto state = specs::plain_state(all_->state(call.from));
  model::resolve_keys(step, state);
  const PlainView view{state, step.call, {}};
  if (property_tests::peer_gone(view)) return kUnanswered;
  if (!property_tests::is_known_trouble(known, all_->book(), view)) return "";
  return print_name(property_tests::trouble_name(all_->book(), view));
}

/// The states that the device comes to, as far as is known: by what was not tried it may come
/// anywhere.
std::vector<bool> ScopeCoverage::reachable(const std::vector<std::string>& trouble) const {
  std::vector<bool> reached(all_->states());
  std::deque<std::size_t> left;
  const auto reach = [&](std::size_t state) {
    if (!reached[state]) left.push_back(state);
    reached[state] = true;
  };
  for (reach(0); !left.empty(); left.pop_front())
    for (const specs::StateCall& call : all_->calls_in(left.front())) {
      const auto index = all_->index(call);
      if (!trouble[index].empty()) continue;
      for (const auto state : seen_[index].ends) reach(state);
      for (const auto& end : all_->ends(call))
        if (!seen_[index].made || passes(call, end)) reach(end.to);
    }
  return reached;
}

/// Why the device does not go that way.
std::string ScopeCoverage::barrier(const specs::StateCall& call, const specs::TransitionEnd& end,
                                   const std::string& trouble) const {
  const Seen& seen = seen_[all_->index(call)];
  if (!trouble.empty()) return "left out: " + trouble;
  if (!seen.deviates.empty()) return *seen.deviates.begin();
  const auto& rules = all_->book().rules();
  const auto& wanted = rules[all_->likely_rule(call, end)]->id;
  if (seen.rules.contains(all_->likely_rule(call, end)))
    return wanted + ", which the device takes now and then";
  return seen.rules.empty()
             ? wanted + " is never taken"
             : fmt::format("{} is taken, {} never is", rules[*seen.rules.begin()]->id, wanted);
}

/// Of each state that is not reached: what lies before it.
std::vector<std::string> ScopeCoverage::barriers(const std::vector<bool>& reached,
                                                 const std::vector<std::string>& trouble) const {
  std::vector<std::string> why(all_->states());
  std::deque<std::size_t> left;
  const auto pass_on = [&](std::size_t from, bool is_reached) {
    for (const specs::StateCall& call : all_->calls_in(from))
      for (const auto& end : all_->ends(call)) {
        if (reached[end.to] || !why[end.to].empty()) continue;
        why[end.to] = is_reached ? barrier(call, end, trouble[all_->index(call)]) : why[from];
        left.push_back(end.to);
      }
  };
  for (std::size_t i = 0; i < reached.size(); ++i)
    if (reached[i]) pass_on(i, true);
  for (; !left.empty(); left.pop_front()) pass_on(left.front(), false);
  return why;
}

std::string ScopeCoverage::name_of(const specs::StateCall& call) const {
  std::string state;
  for (const auto& line : specs::describe_state(specs::plain_state(all_->state(call.from))))
    state += (state.empty() ? "" : "; ") + line;
  return fmt::format("{} in state {} ({})", model::print_call(all_->scope().calls[call.call]),
                     call.from, state);
}

void ScopeCoverage::count_made(const specs::StateCall& call, ScopeFigures& figures) const {
  const Seen& seen = seen_[all_->index(call)];
  ++figures.calls_made;
  for (const auto& name : seen.deviates) ++figures.deviations[name];
  for (const auto& end : all_->ends(call))
    for (const auto rule : all_->rules(call, end)) {
      if (seen.rules.contains(rule))
        ++figures.transitions_taken;
      else if (seen.deviates.empty())
        ++figures.choices[all_->book().rules()[rule]->id];
    }
}

/// Pairs that this device has to have shown: of calls that were made, with what it did there.
void ScopeCoverage::count_pairs(ScopeFigures& figures) const {
  std::set<std::pair<std::size_t, std::size_t>> possible;
  for (const specs::StateCall& call : all_->calls()) {
    const Seen& seen = seen_[all_->index(call)];
    if (doubts_[call.from] > 1) continue;
    for (const auto& end : all_->ends(call)) {
      if (!passes(call, end)) continue;
      for (const auto first : all_->rules(call, end)) {
        if (!seen.rules.contains(first)) continue;
        for (const specs::StateCall& next : all_->calls_in(end.to))
          for (const auto second : seen_[all_->index(next)].rules) possible.emplace(first, second);
      }
    }
  }
  figures.pairs = possible.size();
  for (const auto& pair : possible) {
    if (pairs_.contains(pair))
      ++figures.pairs_met;
    else
      figures.pairs_missed.push_back(fmt::format("{} then {}", all_->book().rules()[pair.first]->id,
                                                 all_->book().rules()[pair.second]->id));
  }
}

ScopeFigures ScopeCoverage::figures(const std::vector<model::DeviationName>& known) const {
  ScopeFigures figures;
  model::Trace needs;
  needs.can = all_->scope().can;
  figures.lacking = property_tests::lacking(needs, can_);
  if (!figures.lacking.empty()) return figures;
  figures.states = all_->states();
  figures.states_visited = visited_.size();
  figures.calls = all_->calls().size();
  figures.transitions = all_->count();
  std::vector<std::string> trouble;
  for (const specs::StateCall& call : all_->calls())
    trouble.push_back(seen_[all_->index(call)].made ? "" : trouble_in(call, known));
  const auto reached = reachable(trouble);
  const auto why = barriers(reached, trouble);
  std::vector<std::size_t> missed;
  for (const specs::StateCall& call : all_->calls()) {
    const auto index = all_->index(call);
    if (seen_[index].made)
      count_made(call, figures);
    else if (!trouble[index].empty())
      ++figures.left_out[trouble[index]];
    else if (!reached[call.from])
      ++figures.behind[why[call.from]];
    else if (doubts_[call.from] > 1)
      ++figures.behind["whether a call succeeds, which the device decides now so, now otherwise"];
    else
      missed.push_back(index);
    if (reached[call.from] && trouble[index].empty()) figures.expected.push_back(index);
  }
  for (const auto index : missed) figures.missed.push_back(name_of(all_->calls()[index]));
  figures.missed_places = std::move(missed);
  count_pairs(figures);
  return figures;
}

}  // namespace mrproof::conformance
