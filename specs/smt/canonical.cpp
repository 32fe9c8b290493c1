#include "specs/smt/canonical.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "specs/smt/forms.hpp"

namespace mrproof::smt {
namespace {

using Colour = std::uint64_t;
using Colours = std::unordered_map<Ref, Colour>;

Colour mix(Colour a, Colour b) {
  a = (a ^ (b + 0x9e3779b97f4a7c15ULL)) * 0xff51afd7ed558ccdULL;
  return a ^ (a >> 32U);
}

/// A number for the term that is the same whatever its unknowns are called, but for their colours.
Colour colour_of(const Store& store, Ref ref, const Colours& colours) {
  const Node& node = store.node(ref);
  const Colour kind = mix(static_cast<Colour>(node.op), node.width);
  if (node.op == Op::unknown) return mix(kind, colours.at(ref));
  if (node.op == Op::constant)
    return mix(mix(kind, static_cast<Colour>(node.value)), static_cast<Colour>(node.value >> 64U));
  if (node.op == Op::add || node.op == Op::subtract) {
    const Sum sum = sum_of(ref);
    Colour all = static_cast<Colour>(sum.rest);
    for (const auto& [leaf, times] : sum.of)
      all += mix(static_cast<Colour>(times), colour_of(store, leaf, colours));
    return mix(node.width, all);
  }
  const bool ordered = node.op == Op::less || node.op == Op::less_equal || node.op == Op::choice;
  Colour all = 0;
  for (std::size_t i = 0; i < arity(node.op); ++i) {
    const Colour arg = colour_of(store, node.args.at(i), colours);
    all += ordered ? mix(i + 1, arg) : mix(0, arg);
  }
  return mix(kind, all);
}

/// Tells unknowns apart by where they occur, as far as three looks tell.
Colours colours_of(const Store& store, const std::vector<Ref>& bits) {
  Colours colours;
  std::vector<std::vector<Ref>> unknowns;
  for (const Ref bit : bits) {
    unknowns.emplace_back();
    for (const Ref ref : store.cone({bit}))
      if (store.node(ref).op == Op::unknown) unknowns.back().push_back(ref);
    for (const Ref ref : unknowns.back()) colours.emplace(ref, 1);
  }
  for (int look = 0; look < 3; ++look) {
    Colours next = colours;
    for (std::size_t i = 0; i < bits.size(); ++i)
      for (const Ref unknown : unknowns[i]) {
        const Colour own = std::exchange(colours.at(unknown), 0x5bd1e995U);
        next.at(unknown) += mix(own, colour_of(store, bits[i], colours));
        colours.at(unknown) = own;
      }
    colours = std::move(next);
  }
  return colours;
}

}  // namespace

Canonical::Canonical(const std::vector<Ref>& of) {
  Store& store = Store::current();
  const Colours colours = colours_of(store, of);
  for (const auto& [unknown, colour] : colours) unknowns.push_back(unknown);
  std::sort(unknowns.begin(), unknowns.end(), [&](Ref a, Ref b) {
    return std::pair(colours.at(a), a) < std::pair(colours.at(b), b);
  });
  std::vector<Ref> renamed = of;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const unsigned width = store.node(unknowns[i]).width;
    numbered.push_back(
        store.unknown(width, std::to_string(width) + "-bit number " + std::to_string(i)));
    renamed = store.substitute(renamed, unknowns[i], numbered.back());
  }
  places.resize(of.size());
  std::iota(places.begin(), places.end(), 0U);
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return store.fingerprint(renamed[a]) < store.fingerprint(renamed[b]);
  });
  for (const std::size_t place : places) bits.push_back(renamed[place]);
}

std::vector<Fingerprint> Canonical::key() const {
  std::vector<Fingerprint> prints;
  for (const Ref bit : bits) prints.push_back(Store::current().fingerprint(bit));
  return prints;
}

bool Answered::find(const Key& key, Reply& reply) const {
  const std::scoped_lock lock(mutex_);
  const auto found = replies_.find(key);
  if (found == replies_.end()) return false;
  reply = found->second;
  reply.seconds = 0;
  return true;
}

void Answered::add(Key key, Reply reply) {
  const std::scoped_lock lock(mutex_);
  replies_.emplace(std::move(key), std::move(reply));
}

}  // namespace mrproof::smt
