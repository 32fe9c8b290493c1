#include "specs/prover/term_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "specs/prover/rows.hpp"

namespace mrproof::specs {

using smt::Node;
using smt::Op;
using smt::Ref;
using smt::Store;

namespace {

/// FNV-1a, since std::hash is another with each library.
std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

bool is_sum(Op op) { return op == Op::add || op == Op::subtract; }

bool may_be_exchanged(Op op) {
  return op == Op::conjunction || op == Op::disjunction || op == Op::bit_and || op == Op::bit_or;
}

}  // namespace

/// The kinds of what is joined by `op`, however it was put together; a sum's with their signs.
void TermKinds::take_apart(Ref ref, Op op, bool negated, std::vector<std::uint64_t>& parts) {
  const Node node = Store::current().node(ref);
  const bool joined = is_sum(op) ? is_sum(node.op) : node.op == op;
  if (!joined) {
    parts.push_back(negated ? ~kind(ref) : kind(ref));
    return;
  }
  take_apart(node.args[0], op, negated, parts);
  take_apart(node.args[1], op, negated != (node.op == Op::subtract), parts);
}

std::uint64_t TermKinds::kind(Ref ref) {
  if (const auto found = kinds_.find(ref); found != kinds_.end()) return found->second;
  const Store& store = Store::current();
  const Node node = store.node(ref);
  std::vector<std::uint64_t> parts;
  if (is_sum(node.op) || may_be_exchanged(node.op)) {
    take_apart(ref, node.op, false, parts);
  } else {
    for (std::size_t i = 0; i < smt::arity(node.op); ++i) parts.push_back(kind(node.args.at(i)));
  }
  if (is_sum(node.op) || may_be_exchanged(node.op) || node.op == Op::equal)
    std::sort(parts.begin(), parts.end());
  const Op op = is_sum(node.op) ? Op::add : node.op;
  std::string text = fmt::format("{} {}", static_cast<int>(op), node.width);
  if (node.op == Op::unknown)
    text += kind_of(store.names().at(static_cast<std::size_t>(node.value)));
  if (node.op == Op::constant) text += fmt::format("{}", static_cast<std::uint64_t>(node.value));
  for (const auto part : parts) text += fmt::format(" {}", part);
  return kinds_[ref] = hash_of(text);
}

}  // namespace mrproof::specs
