#include "specs/prover/questions.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <utility>

namespace mrproof::specs {

using smt::Answer;
using smt::Literal;
using smt::Ref;
using smt::Reply;
using smt::Store;

namespace {

/// What the bit, or its negation, is the conjunction of: disjunctions are made the inner ones as
/// far as that stays short, so that each speaks of few objects.
std::vector<Ref> clauses(Ref bit, bool negated) {
  constexpr std::size_t kMost = 40;
  Store& store = Store::current();
  const smt::Node node = store.node(bit);
  if (node.op == smt::Op::negation) return clauses(node.args[0], !negated);
  const Ref whole = negated ? store.make(smt::Op::negation, bit) : bit;
  const bool both = node.op == smt::Op::conjunction;
  if (!both && node.op != smt::Op::disjunction) return {whole};
  auto left = clauses(node.args[0], negated);
  const auto right = clauses(node.args[1], negated);
  if (both != negated) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
  }
  if (left.size() * right.size() > kMost) return {whole};
  std::vector<Ref> all;
  for (const Ref a : left)
    for (const Ref b : right) all.push_back(store.make(smt::Op::disjunction, a, b));
  return all;
}

/// The clauses of bits that all hold.
std::vector<Ref> conjuncts(const std::vector<Ref>& all) {
  std::set<Ref> parts;
  for (const Ref bit : all)
    for (const Ref part : clauses(bit, false)) parts.insert(part);
  parts.erase(smt::kTrue);
  return {parts.begin(), parts.end()};
}

std::vector<Known::Print> prints_of(const std::vector<Ref>& bits) {
  std::vector<Known::Print> prints;
  for (const Ref bit : bits) prints.push_back(Store::current().fingerprint(bit));
  std::sort(prints.begin(), prints.end());
  return prints;
}

Reply proved() {
  Reply reply;
  reply.answer = Answer::unsatisfiable;
  return reply;
}

}  // namespace

/// One question.
class Questions::Search {
 public:
  Search(Questions& all, std::string name, Ref wanted, std::vector<Ref> assumptions)
      : all_(all),
        name_(std::move(name)),
        waiting_(std::move(assumptions)),
        skeleton_(all.options_),
        near_(all.objects_of(wanted)) {
    assume(wanted);
    const auto far = std::stable_partition(waiting_.begin(), waiting_.end(),
                                           [&](Ref bit) { return distance(bit) > 0; });
    for (auto bit = far; bit != waiting_.end(); ++bit) assume(*bit);
    waiting_.erase(far, waiting_.end());
  }

  /// Values that make what is wanted and all assumptions true, or that there are none.
  Reply run() {
    for (unsigned round = 0; round < all_.rounds_; ++round) {
      Reply reply = skeleton_.check();
      if (reply.answer == Answer::satisfiable && !consider(reply)) continue;
      reply.seconds = smt::cpu_seconds() - begin_;
      return reply;
    }
    return {Answer::limit, {}, {}, smt::cpu_seconds() - begin_, "too many rounds"};
  }

  /// After an answer: what was assumed that mattered, what was wanted aside.
  [[nodiscard]] std::vector<Ref> needed(const Reply& reply) const {
    std::vector<Ref> bits;
    for (const std::size_t place : reply.core)
      if (place != 0) bits.push_back(assumed_.at(place));
    return bits;
  }

 private:
  void assume(Ref bit) {
    skeleton_.assume(bit);
    assumed_.push_back(bit);
    meet(bit);
  }

  /// What is known of comparisons that the bit is made of is told to the skeleton.
  void meet(Ref bit) {
    const Store& store = Store::current();
    std::vector<Ref> comparisons;
    std::vector<Ref> todo{bit};
    while (!todo.empty()) {
      const Ref ref = todo.back();
      todo.pop_back();
      if (!seen_.insert(ref).second) continue;
      const auto& node = store.node(ref);
      if (node.width == 0) met_.emplace(store.fingerprint(ref), ref);
      if (store.compares_wide(ref)) comparisons.push_back(ref);
      for (std::size_t i = 0; i < smt::arity(node.op); ++i) todo.push_back(node.args.at(i));
    }
    for (const Ref comparison : comparisons)
      for (const auto& lemma : all_.known_.lemmas(store.fingerprint(comparison))) tell(*lemma);
  }

  void tell(const Known::Lemma& lemma) {
    if (told_.contains(&lemma)) return;
    std::vector<Literal> together;
    for (const auto& [print, holds] : lemma) {
      const auto found = met_.find(print);
      if (found == met_.end()) return;
      together.push_back({found->second, holds});
    }
    told_.insert(&lemma);
    skeleton_.exclude(together);
  }

  /// Whether the skeleton's candidate is an answer; else the skeleton or what is assumed has grown.
  bool consider(Reply& reply) {
    Candidate candidate(skeleton_);
    for (const Ref bit : assumed_) candidate.need(bit);
    const std::vector<Ref> comparisons = candidate.comparisons();
    std::vector<Ref> bits;
    for (const Ref comparison : comparisons) bits.push_back(candidate.resolved(comparison));
    const auto verdict = all_.arithmetic_.check(bits);
    if (verdict.answer == Answer::unsatisfiable) {
      for (const auto& core : verdict.cores) learn(candidate, comparisons, bits, core);
      return false;
    }
    reply.answer = verdict.answer;
    reply.trouble = verdict.trouble;
    if (verdict.answer == Answer::error) return true;
    reply.values = verdict.values;
    reply.values.resize(Store::current().names().size(), 0);
    fill(candidate, reply.values);
    if (verdict.answer != Answer::satisfiable) return all_hold(reply.values) && !assume_all();
    const auto truths = smt::evaluate(Store::current(), assumed_, reply.values);
    if (std::find(truths.begin(), truths.end(), 0U) != truths.end())
      throw std::logic_error(name_ + ": values that do not satisfy what they were found for");
    return all_hold(reply.values);
  }

