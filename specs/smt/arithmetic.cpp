#include "specs/smt/arithmetic.hpp"

#include <map>
#include <numeric>

#include "specs/smt/forms.hpp"

namespace mrproof::specs::smt {
namespace {

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

}  // namespace

/// Values are those of the store's unknowns; the core has places among all bits.
Reply Arithmetic::ask(const std::vector<Ref>& bits, const Places& part, bool exactly) {
  std::vector<Ref> own;
  for (const std::size_t place : part) own.push_back(bits[place]);
  Reply reply;
  if (!Integers::can_ask(own)) {
    if (exactly) reply = solver_.ask({"arithmetic", own});
  } else if (exactly) {
    reply = integers_.ask(own, true);
  } else {
    auto found = answered_.find(own);
    if (found == answered_.end()) found = answered_.emplace(own, integers_.ask(own, false)).first;
    reply = found->second;
  }
  for (std::size_t& place : reply.core) place = part[place];
  return reply;
}

/// Leaves out what is not needed.
Arithmetic::Places Arithmetic::smallest(const std::vector<Ref>& bits, Places core, bool exactly) {
  for (std::size_t i = core.size(); i-- > 0;) {
    Places fewer;
    for (std::size_t j = 0; j < core.size(); ++j)
      if (j != i) fewer.push_back(core[j]);
    if (ask(bits, fewer, exactly).answer == Answer::unsatisfiable) core = fewer;
  }
  return core;
}

void Arithmetic::refute_part(const std::vector<Ref>& bits, const Places& part, Verdict& verdict) {
  const Reply reply = ask(bits, part, false);
  if (reply.answer != Answer::unsatisfiable) return;
  verdict.answer = Answer::unsatisfiable;
  verdict.cores.push_back(smallest(bits, reply.core, false));
}

void Arithmetic::decide_part(const std::vector<Ref>& bits, const Places& part, Verdict& verdict) {
  Reply reply = ask(bits, part, true);
  if (reply.answer == Answer::unsatisfiable) {
    verdict.answer = Answer::unsatisfiable;
    verdict.cores.push_back(smallest(bits, reply.core, true));
    return;
  }
  if (verdict.values.size() < reply.values.size()) verdict.values.resize(reply.values.size());
  for (std::size_t i = 0; i < reply.values.size(); ++i)
    if (reply.values[i] != 0) verdict.values[i] = reply.values[i];
  if (verdict.answer == Answer::satisfiable) verdict.answer = reply.answer;
  verdict.trouble += reply.trouble;
}

Arithmetic::Verdict Arithmetic::check(const std::vector<Ref>& bits) {
  Verdict verdict;
  verdict.answer = Answer::satisfiable;
  const Free free(bits);
  const auto parts = parts_of(free.bits());
  for (const auto& part : parts) refute_part(free.bits(), part, verdict);
  if (verdict.answer == Answer::unsatisfiable) return verdict;
  for (const auto& part : parts) decide_part(free.bits(), part, verdict);
  if (verdict.answer != Answer::unsatisfiable) free.restore(verdict.values);
  return verdict;
}

}  // namespace mrproof::specs::smt
