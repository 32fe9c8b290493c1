#include "specs/prover/prover.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <thread>

#include "specs/prover/questions.hpp"
#include "specs/prover/step_questions.hpp"
#include "specs/theorems/all.hpp"

namespace mrproof::specs {

using smt::Answer;
using smt::Ref;
using smt::Store;

namespace {

/// Collects the answers of all threads.
class Results {
 public:
  explicit Results(const Progress& progress) : progress_(progress) {}
  void add(Obligation obligation) {
    const std::scoped_lock lock(mutex_);
    if (progress_) progress_(obligation);
    if (obligation.answer == Answer::satisfiable) refuted_ = true;
    all_.push_back(std::move(obligation));
  }
  std::vector<Obligation> take() { return std::move(all_); }
  /// Whether something is refuted.
  [[nodiscard]] bool refuted() const { return refuted_; }

 private:
  std::mutex mutex_;
  const Progress& progress_;
  std::vector<Obligation> all_;
  std::atomic<bool> refuted_ = false;
};

std::vector<Value> values_of(const smt::Assignment& values) {
  std::vector<Value> named;
  const auto& names = Store::current().names();
  for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
    named.push_back({names.at(i), values.at(i)});
  return named;
}

/// An obligation of which nothing is known yet.
Obligation heading(std::string subject, std::string shape, DialectSet dialects) {
  Obligation head;
  head.subject = std::move(subject);
  head.shape = std::move(shape);
  head.dialects = dialects;
  return head;
}

/// Proves all facts of one theorem about one subject.
class Prover {
 public:
  Prover(const ProofOptions& options, Questions& questions, Results& results)
      : options_(options), questions_(questions), results_(results) {}

  [[nodiscard]] bool wants(const char* theorem) const {
    return options_.theorem.empty() || options_.theorem == theorem;
  }

  void prove(const char* theorem, Obligation head, const Shape& shape,
             const std::vector<Ref>& assumptions, const std::vector<Fact<Terms>>& facts) {
    if (facts.empty() || (options_.changed && results_.refuted())) return;
    head.theorem = theorem;
    head.answer = Answer::unsatisfiable;
    for (const auto& fact : facts) {
      if (!options_.every_slot && !stands_for_others(shape, fact.of)) continue;
      const auto name = head.theorem + ": " + head.subject + ", " + head.shape + ", " + fact.of;
      auto given = assumptions;
      for (const auto bit : fact.given) given.push_back(bit.ref());
      const auto reply = questions_.follows(name, given, fact.holds.ref());
      head.seconds += reply.seconds;
      if (reply.seconds > head.worst) {
        head.worst = reply.seconds;
        head.slowest = fact.of;
      }
      if (reply.answer == Answer::unsatisfiable) continue;
      head.answer = reply.answer;
      head.trouble = reply.trouble;
      if (reply.answer == Answer::satisfiable)
        head.counterexample = Counterexample{fact.of, values_of(reply.values)};
      break;
    }
    results_.add(std::move(head));
  }

