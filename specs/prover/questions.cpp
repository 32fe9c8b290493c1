#include "specs/prover/questions.hpp"

#include <algorithm>
#include <utility>

namespace mrproof::specs {

using smt::Answer;
using smt::Ref;
using smt::Reply;
using smt::Store;

namespace {

constexpr unsigned kMostCases = 9;  ///< as a power of two

/// What an unknown belongs to: "mw0" of "before.mw0.first"; of a call's, itself.
std::string object_of(const std::string& name) {
  constexpr std::string_view kState = "before.";
  if (!name.starts_with(kState)) return name;
  return name.substr(kState.size(), name.find('.', kState.size()) - kState.size());
}

/// Whether the object is no part of the state.
bool is_argument(const std::string& object) {
  return object.starts_with("call.") || object.starts_with("result.");
}

/// The conjuncts of bits that all hold.
std::vector<Ref> conjuncts(const std::vector<Ref>& all) {
  const Store& store = Store::current();
  std::vector<Ref> todo = all;
  std::vector<Ref> parts;
  while (!todo.empty()) {
    const Ref ref = todo.back();
    todo.pop_back();
    if (store.node(ref).op == smt::Op::conjunction) {
      todo.push_back(store.node(ref).args[0]);
      todo.push_back(store.node(ref).args[1]);
    } else {
      parts.push_back(ref);
    }
  }
  return parts;
}

}  // namespace

bool Known::contains(const Key& key) const {
  const std::scoped_lock lock(mutex_);
  return proved_.contains(key);
}

void Known::add(Key key) {
  const std::scoped_lock lock(mutex_);
  proved_.insert(std::move(key));
}

Questions::Questions(const smt::SolverOptions& options, Known& known, Log log)
    : solver_(options), known_(known), log_(std::move(log)) {}

const Questions::Objects& Questions::objects_of(Ref ref) {
  const auto [found, fresh] = objects_.try_emplace(ref);
  if (fresh) {
    const Store& store = Store::current();
    for (const Ref part : store.cone({ref})) {
      if (store.node(part).op != smt::Op::unknown) continue;
      auto object = object_of(store.names().at(static_cast<std::size_t>(store.node(part).value)));
      found->second.insert(std::move(object));
    }
  }
  return found->second;
}

Reply Questions::ask(const std::string& name, std::vector<Ref> all, bool final) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::erase(all, smt::kTrue);
  Known::Key key;
  for (const Ref bit : all) key.push_back(Store::current().fingerprint(bit));
  std::sort(key.begin(), key.end());
  if (known_.contains(key)) {
    Reply reply;
    reply.answer = Answer::unsatisfiable;
    return reply;
  }
  const smt::Question question{name, std::move(all)};
  Reply reply = solver_.ask(question);
  if (reply.answer == Answer::unsatisfiable) known_.add(std::move(key));
  if (log_ && (final || reply.answer == Answer::unsatisfiable)) log_(question, reply.answer);
  return reply;
}

Reply Questions::by_cases(const std::string& name, const std::vector<Ref>& all,
                          const std::vector<Ref>& chosen, unsigned depth) {
  Store& store = Store::current();
  // Most cases cannot be, and that seldom takes arithmetic to see.
  const Reply plain = ask(name, store.without_orderings(all), false);
  if (plain.answer == Answer::unsatisfiable) return plain;
  const Ref bit = depth == 0 ? smt::kFalse : store.most_chosen_by(chosen);
  if (bit == smt::kFalse) {
    Reply reply = ask(name, all, true);
    reply.seconds += plain.seconds;
    return reply;
  }
  Reply total;
  total.seconds = plain.seconds;
  total.answer = Answer::unsatisfiable;
  for (const bool value : {true, false}) {
    auto decided = store.decide(all, bit, value);
    decided.push_back(value ? bit : store.make(smt::Op::negation, bit));
    Reply reply = by_cases(name, decided, store.decide(chosen, bit, value), depth - 1);
    total.seconds += reply.seconds;
    if (reply.answer == Answer::unsatisfiable) continue;
    reply.seconds = total.seconds;
    return reply;
  }
  return total;
}

Reply Questions::follows(const std::string& name, const std::vector<Ref>& assumptions, Ref fact) {
  Store& store = Store::current();
  const Ref broken = store.make(smt::Op::negation, fact);
  if (broken == smt::kFalse) {
    Reply reply;
    reply.answer = Answer::unsatisfiable;
    return reply;
  }
  const auto parts = conjuncts(assumptions);
  double seconds = 0;
  for (const auto nearness : {Near::same_arguments, Near::same_objects, Near::any}) {
    std::vector<Ref> asked{broken};
    for (const Ref part : parts)
      if (is_near(part, fact, nearness)) asked.push_back(part);
    Reply reply = by_cases(name, asked, {broken}, kMostCases);
    seconds += reply.seconds;
    reply.seconds = seconds;
    if (reply.answer == Answer::unsatisfiable || nearness == Near::any) return reply;
  }
  return {};
}

bool Questions::is_near(Ref assumption, Ref fact, Near nearness) {
  if (nearness == Near::any) return true;
  const Objects near = objects_of(fact);
  const Objects& of = objects_of(assumption);
  return std::all_of(of.begin(), of.end(), [&](const std::string& object) {
    return near.contains(object) || (nearness == Near::same_objects && is_argument(object));
  });
}

Reply Questions::possible(const std::string& name, const std::vector<Ref>& all) {
  return ask(name, all, true);
}

}  // namespace mrproof::specs
