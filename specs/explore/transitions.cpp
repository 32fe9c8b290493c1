#include "specs/explore/transitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "specs/symbolic/fields.hpp"

namespace mrproof::specs {

using namespace model;

Transitions::Transitions(const Scope& scope)
    : scope_(&scope),
      book_(find_rulebook(scope.dialect)),
      masks_(scope.dialect),
      codec_(scope, masks_.defined_access()),
      rule_places_(kVerbs) {
  if (scope.symmetry)
    throw model::TraceError(scope.file + ": a trace names slots; write 'symmetry none' for tours");
  for (std::size_t i = 0; i < scope.calls.size(); ++i)
    call_places_.try_emplace(model::print_call(scope.calls[i]), i);
  for (std::size_t verb = 0; verb < kVerbs; ++verb)
    for (const auto& rule : masks_.of(static_cast<Verb>(verb)).rules)
      rule_places_[verb].push_back(book_->index(*book_->find(rule.id)));
  const ReadyScope ready(scope, masks_);
  Successors moves(ready, codec_);
  states_.push_back(codec_.pack(codec_.initial()));
  numbers_[states_.front()] = 0;
  for (std::size_t at = 0; at < states_.size(); ++at) {
    first_call_.push_back(calls_.size());
    const PackedState from = states_[at];
    moves.each_end(
        {&from, 1},
        [&](std::size_t, PackedState to, std::size_t call, const SuccessorCache::End& end) {
          enter(at, to, call, end.rules);
        },
        [](std::size_t, std::size_t, const char*) {});
  }
  first_call_.push_back(calls_.size());
  number_situations();
}

void Transitions::number_situations() {
  std::map<std::pair<Verb, std::uint64_t>, std::size_t> numbers;
  for (const StateCall& made : calls_) {
    std::uint64_t open = 0;
    for (const auto& end : ends(made)) open |= end.rules;
    const auto verb = scope_->calls[made.call].call.verb;
    situation_.push_back(numbers.try_emplace({verb, open}, numbers.size()).first->second);
  }
  situations_ = numbers.size();
}

void Transitions::enter(std::size_t from, PackedState to, std::size_t call, std::uint64_t rules) {
  const auto [place, is_new] = numbers_.try_emplace(to, static_cast<std::uint32_t>(states_.size()));
  if (is_new) states_.push_back(to);
  if (calls_.empty() || calls_.back().from != from || calls_.back().call != call)
    calls_.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(call),
                      static_cast<std::uint32_t>(ends_.size()), 0});
  if (calls_.size() > kMost)
    throw model::TraceError(
        fmt::format("{}: more than {} calls in states are too many for tours; name "
                    "fewer values",
                    scope_->file, kMost));
  count_ += static_cast<std::size_t>(std::popcount(rules));
  const std::uint32_t number = place->second;
  // Two effects can lead to the same state.
  const auto known = std::find_if(ends_.begin() + calls_.back().first_end, ends_.end(),
                                  [&](const TransitionEnd& end) { return end.to == number; });
  if (known != ends_.end()) {
    known->rules |= rules;
    return;
  }
  ends_.push_back({number, rules});
  ++calls_.back().end_count;
}

const TransitionEnd& Transitions::likely_end(const StateCall& made) const {
  const auto all = ends(made);
  return *std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::countr_zero(a.rules) < std::countr_zero(b.rules);
  });
}

std::vector<std::size_t> Transitions::rules(const StateCall& made, const TransitionEnd& end) const {
  const auto verb = static_cast<std::size_t>(scope_->calls[made.call].call.verb);
  std::vector<std::size_t> places;
  for (auto left = end.rules; left != 0; left &= left - 1)
    places.push_back(rule_places_[verb][static_cast<std::size_t>(std::countr_zero(left))]);
  return places;
}

std::size_t Transitions::likely_rule(const StateCall& made, const TransitionEnd& end) const {
  const auto verb = static_cast<std::size_t>(scope_->calls[made.call].call.verb);
  return rule_places_[verb][static_cast<std::size_t>(std::countr_zero(end.rules))];
}

std::optional<std::size_t> Transitions::find(const State<Plain>& state) {
  WorldState own = codec_.initial();
  specs::state_fields(specs::copy_field, own, state);
  if (scope_->shown) {
    own.demonstrated_access = own.demonstrated_access | codec_.initial().demonstrated_access;
    own.demonstrated_features = own.demonstrated_features | codec_.initial().demonstrated_features;
  }
  const auto found = numbers_.find(codec_.pack(own));
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::size_t> Transitions::find_call(const model::Step& step) const {
  const auto found = call_places_.find(model::print_call(step));
  if (found == call_places_.end()) return std::nullopt;
  return found->second;
}

const StateCall* Transitions::find(std::size_t state, std::size_t call) const {
  const auto all = calls_in(state);
  const auto found = std::lower_bound(all.begin(), all.end(), call,
                                      [](const auto& made, auto c) { return made.call < c; });
  return found == all.end() || found->call != call ? nullptr : &*found;
}

}  // namespace mrproof::specs
