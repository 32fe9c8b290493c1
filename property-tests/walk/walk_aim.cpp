#include "property-tests/walk/walk_aim.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "model/view.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

/// What speaks against a verb's success, each condition of the situation once.
struct Flaws {
  std::vector<Term<Plain>> broken;    ///< what success requires, broken
  std::vector<Term<Plain>> doubtful;  ///< other reasons for a refusal
};

Flaws flaws_of(const Rulebook& book, Verb verb) {
  Flaws flaws;
  const auto add = [&](const PlainCondition* condition, bool holds, auto& list) {
    if (condition->about != About::situation) return;
    const auto is_it = [&](const auto& flaw) { return flaw.condition == condition; };
    const auto in = [&](const auto& all) { return std::any_of(all.begin(), all.end(), is_it); };
    if (!in(flaws.broken) && !in(flaws.doubtful)) list.push_back({condition, holds});
  };
  if (const auto ok = book.rules(verb, Outcome::ok); !ok.empty())
    for (const auto& term : ok.front()->requires_all)
      add(term.condition, !term.holds, flaws.broken);
  for (std::size_t i = 1; i < kOutcomes; ++i)
    for (const PlainRule* rule : book.rules(verb, static_cast<Outcome>(i)))
      if (rule->weight != Weight::inconclusive)
        for (const auto& term : rule->reasons) add(term.condition, term.holds, flaws.doubtful);
  return flaws;
}

/// Those that hold, as bits.
std::uint64_t those_that_hold(const std::vector<Term<Plain>>& flaws, const PlainView& view) {
  std::uint64_t found = 0;
  std::uint64_t bit = 1;
  for (const auto& flaw : flaws) {
    if (flaw.condition->holds(view).truth() == flaw.holds) found |= bit;
    bit <<= 1U;
  }
  return found;
}

/// The same for each verb; rulebooks live as long as the program.
const Flaws& flaws_against(const Rulebook& book, Verb verb) {
  static const auto all = [] {
    std::map<const Rulebook*, std::array<Flaws, kVerbs>> tables;
    for (const auto dialect : kDialects)
      for (std::size_t i = 0; i < kVerbs; ++i) {
        const Rulebook& each = *find_rulebook(dialect);
        tables[&each].at(i) = flaws_of(each, static_cast<Verb>(i));
      }
    return tables;
  }();
  return all.at(&book).at(static_cast<std::size_t>(verb));
}

/// Where a range lies that leaves what has its key: faults of arithmetic are about the edges.
enum class Edge : std::uint8_t { unknown, inside, one_beyond, one_before, wraps, elsewhere };

template <class Holder>
Edge edge_of(const Holder& holder, const Target<Plain>& target) {
  if (target.contained(holder).truth()) return Edge::inside;
  const std::uint64_t first = holder.first.value();
  const std::uint64_t start = target.start.value();
  const std::uint64_t last = start + target.length.value() - 1;
  if (last < start) return Edge::wraps;
  if (start >= first && last == holder.last.value() + 1) return Edge::one_beyond;
  return start == first - 1 ? Edge::one_before : Edge::elsewhere;
}

/// Who has the key, and where the range lies in it.
std::uint64_t place_of(const State<Plain>& state, const Target<Plain>& target) {
  for (const auto& region : state.regions)
    if (target.finds(region).truth())
      return 8 + static_cast<std::uint64_t>(edge_of(region, target));
  if (target.kind == KeyKind::local) return 0;
  for (const auto& window : state.windows)
    if (target.finds(window).truth())
      return (window.two.truth() ? 16U : 24U) + static_cast<std::uint64_t>(edge_of(window, target));
  return 0;
}

/// What the checks of a posted receive would find, as bits, if a message came that fills it. The
/// rules look at it only then.
std::uint64_t receive_flaws(const PlainView& view) {
  std::uint64_t flaws = 0;
  for (std::size_t i = 0; i < view.call.elements; ++i) {
    const auto target = view.element(i, kLocalWrite);
    if (target.length.value() == 0) continue;
    const bool checks[] = {target.key_is_live().truth(), target.same_pd().truth(),
                           target.right_granted().truth(), target.in_bounds().truth(),
                           target.memory_there(true).truth()};
    for (std::size_t check = 0; check < std::size(checks); ++check)
      if (!checks[check]) flaws |= 1ULL << check;
  }
  return flaws;
}

}  // namespace

Attempt attempt_of(const Rulebook& book, const model::PlannedCall& step, const PlainView& view) {
  const Verb verb = step.call.verb;
  const Flaws& flaws = flaws_against(book, verb);
  const std::uint64_t broken =
      verb == Verb::post_recv ? receive_flaws(view) : those_that_hold(flaws.broken, view);
  const std::uint64_t doubtful = broken != 0 ? 0 : those_that_hold(flaws.doubtful, view);
  Attempt attempt;
  for (std::uint64_t left = broken; left != 0; left &= left - 1) ++attempt.flaws;
  if (doubtful != 0) attempt.flaws = 1;
  std::uint64_t mixed = static_cast<std::uint64_t>(verb) + 1;
  const auto add = [&](std::uint64_t value) {
    mixed = model::Random(mixed * 0x10001 + value).next();
  };
  add(broken);
  add(~doubtful);
  attempt.what = mixed;
  for (std::size_t i = 0; has_elements(verb) && i < step.call.elements; ++i)
    add(place_of(view.state, view.element(i, 0)));
  add(static_cast<std::uint64_t>(step.lkey.kind));
  if (is_remote(verb)) add(place_of(view.state, view.remote()));
  add(static_cast<std::uint64_t>(step.rkey.kind));
  attempt.how = mixed;
  return attempt;
}

}  // namespace mrproof::property_tests