  /// Assumes all that is left; whether there was something.
  bool assume_all() {
    if (waiting_.empty()) return false;
    for (const Ref bit : waiting_) assume(bit);
    waiting_.clear();
    return true;
  }

  /// The values of narrow unknowns.
  void fill(Candidate& candidate, smt::Assignment& values) const {
    const Store& store = Store::current();
    for (const Ref ref : seen_)
      if (store.node(ref).op == smt::Op::unknown && store.node(ref).width < 64)
        values.at(static_cast<std::size_t>(store.node(ref).value)) = candidate.value(ref);
  }

  /// Whether the assumptions that wait hold; those that do not wait no longer.
  bool all_hold(const smt::Assignment& values) {
    const auto truths = smt::evaluate(Store::current(), waiting_, values);
    std::vector<Ref> left;
    std::vector<Ref> broken;
    for (std::size_t i = 0; i < waiting_.size(); ++i)
      (truths[i] != 0 ? left : broken).push_back(waiting_[i]);
    if (broken.empty()) return true;
    // Those that bring few objects into play come first.
    std::size_t least = ~std::size_t{0};
    for (const Ref bit : broken) least = std::min(least, distance(bit));
    for (const Ref bit : broken) distance(bit) == least ? assume(bit) : left.push_back(bit);
    waiting_ = std::move(left);
    return false;
  }

  /// How many objects of the state the bit speaks of that the fact does not.
  std::size_t distance(Ref bit) {
    std::size_t count = 0;
    for (const std::string& object : all_.objects_of(bit)) count += near_.contains(object) ? 0 : 1;
    return count;
  }

  void learn(Candidate& candidate, const std::vector<Ref>& comparisons,
             const std::vector<Ref>& bits, const std::vector<std::size_t>& core) {
    const Store& store = Store::current();
    std::set<Literal> together;
    std::vector<Known::Print> of;
    smt::Question question{"lemma", {}};
    for (const std::size_t place : core) {
      const Ref comparison = comparisons.at(place);
      together.insert({comparison, candidate.value(comparison) != 0});
      of.push_back(store.fingerprint(comparison));
      for (const Literal& choice : candidate.choices(comparison)) together.insert(choice);
      question.all.push_back(bits.at(place));
    }
    auto lemma = std::make_shared<Known::Lemma>();
    for (const Literal& literal : together) {
      lemma->emplace_back(store.fingerprint(literal.bit), literal.holds);
      meet(literal.bit);
    }
    skeleton_.exclude({together.begin(), together.end()});
    told_.insert(lemma.get());
    if (all_.log_) all_.log_(question, Answer::unsatisfiable);
    all_.known_.add_lemma(std::move(lemma), of);
  }

  Questions& all_;
  std::string name_;
  std::vector<Ref> waiting_;
  smt::Skeleton skeleton_;
  const std::set<std::string> near_;  ///< objects of the fact
  std::vector<Ref> assumed_;
  std::unordered_set<Ref> seen_;
  std::map<Known::Print, Ref> met_;
  std::unordered_set<const Known::Lemma*> told_;
  const double begin_ = smt::cpu_seconds();
};

const std::set<std::string>& Questions::objects_of(Ref ref) {
  const auto [found, fresh] = objects_.try_emplace(ref);
  if (!fresh) return found->second;
  const Store& store = Store::current();
  constexpr std::string_view kState = "before.";
  for (const Ref part : store.cone({ref})) {
    if (store.node(part).op != smt::Op::unknown) continue;
    const auto& name = store.names().at(static_cast<std::size_t>(store.node(part).value));
    if (!name.starts_with(kState)) continue;
    const auto end = name.find('.', kState.size());
    found->second.insert(name.substr(kState.size(), end - kState.size()));
  }
  return found->second;
}

Questions::Questions(const smt::SolverOptions& options, Known& known, Log log, unsigned rounds)
    : options_(options),
      known_(known),
      log_(std::move(log)),
      rounds_(rounds),
      arithmetic_(options) {}

std::vector<Ref> Questions::parts_of(const std::vector<Ref>& assumptions) {
  return conjuncts(assumptions);
}

Reply Questions::follows(const std::string& name, const std::vector<Ref>& assumptions, Ref fact) {
  Store& store = Store::current();
  const Ref broken = store.make(smt::Op::negation, fact);
  if (broken == smt::kFalse) return proved();
  const auto parts = conjuncts(assumptions);
  if (std::find(parts.begin(), parts.end(), fact) != parts.end()) return proved();
  const auto print = store.fingerprint(fact);
  if (known_.follows(print, prints_of(parts))) return proved();
  Search search(*this, name, broken, parts);
  Reply reply = search.run();
  if (reply.answer == Answer::unsatisfiable) {
    auto needed = search.needed(reply);
    known_.add_proof(print, prints_of(needed));
    needed.push_back(broken);
    if (log_) log_({name, needed}, reply.answer);
  } else if (reply.answer == Answer::satisfiable && log_) {
    auto all = parts;
    all.push_back(broken);
    log_({name, all}, reply.answer);
  }
  return reply;
}

Reply Questions::possible(const std::string& name, const std::vector<Ref>& all) {
  Search search(*this, name, smt::kTrue, conjuncts(all));
  return search.run();
}

}  // namespace mrproof::specs
