// The way to a state: backwards by depth, then forwards in slots as the calls name them.
#include <optional>
#include <stdexcept>

#include "specs/explore/explorer.hpp"
#include "specs/explore/observed_step.hpp"

namespace mrproof::specs {

std::vector<std::set<PackedState>> Explorer::ways_to(PackedState state, std::size_t depth) {
  std::vector<std::set<PackedState>> ways(depth + 1);
  ways[depth].insert(state);
  Successors moves(ready_, codec_);
  for (; depth > 0; --depth)
    // Depths are known modulo four only: states that lie deeper by four, eight or more come along.
    // They have a way to `state`, too, but in fewer calls than these nobody gets there from the
    // first state, so that who goes forwards from that one meets none of them.
    states_->each_at(static_cast<unsigned>(depth - 1), [&](PackedState from) {
      bool leads = false;
      moves.each(from, [&](PackedState to, std::size_t, std::size_t) {
        leads = leads || ways[depth].contains(to);
      });
      if (leads) ways[depth - 1].insert(from);
    });
  return ways;
}

model::Trace Explorer::trace_to(const Explored& ended) {
  model::Trace trace;
  trace.dialect = scope_.dialect;
  trace.setup = scope_.setup;
  trace.can = scope_.can;
  // Symmetry renames slots from state to state; the trace does not.
  Scope plain_scope = scope_;
  plain_scope.symmetry = false;
  const ReadyScope ready(plain_scope, masks_);
  StateCodec codec(plain_scope, masks_.defined_access());
  Successors moves(ready, codec);
  auto at = codec.pack(codec.initial());
  const auto ways = ways_to(ended.where, ended.counts.depth);
  for (std::size_t i = 1; i < ways.size(); ++i) {
    std::optional<PackedState> next;
    moves.each(at, [&](PackedState to, std::size_t call, std::size_t rule) {
      if (next || !ways[i].contains(codec_.pack(codec.unpack(to)))) return;
      next = to;
      const auto& verb = *ready.calls()[call].verb;
      trace.steps.push_back(observed_step(scope_, codec.unpack(at), call, verb.rules[rule].id));
    });
    if (!next) throw std::logic_error("a state without a way from the one before it");
    at = *next;
  }
  if (!ended.call) return trace;
  std::optional<std::size_t> last;
  moves.each_end(
      {&at, 1}, [](std::size_t, PackedState, std::size_t, const SuccessorCache::End&) {},
      [&](std::size_t, std::size_t call, const char*) { last = last ? last : call; });
  if (last) trace.steps.push_back(scope_.calls.at(*last));
  return trace;
}

}  // namespace mrproof::specs
