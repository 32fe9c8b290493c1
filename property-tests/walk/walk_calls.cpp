#include "property-tests/walk/walk_calls.hpp"

#include <algorithm>

#include "model/access.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

constexpr std::uint64_t kMostLength = 0xffffffffU;
/// Regions larger than this are not made of one buffer: a null region, one of all memory.
constexpr std::uint64_t kHuge = 1ULL << 40U;

}  // namespace

bool CallMaker::worth(std::uint32_t features) {
  const auto there = state_.can.features.value() | state_.demonstrated_features.value();
  return (there & features) != 0 || random_.chance(12);
}

std::optional<std::uint32_t> CallMaker::live_region() {
  return one_of(state_.regions, [](const Region& r) { return r.live.truth(); });
}

std::optional<std::uint32_t> CallMaker::region_in(std::uint64_t pd, std::uint32_t right) {
  return one_of(state_.regions, [&](const Region& r) {
    return usable(r) && r.pd.value() == pd && (r.access.value() & right) == right;
  });
}

std::optional<std::uint32_t> CallMaker::region_without(std::uint64_t pd, std::uint32_t right) {
  return one_of(state_.regions, [&](const Region& r) {
    return usable(r) && r.pd.value() == pd && (r.access.value() & right) != right;
  });
}

std::uint64_t CallMaker::length_up_to(std::uint64_t room) {
  if (room == 0) return 0;
  const std::uint64_t wanted = random_.pick<std::uint64_t>(
      {1, 8, 64, random_.between(1, 256), random_.between(1, 256), 1024, 1025, model::kPageSize,
       model::kPageSize + 1, room, room, random_.between(1, room)});
  // A registration may be longer than the 32 bits of an element's length.
  return std::min({wanted, room, kMostLength});
}

std::optional<std::uint64_t> CallMaker::edge_of_hole(std::uint64_t from, std::uint64_t last) {
  const auto buffer = one_of(state_.buffers, [&](const auto& b) {
    return b.hole.truth() && b.first.value() <= last && from <= b.last.value();
  });
  if (!buffer) return std::nullopt;
  const auto& b = state_.buffers.at(*buffer);
  const std::uint64_t edge = random_.pick<std::uint64_t>(
      {b.hole_first.value(), b.hole_first.value() - 1, b.hole_last.value(), b.hole_last.value() + 1,
       b.hole_first.value() - model::kPageSize});
  if (edge < from || last < edge) return std::nullopt;
  return edge;
}

CallMaker::Side CallMaker::place(std::uint32_t region, model::KeyName::Kind kind) {
  const auto& r = state_.regions.at(region);
  std::uint64_t first = r.first.value();
  std::uint64_t last = r.last.value();
  if (last - first >= kHuge) {
    const auto buffer = random_.below(model::kBufferCount);
    first = model::buffer_address(buffer);
    last = first + model::buffer_size(buffer) - 1;
  }
  const std::uint64_t size = last - first + 1;
  // Pinned pages are there whatever became of the memory; others are not.
  const bool pinned = (r.access.value() & kOnDemand) == 0;
  if (pinned && random_.chance(15)) {
    const std::uint64_t memory = r.memory.value() + (first - r.first.value());
    if (const auto edge = edge_of_hole(memory, memory + size - 1))
      return {{kind, region, 0, 0}, first + (*edge - memory), first, last};
  }
  const std::uint64_t offset = std::min(
      size - 1,
      random_.pick<std::uint64_t>({0, 0, 1, size - 1, random_.below(size), random_.below(size)}));
  Side side{{kind, region, 0, 0}, first + offset, first, last};
  if (!pinned) keep_off_hole(side, r.memory.value() + (first - r.first.value()));
  return side;
}

/// Ends the side's room where pages are missing, if it begins before them; `memory`: its first
/// byte.
void CallMaker::keep_off_hole(Side& side, std::uint64_t memory) const {
  const std::uint64_t from = memory + (side.address - side.first);
  for (const auto& b : state_.buffers) {
    const std::uint64_t hole = b.hole_first.value();
    const std::uint64_t end = memory + (side.last - side.first);
    if (!b.hole.truth() || end < hole || b.hole_last.value() < from) continue;
    if (memory >= hole) continue;  // nothing before the hole
    if (from >= hole) side.address = side.first;
    side.last = side.first + (hole - 1 - memory);
  }
}

