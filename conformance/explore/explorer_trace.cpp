// The way to a state: backwards by depth, then forwards in slots as the calls name them.
#include <algorithm>
#include <stdexcept>

#include "conformance/explore/explorer.hpp"
#include "conformance/explore/observed_step.hpp"

namespace mrproof {

std::vector<PackedState> Explorer::path_to(PackedState state, std::size_t depth) {
  std::vector<PackedState> path{state};
  Moves moves(ready_, codec_);
  for (; depth > 0; --depth) {
    std::optional<PackedState> before;
    // Depths are known modulo four, which is enough: nothing lies deeper than one level below.
    states_->each_at(static_cast<unsigned>(depth - 1), [&](PackedState from) {
      if (before) return;
      moves.each(from, [&](PackedState to, std::size_t, std::size_t) {
        if (to == path.back()) before = from;
      });
    });
    if (!before) throw std::logic_error("a state without a way to it");
    path.push_back(*before);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

Trace Explorer::trace_to(const Explored& ended) {
  Trace trace;
  trace.dialect = scope_.dialect;
  trace.setup = scope_.setup;
  trace.can = scope_.can;
  // Symmetry renames slots from state to state; the trace does not.
  Scope plain_scope = scope_;
  plain_scope.symmetry = false;
  const ReadyScope ready(plain_scope, masks_);
  StateCodec codec(plain_scope, masks_.defined_access());
  Moves moves(ready, codec);
  auto at = codec.pack(codec.initial());
  const auto path = path_to(ended.where, ended.counts.depth);
  for (std::size_t i = 1; i < path.size(); ++i) {
    std::optional<PackedState> next;
    moves.each(at, [&](PackedState to, std::size_t call, std::size_t rule) {
      if (next || codec_.pack(codec.unpack(to)) != path[i]) return;
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
      {&at, 1}, [](std::size_t, PackedState, std::size_t, const Answers::End&) {},
      [&](std::size_t, std::size_t call) { last = last ? last : call; });
  if (last) trace.steps.push_back(scope_.calls.at(*last));
  return trace;
}

}  // namespace mrproof