 private:
  const ProofOptions& options_;
  Questions& questions_;
  Results& results_;
};

void prove_steps(Prover& prover, const Row& row, const Shape& shape) {
  const StepWorld world(row, shape);
  const Obligation head = heading(row.id, text_of(shape), row.dialects);
  for (const auto& invariant : invariants<Terms>())
    if (world.changes_state() && prover.wants(invariant.name))
      prover.prove(invariant.name, head, shape, world.assumptions(), world.news(invariant));
  for (const auto& theorem : step_theorems<Terms>()) {
    if (!prover.wants(theorem.name)) continue;
    Facts<Terms> facts;
    theorem.facts(world.taken(), facts);
    prover.prove(theorem.name, head, shape, world.assumptions(), facts.all());
  }
}

/// The results of one verb's calls in one dialect.
void prove_choices(Prover& prover, const std::vector<Row>& rows, DialectSet dialect,
                   const Shape& shape) {
  const ChoiceWorld world(rows, dialect, shape);
  if (!world.has_rules()) return;
  const auto choice = world.choice();
  const auto name = model::kVerbNames.at(static_cast<std::size_t>(shape.verb));
  for (const auto& theorem : choice_theorems<Terms>()) {
    if (!prover.wants(theorem.name)) continue;
    Facts<Terms> facts;
    theorem.facts(choice, facts);
    prover.prove(theorem.name, heading(std::string(name), text_of(shape), dialect), shape,
                 world.assumptions(), facts.all());
  }
}

/// No objects but domains and queue pairs, as a trace's "given" lines say.
void prove_start(Prover& prover) {
  auto state = unknown_state("before.");
  std::vector<Ref> assumptions;
  for (auto& r : state.regions) r = {};
  for (auto& w : state.windows) w = {};
  state.demonstrated_access = state.demonstrated_features = Terms::flags(0);
  for (auto& q : state.qps) {
    auto domain = Terms::bit(false);
    for (std::size_t i = 0; i < Terms::kPds; ++i)
      domain = domain | ((q.pd == Terms::small(i)) & state.pds.at(i).live);
    assumptions.push_back(implies(q.live, domain).ref());
    q.state = Terms::small(model::QpState::rts);
    q.posted = q.two = Terms::bit(false);
    q.elements = {};
  }
  // Buffers lie at fixed places (model/trace/layout.hpp); the proof has them anywhere, but apart.
  for (auto& b : state.buffers) b.hole = Terms::bit(false);
  Facts<Terms> layout;
  InvariantFacts<Terms>::buffers_sound(state, layout);
  for (const auto& fact : layout.all()) assumptions.push_back(fact.holds.ref());
  for (const auto& invariant : invariants<Terms>()) {
    if (!prover.wants(invariant.name)) continue;
    Facts<Terms> facts;
    invariant.facts(state, facts);
    prover.prove(invariant.name, heading("at the start", "", kEveryDialect), {}, assumptions,
                 facts.all());
  }
}

void prove_lemmas(Prover& prover) {
  for (const auto& lemma : lemmas<Terms>()) {
    if (!prover.wants(lemma.name)) continue;
    Facts<Terms> facts;
    lemma.facts(facts);
    prover.prove(lemma.name, heading("numbers", "", kEveryDialect), {}, {}, facts.all());
  }
}

using Job = std::function<void(Prover&)>;

std::deque<Job> jobs_for(const std::vector<Row>& rows, const ProofOptions& options) {
  std::deque<Job> jobs;
  for (std::size_t v = 0; v < model::kVerbs; ++v) {
    const auto verb = static_cast<model::Verb>(v);
    if (options.changed.value_or(verb) != verb) continue;
    for (const Shape& shape : shapes_of(verb, options.every_slot)) {
      jobs.emplace_back([&rows, &options, verb, shape](Prover& prover) {
        for (const Row& row : rows)
          if (row.verb == verb && (row.change.is_one || !options.changed))
            prove_steps(prover, row, shape);
      });
      jobs.emplace_back([&rows, &options, shape](Prover& prover) {
        for (const DialectSet dialect : {1U, 2U, 4U})
          if ((options.dialects & dialect) != 0) prove_choices(prover, rows, dialect, shape);
      });
    }
  }
  if (options.changed) return jobs;
  std::reverse(jobs.begin(), jobs.end());  // the data path takes longest
  jobs.emplace_back(prove_start);
  jobs.emplace_back(prove_lemmas);
  return jobs;
}

}  // namespace

std::vector<Heading> theorems() {
  std::vector<Heading> all;
  for (const auto& t : step_theorems<Terms>()) all.push_back({t.name, t.sentence, "step"});
  for (const auto& t : invariants<Terms>()) all.push_back({t.name, t.sentence, "invariant"});
  for (const auto& t : choice_theorems<Terms>()) all.push_back({t.name, t.sentence, "results"});
  for (const auto& t : lemmas<Terms>()) all.push_back({t.name, t.sentence, "lemma"});
  return all;
}

std::vector<Obligation> prove(const std::vector<Row>& rows, const ProofOptions& options,
                              const Progress& progress) {
  Known known;
  return prove(rows, options, progress, known);
}

std::vector<Obligation> prove(const std::vector<Row>& rows, const ProofOptions& options,
                              const Progress& progress, Known& known) {
  const auto jobs = jobs_for(rows, options);
  Results results(progress);
  std::atomic<std::size_t> next = 0;
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < jobs.size(); i = next++) {
        const Store store;
        Questions questions(options.solver, known, options.log);
        Prover prover(options, questions, results);
        jobs.at(i)(prover);
      }
    } catch (...) {
      const std::scoped_lock lock(failing);
      failure = std::current_exception();
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < options.threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  if (failure) std::rethrow_exception(failure);
  return results.take();
}

}  // namespace mrproof::specs