CallMaker::Side CallMaker::place_window(std::uint32_t window) {
  const auto& w = state_.windows.at(window);
  const std::uint64_t size = w.last.value() - w.first.value() + 1;
  const std::uint64_t offset =
      std::min(size - 1, random_.pick<std::uint64_t>({0, 0, 1, size - 1, random_.below(size)}));
  return {{model::KeyName::Kind::window_rkey, window, 0, 0},
          w.first.value() + offset,
          w.first.value(),
          w.last.value()};
}

std::optional<CallMaker::Side> CallMaker::local_side(std::uint32_t qp, std::uint32_t right) {
  const auto region = region_in(state_.qps.at(qp).pd.value(), right);
  if (!region) return std::nullopt;
  return place(*region, model::KeyName::Kind::lkey);
}

std::optional<CallMaker::Side> CallMaker::remote_side(std::uint32_t responder,
                                                      std::uint32_t right) {
  const auto pd = state_.qps.at(responder).pd.value();
  const auto window = one_of(state_.windows, [&](const Window& w) {
    return usable(w) && w.pd.value() == pd && (w.access.value() & right) == right &&
           (!w.two.truth() || w.qp.value() == responder);
  });
  const auto region = one_of(state_.regions, [&](const Region& r) {
    return usable(r) && !r.null.truth() && r.pd.value() == pd &&
           (r.access.value() & right) == right;
  });
  if (window && (!region || random_.chance(50))) return place_window(*window);
  if (!region) return std::nullopt;
  return place(*region, model::KeyName::Kind::rkey);
}

void CallMaker::spoil_bounds(Side& side, std::uint64_t& length) {
  const std::uint64_t first = side.first;
  const std::uint64_t size = side.last - first + 1;
  switch (random_.below(10)) {
    case 0:
    case 8:
    case 9: length = std::min(side.room() + 1, kMostLength); break;
    case 1: side.address = side.last + 1; break;
    case 2:
      side.address = side.last;
      length = std::max<std::uint64_t>(length, 2);
      break;
    case 3: side.address = first - 1; break;
    case 4:
      side.address = first - 1;
      length = std::min(size, kMostLength);
      break;
    case 5:  // start + length wraps around into the region
      side.address = first - random_.between(1, size);
      length = std::min(size, kMostLength);
      break;
    case 6:  // far above, so that offset + length wraps around 2^64 or 2^32
      side.address = random_.pick<std::uint64_t>({~std::uint64_t{0}, ~std::uint64_t{0} - length + 2,
                                                  first + (1ULL << 32U), first - (1ULL << 32U),
                                                  first ^ (1ULL << 63U)});
      break;
    default:
      length = std::min(longest_,
                        random_.pick<std::uint64_t>({0x10000, 1U << 20U, 1U << 31U, kMostLength}));
  }
}

/// Puts a region in the side's place that will not do: dead, of another PD, without the right.
bool CallMaker::spoil_by_region(Side& side, std::uint32_t qp, std::uint32_t right) {
  const auto pd = state_.qps.at(qp).pd.value();
  const bool remote = side.key.kind != model::KeyName::Kind::lkey;
  const auto kind = remote ? model::KeyName::Kind::rkey : model::KeyName::Kind::lkey;
  const auto which = random_.pick<unsigned>({0, 0, 0, 1, 2, 2, 3, 4});
  if (which == 4) {  // a null region seen from afar
    const auto null =
        one_of(state_.regions, [](const Region& r) { return r.live.truth() && r.null.truth(); });
    if (!null || !remote) return false;
    side =
        place(*null, random_.chance(50) ? model::KeyName::Kind::lkey : model::KeyName::Kind::rkey);
    return true;
  }
  if (which == 3) {  // a key from before a re-registration
    const auto moved = one_of(state_.regions, [&](const Region& r) {
      return usable(r) && r.old_rkey.value() != 0 && r.old_rkey.value() != r.rkey.value();
    });
    if (!moved) return false;
    side = place(*moved, remote ? model::KeyName::Kind::old_rkey : model::KeyName::Kind::old_lkey);
    return true;
  }
  const auto found = one_of(state_.regions, [&](const Region& r) {
    if (which == 0) return !r.live.truth() && r.lkey.value() != 0 && !r.empty.truth();
    if (which == 1) return usable(r) && r.pd.value() != pd && (r.access.value() & right) == right;
    return usable(r) && r.pd.value() == pd && (r.access.value() & right) != right;
  });
  if (!found) return false;
  if (which == 0)
    side.key = {kind, *found, 0, 0};
  else
    side = place(*found, kind);
  return true;
}

