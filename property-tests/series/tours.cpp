#include "property-tests/series/tours.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>

#include "specs/explore/observed_step.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
// What a step costs: the way is to be one on which a device is likely to stay. Of several the one
// is taken that stands first in the scope, so that its author can choose.
constexpr std::size_t kSettled = 1;  ///< it leads to one state
constexpr std::size_t kFails = 5;    ///< the same, and fails a queue pair
/// It cannot succeed, but other states are allowed; the strictest rule's is taken.
constexpr std::size_t kLikely = 5000;
constexpr std::size_t kDoubtful = 200000;   ///< the same of a call that may succeed, or not
constexpr std::size_t kUnlikely = 8000000;  ///< another rule's state is taken

/// How much a way of that cost leaves to the device.
unsigned doubt(std::size_t cost) {
  return cost < kLikely ? 0 : cost < kDoubtful ? 1 : cost < kUnlikely ? 2 : 3;
}

/// Pairs of situations, one bit each.
class SituationPairs {
 public:
  explicit SituationPairs(std::size_t count) : count_(count), known_(count * count) {}
  [[nodiscard]] bool has(std::size_t first, std::size_t second) const {
    return known_[first * count_ + second];
  }
  void add(std::size_t first, std::size_t second) { known_[first * count_ + second] = true; }

 private:
  std::size_t count_;
  std::vector<bool> known_;
};

/// The queue pairs that have failed in a state, a bit for each.
unsigned failed(const specs::WorldState& state) {
  unsigned bits = 0;
  for (std::size_t i = 0; i < state.qps.size(); ++i)
    if ((state.qps[i].state == QpState::err).truth()) bits |= 1U << i;
  return bits;
}

/// Makes the tours of one scope.
class TourMaker {
 public:
  TourMaker(const specs::Transitions& all, const TourOptions& options)
      : all_(all),
        options_(options),
        made_(all.calls().size()),
        met_(all.situations()),
        plain_left_(all.states()),
        left_(all.states()) {
    std::vector<unsigned> failed_in;
    for (std::size_t i = 0; i < all.states(); ++i) failed_in.push_back(failed(all.state(i)));
    for (const specs::StateCall& call : all.calls()) {
      const auto to = all.likely_end(call).to;
      fails_.push_back((failed_in[to] & ~failed_in[call.from]) != 0);
      plain_left_[call.from] += is_plain(call) ? 1 : 0;
      ++left_[call.from];
    }
    remaining_ = all.calls().size();
    for (const Way& way : all_ways()) least_doubt_.push_back(doubt(way.cost));
    find_pair_doubts();
  }

  [[nodiscard]] const std::vector<unsigned>& least_doubts() const { return least_doubt_; }

  std::vector<Tour> make() {
    while (remaining_ > 0) {
      begin();
      while (go_to_nearest(plain_left_, true)) make_some(true);
      if (go_to_nearest(left_, false)) make_some(false);
      extend();
      tours_.push_back(std::move(tour_));
    }
    add_pairs();
    return std::move(tours_);
  }

 private:
  /// Whether the call leads to one state, and fails no queue pair.
  [[nodiscard]] bool is_plain(const specs::StateCall& call) const {
    return call.end_count == 1 && !fails_[all_.index(call)];
  }
  [[nodiscard]] std::size_t cost(const specs::StateCall& call, std::size_t end) const {
    if (is_plain(call)) return kSettled;
    if (call.end_count == 1) return kFails + call.call;
    if (end != likely(call)) return kUnlikely;
    return (may_succeed(call) ? kDoubtful : kLikely) + call.call;
  }
  [[nodiscard]] std::size_t likely(const specs::StateCall& call) const {
    return static_cast<std::size_t>(&all_.likely_end(call) - all_.ends(call).data());
  }

  [[nodiscard]] bool may_succeed(const specs::StateCall& call) const {
    const auto ends = all_.ends(call);
    return std::any_of(ends.begin(), ends.end(), [&](const specs::TransitionEnd& end) {
      return all_.book().rules()[all_.likely_rule(call, end)]->outcome == Outcome::ok;
    });
  }

