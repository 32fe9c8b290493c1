#include "specs/smt/arithmetic.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "specs/smt/forms.hpp"

namespace mrproof::smt {
namespace {

constexpr std::size_t kMost = 20;  ///< comparisons of which it is worth while to shorten the sums

constexpr unsigned kQuick = 400'000;  ///< steps
constexpr unsigned kLong = 4'000'000;

bool decides(const Reply& reply) {
  return reply.answer == Answer::satisfiable || reply.answer == Answer::unsatisfiable;
}

std::set<Ref> unknowns_of(Ref bit) {
  const Store& store = Store::current();
  std::set<Ref> unknowns;
  for (const Ref ref : store.cone({bit}))
    if (store.node(ref).op == Op::unknown) unknowns.insert(ref);
  return unknowns;
}

using Unknowns = std::vector<std::set<Ref>>;

/// The first `count` places in the order in which they bring few new unknowns, from some on.
std::vector<std::size_t> grown(const Unknowns& unknowns, std::vector<std::size_t> order,
                               std::size_t count) {
  std::set<Ref> known;
  std::vector<bool> taken(unknowns.size());
  for (const std::size_t place : order) {
    known.insert(unknowns[place].begin(), unknowns[place].end());
    taken[place] = true;
  }
  while (order.size() < std::min(count, unknowns.size())) {
    std::pair<int, int> least{1000, 0};
    std::size_t next = 0;
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      if (taken[i]) continue;
      std::pair<int, int> fresh_and_not_shared{0, 0};
      for (const Ref unknown : unknowns[i])
        known.contains(unknown) ? --fresh_and_not_shared.second : ++fresh_and_not_shared.first;
      if (fresh_and_not_shared.second == 0 || fresh_and_not_shared >= least) continue;
      least = fresh_and_not_shared;
      next = i;
    }
    if (least.first == 1000) break;
    order.push_back(next);
    taken[next] = true;
    known.insert(unknowns[next].begin(), unknowns[next].end());
  }
  return order;
}

/// Places of bits that share unknowns, together.
std::vector<std::vector<std::size_t>> parts_of(const std::vector<Ref>& bits) {
  const Store& store = Store::current();
  std::vector<std::size_t> leader(bits.size());
  std::iota(leader.begin(), leader.end(), 0U);
  const auto find = [&](std::size_t i) {
    while (leader[i] != i) i = leader[i];
    return i;
  };
  std::map<Ref, std::size_t> seen;
  for (std::size_t i = 0; i < bits.size(); ++i)
    for (const Ref ref : store.cone({bits[i]})) {
      if (store.node(ref).op != Op::unknown) continue;
      const auto [at, fresh] = seen.try_emplace(ref, i);
      if (!fresh) leader[find(i)] = find(at->second);
    }
  std::map<std::size_t, std::vector<std::size_t>> parts;
  for (std::size_t i = 0; i < bits.size(); ++i) parts[find(i)].push_back(i);
  std::vector<std::vector<std::size_t>> all;
  for (auto& [first, part] : parts) all.push_back(std::move(part));
  return all;
}

/// The values of the numbered unknowns.
Assignment values_of(const Canonical& canonical, const Assignment& values) {
  Assignment own;
  for (const Ref number : canonical.numbered) {
    const auto index = static_cast<std::size_t>(Store::current().node(number).value);
    own.push_back(index < values.size() ? values[index] : 0);
  }
  return own;
}

}  // namespace

/// Values are those of the numbered unknowns, in their order; the core has places of its bits.
Reply Arithmetic::ask_anew(const Canonical& canonical, unsigned limit) {
  // What has an answer at all mostly has it soon.
  constexpr unsigned kFewSteps = 40'000;
  Reply reply = solver_.ask({"arithmetic", canonical.bits}, kFewSteps);
  if (reply.answer == Answer::satisfiable) reply.values = values_of(canonical, reply.values);
  if (decides(reply) || canonical.bits.size() > kMost + 6) return reply;
  const Shortened shortened(canonical.bits);
  reply = solver_.ask({"arithmetic", shortened.bits()}, limit);
  if (reply.answer == Answer::satisfiable) {
    shortened.restore(reply.values);
    reply.values = values_of(canonical, reply.values);
  }
  // What an equality gave away is needed, whatever the solver says.
  if (reply.answer == Answer::unsatisfiable)
    for (std::size_t i = 0; i < canonical.bits.size(); ++i)
      if (shortened.bits()[i] == kTrue) reply.core.push_back(i);
  return reply;
}