/// The same with a window: unbound, of another PD or queue pair, without the right, with a key of
/// before, as local key.
bool CallMaker::spoil_by_window(Side& side, std::uint32_t qp, std::uint32_t right) {
  const auto pd = state_.qps.at(qp).pd.value();
  const bool remote = side.key.kind != model::KeyName::Kind::lkey;
  const auto which = remote ? random_.pick<unsigned>({0, 1, 1, 2, 3, 3, 4, 4}) : 5;
  const auto found = one_of(state_.windows, [&](const Window& w) {
    const bool grants = (w.access.value() & right) == right;
    const bool known = w.rkey.value() != 0 && !w.undefined.truth();
    switch (which) {
      case 0: return usable(w) && w.pd.value() != pd && grants;
      case 1: return usable(w) && w.two.truth() && w.qp.value() != qp && grants;
      case 2: return usable(w) && w.pd.value() == pd && !grants;
      case 3:
        return known && w.last.value() != 0 && w.last.value() - w.first.value() < kHuge &&
               !(w.live.truth() && w.bound.truth());
      case 4: return usable(w) && w.old_rkey.value() != 0 && w.old_rkey.value() != w.rkey.value();
      default: return usable(w);
    }
  });
  if (!found) return false;
  side = place_window(*found);
  if (which == 4) side.key.kind = model::KeyName::Kind::old_window_rkey;
  return true;
}

/// Puts a region that is paged on demand in the side's place, where pages of it are missing.
bool CallMaker::spoil_by_hole(Side& side) {
  const auto memory_of = [](const Region& r) {
    return std::pair(r.memory.value(), r.memory.value() + (r.last.value() - r.first.value()));
  };
  const auto in_hole = [&](const Region& r) {
    const auto memory = memory_of(r);
    return std::any_of(state_.buffers.begin(), state_.buffers.end(), [&](const auto& b) {
      return b.hole.truth() && b.hole_first.value() <= memory.second &&
             memory.first <= b.hole_last.value();
    });
  };
  const auto found = one_of(state_.regions, [&](const Region& r) {
    return usable(r) && !r.null.truth() && (r.access.value() & kOnDemand) != 0 && in_hole(r);
  });
  if (!found) return false;
  const auto kind =
      side.key.kind == model::KeyName::Kind::lkey ? side.key.kind : model::KeyName::Kind::rkey;
  const Region& r = state_.regions.at(*found);
  const auto [from, last] = memory_of(r);
  const auto edge = edge_of_hole(from, last);
  const std::uint64_t offset = edge ? *edge - from : 0;
  side = {{kind, *found, 0, 0}, r.first.value() + offset, r.first.value(), r.last.value()};
  return true;
}

void CallMaker::spoil(Side& side, std::uint64_t& length, std::uint32_t qp, std::uint32_t right) {
  const auto which = random_.below(13);
  if (which == 12 && spoil_by_hole(side)) {
    length = std::max<std::uint64_t>(1, std::min(std::max(length, model::kPageSize), side.room()));
    return;
  }
  if (which == 0) {  // a neighbour of the key
    side.key.flip = random_.pick<std::uint32_t>({1, 2, 0x80, 0xff, 0x100, 0x80000000U});
  } else if (which == 1) {  // nobody's key
    side.key =
        model::KeyName{model::KeyName::Kind::value, 0, 0,
                       random_.pick<std::uint32_t>({0, 1, kMostLength & 0xffffffffU,
                                                    static_cast<std::uint32_t>(random_.next())})};
    return;
  } else if (which < 5) {
    spoil_by_region(side, qp, right);
  } else if (which < 9) {
    if (!spoil_by_window(side, qp, right)) spoil_by_region(side, qp, right);
  } else {
    return spoil_bounds(side, length);
  }
  length = std::max<std::uint64_t>(1, std::min(length, side.room()));
}

}  // namespace mrproof::property_tests