  /// The least doubt that a pair of situations can be made with.
  [[nodiscard]] std::uint32_t& pair_doubt(std::size_t first, std::size_t second) {
    return pair_doubt_[first * all_.situations() + second];
  }
  void find_pair_doubts() {
    pair_doubt_.assign(all_.situations() * all_.situations(), 0xff);
    for (const specs::StateCall& call : all_.calls())
      for (const auto& end : all_.ends(call))
        for (const specs::StateCall& next : all_.calls_in(end.to)) {
          auto& least = pair_doubt(all_.situation(call), all_.situation(next));
          least = std::min(least, static_cast<std::uint32_t>(least_doubt_[call.from]));
        }
  }
  /// Whether the call makes a pair with the situation before it that was not met, and with no more
  /// doubt than need be.
  [[nodiscard]] bool is_left(std::size_t before, const specs::StateCall& call,
                             unsigned doubt_before) {
    const auto situation = all_.situation(call);
    return !met_.has(before, situation) && doubt_before <= pair_doubt(before, situation);
  }

  void begin() {
    tour_.clear();
    at_ = 0;
    last_ = kNone;
    doubt_ = 0;
  }

  void step(const specs::StateCall& call, std::size_t end) {
    const auto& to = all_.ends(call)[end];
    const auto index = all_.index(call);
    tour_.push_back({index, end});
    // Whoever comes by here on a way with more doubt than need be may not come by here at all.
    const bool counts = doubt_ <= least_doubt_[call.from];
    if (!made_[index] && counts) {
      made_[index] = true;
      --remaining_;
      --left_[call.from];
      if (is_plain(call)) --plain_left_[call.from];
    }
    const auto situation = all_.situation(call);
    if (last_ != kNone && last_doubt_ <= pair_doubt(last_, situation)) met_.add(last_, situation);
    last_ = situation;
    last_doubt_ = doubt_;
    doubt_ = std::max(doubt_, doubt(cost(call, end)));
    at_ = to.to;
  }

  /// Goes on to the nearest state in which something is left; whether there is one within the
  /// tour's length. `sure`: only on ways that are settled.
  bool go_to_nearest(const std::vector<std::size_t>& left, bool sure) {
    const auto wanted = [&](std::size_t state, std::size_t cost_so_far) {
      return left[state] > 0 && std::max(doubt_, doubt(cost_so_far)) <= least_doubt_[state];
    };
    if (wanted(at_, 0)) return tour_.empty() || tour_.size() < options_.most_steps;
    const auto way = way_from(at_, wanted);
    if (way.empty()) return false;
    const bool settled = std::all_of(way.begin(), way.end(), [&](const TourStep& s) {
      return all_.calls()[s.call].end_count == 1;
    });
    if (!tour_.empty() && (tour_.size() + way.size() >= options_.most_steps || (sure && !settled)))
      return false;
    for (const TourStep& s : way) step(all_.calls()[s.call], s.end);
    return true;
  }

  /// Makes calls that are left in this state: plain ones until one leads away, or one other.
  void make_some(bool plain) {
    const auto from = at_;
    const specs::StateCall* away = nullptr;
    for (const specs::StateCall& call : all_.calls_in(from)) {
      if (made_[all_.index(call)] || (plain && !is_plain(call))) continue;
      if (!plain) return step(call, likely(call));
      const bool stays = all_.ends(call).front().to == from;
      if (!stays && away == nullptr) away = &call;
      if (stays && tour_.size() < options_.most_steps) step(call, 0);
    }
    if (away != nullptr && tour_.size() < options_.most_steps) step(*away, 0);
  }

  /// Goes on as long as the next call makes a pair of situations that was not met.
  void extend() {
    for (bool more = true; more && tour_.size() < options_.most_steps;) {
      more = false;
      for (const specs::StateCall& call : all_.calls_in(at_)) {
        if (!is_left(last_, call, last_doubt_)) continue;
        step(call, likely(call));
        more = true;
        break;
      }
    }
  }