Reply Arithmetic::ask(const std::vector<Ref>& bits, const Places& part, unsigned limit) {
  std::vector<Ref> own;
  for (const std::size_t place : part) own.push_back(bits[place]);
  const Free free(own);
  const Canonical canonical(free.bits());
  auto key = canonical.key();
  Reply reply;
  if (!answered_.find(key, reply)) {
    reply = ask_anew(canonical, limit);
    if (decides(reply)) answered_.add(std::move(key), reply);
  }
  std::set<std::size_t> core;
  for (const std::size_t at : reply.core) core.insert(part[canonical.places.at(at)]);
  reply.core.assign(core.begin(), core.end());
  const Store& store = Store::current();
  Assignment values(store.names().size(), 0);
  for (std::size_t i = 0; i < reply.values.size(); ++i)
    values.at(static_cast<std::size_t>(store.node(canonical.unknowns[i]).value)) = reply.values[i];
  if (reply.answer == Answer::satisfiable) free.restore(values);
  reply.values = std::move(values);
  return reply;
}

Arithmetic::Verdict Arithmetic::refute(const std::vector<Ref>& bits, std::size_t goals) {
  Verdict verdict;
  verdict.answer = Answer::unknown;
  Unknowns unknowns;
  for (std::size_t i = 0; i < bits.size(); ++i) {
    unknowns.push_back(unknowns_of(bits[i]));
    if (bits[i] == kFalse) verdict.cores.push_back({i});
  }
  const auto attempt = [&](const Places& from, std::size_t count, unsigned limit) {
    if (!verdict.cores.empty()) return;
    const Reply reply = ask(bits, grown(unknowns, from, count), limit);
    if (reply.answer == Answer::unsatisfiable) verdict.cores.push_back(smallest(bits, reply.core));
  };
  Places all(std::min(goals, kMost - 4));
  std::iota(all.begin(), all.end(), 0U);
  goals = std::min(goals, bits.size());
  constexpr std::size_t kSeeds = 8;
  if (bits.size() > kMost)  // else all of them are few
    for (const std::size_t count : {6U, 9U, 12U})
      for (std::size_t seed = 0; seed < std::min(goals, kSeeds); ++seed)
        attempt({seed}, count, kQuick);
  if (goals > 0) attempt(all, kMost, kLong);
  if (goals > 0) attempt(all, kMost + 6, kLong);
  for (std::size_t seed = 0; seed < std::min(goals, kSeeds); ++seed) attempt({seed}, kMost, kQuick);
  if (!verdict.cores.empty()) verdict.answer = Answer::unsatisfiable;
  return verdict;
}

/// Leaves out what is not needed.
Arithmetic::Places Arithmetic::smallest(const std::vector<Ref>& bits, Places core) {
  for (std::size_t i = core.size(); i-- > 0;) {
    Places fewer;
    for (std::size_t j = 0; j < core.size(); ++j)
      if (j != i) fewer.push_back(core[j]);
    if (ask(bits, fewer, kQuick).answer == Answer::unsatisfiable) core = fewer;
  }
  return core;
}

void Arithmetic::check_part(const std::vector<Ref>& bits, const Places& part, unsigned limit,
                            Verdict& verdict) {
  Reply reply = ask(bits, part, kLong);
  if (!decides(reply) && part.size() > kMost) {
    std::vector<Ref> all;
    for (const std::size_t place : part) all.push_back(bits[place]);
    reply = solver_.ask({"arithmetic", all}, limit);
    for (std::size_t& place : reply.core) place = part[place];
  }
  if (reply.answer == Answer::unsatisfiable) {
    verdict.answer = Answer::unsatisfiable;
    verdict.cores.push_back(smallest(bits, reply.core));
    return;
  }
  if (verdict.values.size() < reply.values.size()) verdict.values.resize(reply.values.size());
  for (std::size_t i = 0; i < reply.values.size(); ++i)
    if (reply.values[i] != 0) verdict.values[i] = reply.values[i];
  if (verdict.answer == Answer::satisfiable) verdict.answer = reply.answer;
  verdict.trouble += reply.trouble;
}

Arithmetic::Verdict Arithmetic::check(const std::vector<Ref>& bits, unsigned limit) {
  Verdict verdict;
  verdict.answer = Answer::satisfiable;
  const Free free(bits);
  for (const auto& part : parts_of(free.bits())) check_part(free.bits(), part, limit, verdict);
  if (verdict.answer != Answer::unsatisfiable) free.restore(verdict.values);
  return verdict;
}

}  // namespace mrproof::smt
