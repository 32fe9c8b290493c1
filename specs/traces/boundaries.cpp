#include "specs/traces/boundaries.hpp"

#include <array>
#include <cstdint>
#include <set>

namespace mrproof::specs {

using model::Call;
using model::Plain;
using model::State;

namespace {

/// Where something begins and where it ends (the byte behind it).
std::set<std::uint64_t> edges_of(const State<Plain>& state) {
  std::set<std::uint64_t> edges{0};
  const auto add = [&](const auto& first, const auto& last) {
    edges.insert(first.value());
    edges.insert(last.value() + 1);
  };
  for (const auto& b : state.buffers) {
    if (b.last.value() == 0) continue;
    add(b.first, b.last);
    if ((b.hole | b.read_only).truth()) add(b.hole_first, b.hole_last);
  }
  for (const auto& r : state.regions)
    if (r.live.truth()) add(r.first, r.last);
  for (const auto& w : state.windows)
    if (w.live.truth()) add(w.first, w.last);
  return edges;
}

/// A range of a call: where its address and its length stand.
struct Range {
  Plain::Address* address;
  Plain::Address* length;
};

std::array<Range, 4> ranges_of(Call<Plain>& call) {
  return {{{&call.address, &call.length},
           {&call.second.address, &call.second.length},
           {&call.remote, &call.length},
           {&call.iova, &call.length}}};
}

}  // namespace

std::vector<Step> at_boundaries(const State<Plain>& state, const Step& step) {
  std::vector<Step> all;
  const auto edges = edges_of(state);
  Step own = step;
  const auto count = ranges_of(own.call).size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto address = ranges_of(own.call).at(i).address->value();
    const auto length = ranges_of(own.call).at(i).length->value();
    if (address == 0 && length == 0) continue;
    const auto add = [&](std::uint64_t at, std::uint64_t bytes) {
      Step moved = step;
      const Range range = ranges_of(moved.call).at(i);
      *range.address = Plain::address(at);
      *range.length = Plain::address(bytes);
      all.push_back(moved);
    };
    for (const auto edge : edges)
      for (const std::uint64_t beside : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        add(edge + beside, length);
        add(edge + beside - length, length);
        if (edge + beside - address < (std::uint64_t{1} << 20))
          add(address, edge + beside - address);
      }
  }
  return all;
}

}  // namespace mrproof::specs