  /// Tours for the pairs of situations that are left.
  void add_pairs() {
    const auto ways = all_ways();
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < all_.calls().size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return ways[all_.calls()[a].from].cost < ways[all_.calls()[b].from].cost;
    });
    for (const auto i : order) {
      const specs::StateCall& call = all_.calls()[i];
      for (std::size_t end = 0; end < call.end_count; ++end) {
        const auto next = all_.calls_in(all_.ends(call)[end].to);
        const auto wanted = [&](const specs::StateCall& then) {
          return is_left(all_.situation(call), then, least_doubt_[call.from]);
        };
        while (std::any_of(next.begin(), next.end(), wanted)) {
          begin();
          for (const TourStep& s : steps_to(ways, 0, call.from)) step(all_.calls()[s.call], s.end);
          step(call, end);
          extend();
          tours_.push_back(std::move(tour_));
        }
      }
    }
  }

  /// How a state is reached.
  struct Way {
    std::size_t cost = kNone;
    TourStep last;
    std::size_t before = kNone;  ///< the state before the last step
  };

  /// The cheapest ways, until one is found to a state that is wanted: then that is `wanted_`.
  template <class Wanted>
  std::vector<Way> cheapest_ways(std::size_t from, Wanted&& wanted) {
    using Entry = std::tuple<std::size_t, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    std::vector<Way> ways(all_.states());
    ways[from].cost = 0;
    queue.emplace(0, from);
    wanted_ = kNone;
    while (!queue.empty()) {
      const auto [cost_so_far, state] = queue.top();
      queue.pop();
      if (cost_so_far > ways[state].cost) continue;
      if (wanted(state, cost_so_far)) {
        wanted_ = state;
        return ways;
      }
      for (const specs::StateCall& call : all_.calls_in(state))
        for (std::size_t end = 0; end < call.end_count; ++end) {
          const auto to = all_.ends(call)[end].to;
          const auto sum = cost_so_far + cost(call, end);
          if (sum >= ways[to].cost) continue;
          ways[to] = {sum, {all_.index(call), end}, state};
          queue.emplace(sum, to);
        }
    }
    return ways;
  }

  std::vector<Way> all_ways() {
    return cheapest_ways(0, [](std::size_t, std::size_t) { return false; });
  }

  static std::vector<TourStep> steps_to(const std::vector<Way>& ways, std::size_t from,
                                        std::size_t to) {
    std::vector<TourStep> steps;
    for (; to != from; to = ways[to].before) steps.push_back(ways[to].last);
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  template <class Wanted>
  std::vector<TourStep> way_from(std::size_t from, Wanted&& wanted) {
    const auto ways = cheapest_ways(from, wanted);
    return wanted_ == kNone ? std::vector<TourStep>{} : steps_to(ways, from, wanted_);
  }

  const specs::Transitions& all_;
  const TourOptions& options_;
  std::vector<bool> fails_;  ///< of each call: whether it is likely to fail a queue pair
  std::vector<bool> made_;
  SituationPairs met_;
  std::vector<std::size_t> plain_left_, left_;  ///< by state: calls that were not made yet
  std::size_t remaining_ = 0;
  std::size_t wanted_ = kNone;
  std::vector<Tour> tours_;
  Tour tour_;
  std::size_t at_ = 0;
  std::vector<unsigned> least_doubt_;  ///< of the ways to each state
  unsigned doubt_ = 0;                 ///< of the tour so far
  unsigned last_doubt_ = 0;            ///< the same before the last call
  std::vector<std::uint32_t>
      pair_doubt_;            ///< the least that each pair of situations can be made with
  std::size_t last_ = kNone;  ///< situation of the call before
};

}  // namespace

std::vector<unsigned> least_doubts(const specs::Transitions& all) {
  const TourOptions options;
  return TourMaker(all, options).least_doubts();
}

std::vector<Tour> make_tours(const specs::Transitions& all, const TourOptions& options) {
  return TourMaker(all, options).make();
}

model::Trace tour_trace(const specs::Transitions& all, const Tour& tour) {
  const specs::Scope& scope = all.scope();
  model::Trace trace;
  trace.dialect = scope.dialect;
  trace.setup = scope.setup;
  trace.can = scope.can;
  for (const TourStep& step : tour) {
    const specs::StateCall& made = all.calls()[step.call];
    const auto& rule = *all.book().rules()[all.likely_rule(made, all.ends(made)[step.end])];
    trace.steps.push_back(specs::observed_step(scope, all.state(made.from), made.call, rule.id));
  }
  return trace;
}

TourGaps gaps_of(const specs::Transitions& all, const std::vector<Tour>& tours) {
  std::vector<bool> made(all.calls().size());
  SituationPairs met(all.situations());
  for (const Tour& tour : tours) {
    std::size_t last = kNone;
    for (const TourStep& step : tour) {
      const auto situation = all.situation(all.calls()[step.call]);
      made[step.call] = true;
      if (last != kNone) met.add(last, situation);
      last = situation;
    }
  }
  TourGaps gaps;
  for (const specs::StateCall& call : all.calls()) {
    if (!made[all.index(call)]) gaps.calls.push_back(all.index(call));
    for (const auto& end : all.ends(call))
      for (const specs::StateCall& then : all.calls_in(end.to)) {
        if (met.has(all.situation(call), all.situation(then))) continue;
        met.add(all.situation(call), all.situation(then));  // once is enough
        gaps.pairs.emplace_back(all.situation(call), all.situation(then));
      }
  }
  return gaps;
}

}  // namespace mrproof::property_tests
