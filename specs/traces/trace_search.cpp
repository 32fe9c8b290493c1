#include "specs/traces/trace_search.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/alphabet/small_calls.hpp"
#include "model/judge/judge.hpp"
#include "model/oracle/judge_trace.hpp"
#include "model/oracle/synthesize.hpp"
#include "model/trace/key_value.hpp"
#include "model/trace/layout.hpp"
#include "specs/explain/explain_deviation.hpp"
#include "specs/prover/prover.hpp"
#include "specs/theorems/all.hpp"
#include "specs/traces/goals.hpp"

namespace mrproof::specs {

using model::Plain;
using Seen = Result<Plain>;

namespace {

bool same_state(const State<Plain>& a, const State<Plain>& b) {
  bool same = true;
  state_fields(
      [&](const std::string&, const auto& x, const auto& y) { same = same && (x == y).truth(); }, a,
      b);
  return same;
}

bool same_device(const model::Capabilities<Plain>& a, const model::Capabilities<Plain>& b) {
  return a.claimed.value() == b.claimed.value() && a.features.value() == b.features.value() &&
         a.max_message.value() == b.max_message.value();
}

/// Whether a person sees the same; keys are what the device likes.
bool looks_alike(const Seen& a, const Seen& b) {
  bool same = a.outcome == b.outcome;
  result_fields([&](const std::string& path, const auto& x,
                    const auto& y) { same = same && (path.ends_with("key") || (x == y).truth()); },
                a, b);
  return same;
}

/// The state with the keys that were told: what programs know, whatever the rules make of it.
void note_keys(State<Plain>& state, const Call<Plain>& call, const Seen& seen) {
  if (!model::tells_keys(call.verb, seen)) return;
  if (model::tells_lkey(call.verb)) {
    const bool again = call.verb == Verb::rereg_mr;
    state.regions.change(call.mr, [&](auto& r) {
      r.old_lkey = again ? r.lkey : Plain::key(0);
      r.old_rkey = again ? r.rkey : Plain::key(0);
      r.lkey = seen.lkey;
      r.rkey = seen.rkey;
    });
    return;
  }
  state.windows.change(call.mw, [&](auto& w) {
    w.old_rkey = model::is_bind(call.verb) ? w.rkey : Plain::key(0);
    w.rkey = seen.rkey;
  });
}

std::string sentence_of(const std::string& theorem) {
  for (const auto& heading : theorems())
    if (heading.name == theorem) return heading.sentence;
  return theorem;
}

}  // namespace

const char* words_for(Wrong wrong) {
  switch (wrong) {
    case Wrong::allowed: return "the rules in question allow this result";
    case Wrong::forbidden: return "the rules in question do not allow this result";
    default: return "the state that the rules in question leave is wrong";
  }
}

/// One search.
class TraceSearch::Looker {
 public:
  Looker(TraceSearch& search, const std::vector<Row>& rows, std::string theorem,
         const std::string& subject)
      : search_(search),
        book_(*model::find_rulebook(model::kDialects.at(search.dialect_))),
        rows_(rows),
        concrete_(rows, 1U << search.dialect_),
        theorem_(std::move(theorem)),
        asked_{theorem_},
        subject_(subject),
        verb_(subject.substr(0, subject.find('.'))) {
    const auto choices = choice_theorems<Terms>();
    about_results_ = std::any_of(choices.begin(), choices.end(),
                                 [&](const auto& t) { return theorem_ == t.name; });
  }

  /// Among the calls of scenarios; then, if nothing else will do, among others.
  std::optional<Shown> run() {
    look_at_scenarios();
    if (!shows_enough()) stand_in();
    own_results_ = true;
    followed_ = 0;
    if (!shows_enough()) look_at_scenarios();
    if (!shows_enough()) look_at_proposals();
    return best_;
  }

 private:
  [[nodiscard]] bool shows_enough() const { return best_ && best_->wrong != Wrong::left; }

  static std::string_view name_of(Verb verb) {
    return model::kVerbNames.at(static_cast<std::size_t>(verb));
  }

  void look_at_scenarios() {
    for (const Situation& s : search_.situations_.all())
      if (name_of(s.next.call.verb) == verb_ && prefix_stays(s) && look(s, s.next, true)) break;
    reference_.reset();
  }

  /// Looks what other theorem about the subject is broken.
  void stand_in() {
    std::vector<std::string> others;
    for (const Heading& other : theorems())
      if (other.name != theorem_ && other.kind != "lemma" &&
          (other.kind == "results") == about_results_)
        others.push_back(other.name);
    std::swap(asked_, others);
    look_at_scenarios();
    std::swap(asked_, others);
  }

  /// Whether the rows in question take the steps as the model does.
  bool prefix_stays(const Situation& s) {
    for (std::size_t i = 0; i < s.steps.size(); ++i) {
      const auto& [call, result] = std::tie(s.steps[i].call, s.steps[i].result);
      if (name_of(call.verb) != verb_) continue;
      const auto rows = concrete_.allowing(s.states[i], call, result);
      if (rows.empty() ||
          !same_state(concrete_.after(*rows.front(), s.states[i], call, result), s.states[i + 1]))
        return false;
    }
    return true;
  }

  /// Steps and a call that the solver finds: such that a result is wrongly allowed or forbidden, if
  /// there are any.
  void look_at_proposals() {
    if (look_at_beaten_paths()) return;
    constexpr std::size_t kMostSteps = 4;
    look_at_proposals(kMostSteps);
    if (best_) return;
    // Any other theorem of the kind will do; of all of them only short traces are asked for.
    for (const Heading& other : theorems())
      if (other.kind != "lemma" && (other.kind == "results") == about_results_)
        asked_.push_back(other.name);
    look_at_proposals(kMostSteps / 2);
  }

  /// Whether what most traces begin with leads to a result that is wrongly allowed or forbidden.
  bool look_at_beaten_paths() {
    if (changes_effect()) return false;
    const Suspects suspects{rows_, search_.dialect_, asked_, subject_, about_results_};
    for (std::size_t path = 0; path < BoundedSearch::beaten_paths(); ++path)
      for (const AnyDevice device : devices())
        for (std::size_t o = 0; o < model::kOutcomes; ++o)
          if (has_rules(static_cast<Outcome>(o)) &&
              look_at_beaten_path(suspects, path, device, static_cast<Outcome>(o)))
            return true;
    return false;
  }

  bool look_at_beaten_path(const Suspects& suspects, std::size_t path, AnyDevice device,
                           Outcome outcome) {
    for (const Shape& shape : shapes_of(verb_named(), false)) {
      const auto found =
          search_.bounded_.find_after(broken_and_seen(suspects, outcome), shape, path, device);
      const bool shows = found && look_at_proposal(*found, outcome);
      reference_.reset();  // the solver takes long, and others wait for it
      if (shows) return true;
    }
    return false;
  }

  void look_at_proposals(std::size_t steps) {
    const Suspects suspects{rows_, search_.dialect_, asked_, subject_, about_results_};
    for (const AnyDevice device : devices()) {
      if (!changes_effect())
        for (std::size_t o = 0; o < model::kOutcomes; ++o)
          if (has_rules(static_cast<Outcome>(o)) &&
              look_at_proposals(broken_and_seen(suspects, static_cast<Outcome>(o)), device, steps,
                                static_cast<Outcome>(o)))
            return;
      if (look_at_proposals(broken_theorem(suspects), device, steps, std::nullopt)) return;
    }
  }

  /// Those on which the changed rows may allow something.
  [[nodiscard]] std::vector<AnyDevice> devices() const {
    bool streams = false, others = false;
    for (const Row& row : rows_)
      if (row.change.is_one) (row.rule.outcome == Outcome::terminated ? streams : others) = true;
    if (!streams) return {AnyDevice::full, AnyDevice::any};
    if (!others) return {AnyDevice::iwarp};
    return {AnyDevice::full, AnyDevice::any, AnyDevice::iwarp};
  }

  /// Few steps first.
  bool look_at_proposals(const BoundedSearch::Goal& goal, AnyDevice device, std::size_t most,
                         std::optional<Outcome> outcome) {
    constexpr std::size_t kMostTried = 4;
    constexpr int kMostAsked = 40;  // one that found something asked 12, one that found nothing 76
    for (std::size_t steps = 0; steps <= most; ++steps)
      for (const Shape& shape : shapes_of(verb_named(), false)) {
        std::vector<Proposal> tried;
        while (tried.size() < (steps == 0 ? 1 : kMostTried)) {
          if (++asked_solver_ > kMostAsked) return false;
          auto found = search_.bounded_.find(goal, shape, steps, device, tried);
          if (!found) break;
          const bool shows = look_at_proposal(*found, outcome);
          reference_.reset();  // the solver takes long, and others wait for it
          if (shows) return true;
          tried.push_back(std::move(*found));
        }
      }
    return false;
  }

  [[nodiscard]] Verb verb_named() const {
    return static_cast<Verb>(std::find(model::kVerbNames.begin(), model::kVerbNames.end(), verb_) -
                             model::kVerbNames.begin());
  }

  [[nodiscard]] bool changes_effect() const {
    return std::any_of(rows_.begin(), rows_.end(), [](const Row& row) {
      return !row.change.kept.empty() ||
             (row.change.condition == nullptr && row.change.shifted != smt::Orderings::kNone);
    });
  }

  [[nodiscard]] bool has_rules(Outcome outcome) const {
    return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) {
      return row.verb == verb_named() && row.rule.outcome == outcome && row.change.is_one;
    });
  }

  bool look_at_proposal(const Proposal& proposal, std::optional<Outcome> outcome) {
    use_device(proposal.can);
    const auto made = make_steps(proposal, book_, *reference_);
    if (made && look_at_made(*made, proposal, outcome)) return true;
    const auto other = make_steps_by_rules(proposal, book_);
    return other && look_at_made(*other, proposal, outcome);
  }

  bool look_at_made(const Situation& s, const Proposal& proposal, std::optional<Outcome> outcome) {
    if (!prefix_stays(s)) return false;
    model::Step last = s.next;
    last.result = proposal.result;
    last.result.lkey = Plain::key(model::key_value(proposal.lkey, s.states.back()));
    last.result.rkey = Plain::key(model::key_value(proposal.rkey, s.states.back()));
    last.keys_seen = true;
    if (!outcome) return look(s, last, false);
    last.result.outcome = *outcome;
    return take(show_difference(s, last));
  }

  /// A result that the rows allow and the model does not, or the other way round.
  std::optional<Shown> show_difference(const Situation& s, const model::Step& step) {
    const auto& state = s.states.back();
    if (!concrete_.may_be_made(state, step.call)) return std::nullopt;
    const auto rows = concrete_.allowing(state, step.call, step.result);
    const bool fits =
        model::judge(book_, {state, step.call, step.result}).verdict != model::Verdict::deviates;
    if (rows.empty() != fits) return std::nullopt;
    auto fact = about_results_ ? concrete_.broken_by_choice(asked_, state, step.call)
                               : std::optional<BrokenFact>();
    for (const Row* row : rows)
      if (!fact && !about_results_)
        fact = concrete_.broken_by_step(asked_, *row, state, step.call, step.result);
    const auto seen = answer(s, step.call);
    if (!fact || !seen) return std::nullopt;
    return finish(s, as_seen(step, step.result), rows.empty() ? Wrong::forbidden : Wrong::allowed,
                  *fact, *seen, rows.empty() ? std::string() : rows.front()->id);
  }

  /// Keeps what shows more than what was found before; whether it says all there is to say.
  bool take(const std::optional<Shown>& shown) {
    if (!shown) return false;
    // What the rules wrongly allow may be a choice that pages leave: then the judge is content.
    const auto doubt = [](const Shown& of) {
      if (of.wrong == Wrong::left) return 2;
      return of.wrong == Wrong::allowed && of.trace.steps.back().annotations.empty() ? 1 : 0;
    };
    if (!best_ || doubt(*shown) < doubt(*best_)) best_ = shown;
    return doubt(*best_) == 0;
  }

  /// Looks whether the call shows it in that situation; whether no other is needed. `made`: it is
  /// the one that the situation is of.
  bool look(const Situation& s, const model::Step& call, bool made) {
    const auto& state = s.states.back();
    if (!concrete_.may_be_made(state, call.call)) return false;
    if (about_results_) {
      const auto fact = concrete_.broken_by_choice(asked_, state, call.call);
      return fact && take(show_choice(s, call, *fact));
    }
    for (const auto& result : results_of(s, call, made))
      for (const Row* row : concrete_.allowing(state, call.call, result)) {
        if (row->id != subject_) continue;
        const auto fact = concrete_.broken_by_step(asked_, *row, state, call.call, result);
        if (fact && take(show_step(s, as_seen(call, result), *row, *fact))) return true;
      }
    return false;
  }

  /// Results that the rules may allow, the most natural first.
  std::vector<Seen> results_of(const Situation& s, const model::Step& call, bool made) {
    const auto& state = s.states.back();
    std::vector<Seen> all;
    if (made) all.push_back(s.seen);
    if (made || call.keys_seen) all.push_back(call.result);
    if (const auto* rule = book_.find(subject_))
      if (const auto seen = model::seen_by(*rule, state, call.call)) {
        if (made && !call.keys_seen) {
          all.back().lkey = seen->lkey;
          all.back().rkey = seen->rkey;
        }
        all.push_back(*seen);
        for (const auto& other : model::variants_of(*seen, state, call.call)) all.push_back(other);
        if (seen->outcome == Outcome::refused)
          for (const std::uint32_t error : {4095U, 4096U}) {  // where errnos end
            all.push_back(*seen);
            all.back().error = Plain::key(error);
          }
      }
    return all;
  }

  void use_device(const model::Capabilities<Plain>& can) {
    if (reference_ && same_device(reference_->can(), can)) return;
    reference_.reset();  // there is one at a time
    reference_.emplace(book_.dialect(), can);
  }

  /// What the reference answers to the steps, and then to the call; where they are not its own,
  /// what a sound device may.
  std::optional<Seen> answer(const Situation& s, const Call<Plain>& call) {
    if (s.truth) {
      const auto all = sound_answers(book_, *s.truth, call);
      return all.empty() ? std::nullopt : std::optional(all.front());
    }
    use_device(s.can);
    reference_->reset(s.setup);
    for (const model::Step& step : s.steps) (void)reference_->answer(step.call);
    return reference_->answer(call);
  }

  /// Of a theorem about results: one that the rules get wrong, if it shows.
  std::optional<Shown> show_choice(const Situation& s, const model::Step& call,
                                   const BrokenFact& fact) {
    const auto& state = s.states.back();
    const auto seen = answer(s, call.call);
    if (!seen) return std::nullopt;
    if (concrete_.allowing(state, call.call, *seen).empty())
      return finish(s, as_seen(call, *seen), Wrong::forbidden, fact, *seen, {});
    if (auto shown = show_other_answer(s, call, fact, *seen)) return shown;
    for (const bool changed : {true, false})
      for (const Row* row : concrete_.possible(state, call.call)) {
        const auto* rule = book_.find(row->id);
        if (rule == nullptr || row->change.is_one != changed ||
            row->rule.outcome == seen->outcome || row->rule.weight != Weight::verdict)
          continue;
        const auto result = model::seen_by(*rule, state, call.call);
        if (!result || concrete_.allowing(state, call.call, *result).empty()) continue;
        return finish(s, as_seen(call, *result), Wrong::allowed, fact, *seen, row->id);
      }
    return std::nullopt;
  }

  /// Where devices are free, the result that is wrongly forbidden may be another than the simulated
  /// device's.
  std::optional<Shown> show_other_answer(const Situation& s, const model::Step& call,
                                         const BrokenFact& fact, const Seen& seen) {
    const auto& state = s.states.back();
    for (std::size_t o = 0; o < model::kOutcomes; ++o)
      for (const auto* rule : book_.rules(call.call.verb, static_cast<Outcome>(o))) {
        if (rule->weight != Weight::verdict) continue;
        const auto result = model::synthesize(*rule, state, call.call);
        if (result && concrete_.allowing(state, call.call, *result).empty())
          return finish(s, as_seen(call, *result), Wrong::forbidden, fact, seen, {});
      }
    return std::nullopt;
  }

  std::optional<Shown> show_step(const Situation& s, const model::Step& step, const Row& row,
                                 const BrokenFact& fact) {
    const auto seen = answer(s, step.call);
    if (!seen) return std::nullopt;
    constexpr unsigned kMostFollowed = 12;
    if (!looks_alike(step.result, as_seen(step, *seen).result)) {
      auto other = s;
      if (!other.truth) other.truth = s.states.back();
      if (own_results_ && changes_effect() && followed_++ < kMostFollowed)
        if (auto shown = follow_up(other, step, row, fact)) return shown;
      return finish(s, step, Wrong::allowed, fact, *seen, row.id);
    }
    if (followed_++ < kMostFollowed)
      if (auto shown = follow_up(s, as_seen(step, *seen), row, fact)) return shown;
    return finish(s, as_seen(step, *seen), Wrong::left, fact, *seen, row.id);
  }

  /// A step more, or two, of which the rules are wrong since the state is.
  std::optional<Shown> follow_up(const Situation& s, const model::Step& step, const Row& row,
                                 const BrokenFact& fact) {
    Following after{s, s.states.back(), s.steps.size() + 1, row.id, fact, 0, {}};
    after.s.steps.push_back(step);
    after.s.states.push_back(concrete_.after(row, s.states.back(), step.call, step.result));
    if (after.s.truth && !take_step(book_, step, *after.s.truth)) return std::nullopt;
    note_keys(after.known, step.call, step.result);
    attempt_all(after);
    if (!after.shown && add_region(after)) attempt_all(after);
    return std::move(after.shown);
  }

  /// A situation after a step that left a wrong state.
  struct Following {
    Situation s;
    State<Plain> known;  ///< has the keys that the program knows
    std::size_t bad;
    std::string rule;
    BrokenFact fact;
    std::size_t calls;
    std::optional<Shown> shown;
  };

  void attempt_all(Following& after) {
    after.calls = 0;
    const auto visit = [&](const model::Step& next) { attempt(after, next); };
    for (const model::Step& next : after.s.rest) visit(next);
    const State<Plain> state = after.s.states.back();
    // The data path first: there a wrong state does harm.
    for (const unsigned odd : {0U, 1U})
      for (const bool remote : {true, false})
        for (std::size_t v = 0; v < model::kVerbs && !after.shown; ++v)
          if (const auto verb = static_cast<Verb>(v);
              book_.has(verb) && model::is_remote(verb) == remote)
            model::each_call(state, verb, odd, visit);
  }

  void attempt(Following& after, model::Step next) {
    constexpr std::size_t kMostCalls = 3000;
    if (after.shown || ++after.calls > kMostCalls) return;
    model::resolve_keys(next, after.known);
    const auto& state = after.s.states.back();
    if (!ConcreteRules::fits(next.call) || !book_.has(next.call.verb) ||
        !concrete_.may_be_made(state, next.call))
      return;
    for (const Seen& seen : answers(after.s, next.call)) {
      if (!concrete_.allowing(state, next.call, seen).empty()) continue;
      after.shown = finish(after.s, as_seen(next, seen), Wrong::forbidden, after.fact, seen,
                           after.rule, after.bad);
      if (after.shown) return;
    }
  }

  /// What may be answered to the call.
  std::vector<Seen> answers(const Situation& s, const Call<Plain>& call) {
    if (s.truth)
      return book_.forbids(*s.truth, call) == nullptr ? sound_answers(book_, *s.truth, call)
                                                      : std::vector<Seen>();
    const auto seen = answer(s, call);
    return seen ? std::vector{*seen} : std::vector<Seen>();
  }

  /// Another region, to read into or to write from.
  bool add_region(Following& after) {
    model::Step step;
    step.call.verb = Verb::reg_mr;
    auto& state = after.s.states.back();
    while (step.call.mr < Terms::kRegions && state.regions.at(step.call.mr).live.truth())
      ++step.call.mr;
    if (step.call.mr == Terms::kRegions) return false;
    step.call.address = Plain::address(model::buffer_address(1));
    step.call.length = Plain::address(model::kPageSize);
    step.call.access = Plain::flags(model::kLocalWrite | model::kRemoteWrite | model::kRemoteRead);
    if (!concrete_.may_be_made(state, step.call)) return false;
    const auto seen = answer(after.s, step.call);
    if (!seen) return false;
    const auto rows = concrete_.allowing(state, step.call, *seen);
    if (rows.empty() || rows.front()->rule.outcome != Outcome::ok) return false;
    note_keys(after.known, step.call, *seen);
    after.s.states.push_back(concrete_.after(*rows.front(), state, step.call, *seen));
    after.s.steps.push_back(as_seen(step, *seen));
    return !after.s.truth || take_step(book_, after.s.steps.back(), *after.s.truth);
  }

  /// The trace, if its calls may be made.
  std::optional<Shown> finish(const Situation& s, const model::Step& last, Wrong wrong,
                              const BrokenFact& fact, const Seen& seen, const std::string& rule,
                              std::size_t bad = 0) {
    Shown shown;
    shown.trace = search_.situations_.beginning();
    shown.trace.setup = s.setup;
    shown.trace.can = s.can;
    shown.trace.steps = s.steps;
    shown.trace.steps.push_back(last);
    shown.bad = bad == 0 ? shown.trace.steps.size() : bad;
    shown.rule = rule.empty() ? verb_ : rule;
    shown.theorem = fact.theorem;
    shown.fact = fact.of;
    shown.wrong = wrong;
    try {
      const model::Trace judged = model::judge_trace(shown.trace, book_, "", explain_deviation);
      if (judged.steps.size() < shown.trace.steps.size()) return std::nullopt;
      const model::Step& end = judged.steps.back();
      if (end.annotations.front().verdict == model::Verdict::deviates) {
        shown.trace.steps.back().annotations = end.annotations;
        const auto short_ones = std::min<std::size_t>(end.remarks.size(), 2);
        shown.trace.steps.back().remarks.assign(
            end.remarks.begin(), end.remarks.begin() + static_cast<std::ptrdiff_t>(short_ones));
      }
    } catch (const model::TraceError&) {
      return std::nullopt;
    }
    comment(shown, as_seen(last, seen), s.truth ? "a sound device" : "the simulated device");
    return shown;
  }

  void comment(Shown& shown, const model::Step& answer, std::string_view whose) const {
    auto& lines = shown.trace.comments;
    lines.push_back(fmt::format(" {}: {}", shown.theorem, sentence_of(shown.theorem)));
    lines.push_back(fmt::format(" Not so at step {}, {}: {}.", shown.bad, shown.rule, shown.fact));
    if (shown.wrong == Wrong::left) {
      lines.push_back(fmt::format(" Its result is right; {}.", words_for(shown.wrong)));
      return;
    }
    if (shown.bad < shown.trace.steps.size())
      lines.emplace_back(" It leaves a wrong state, which the last step shows.");
    lines.push_back(fmt::format(" Last step: {}; {} answers: {}.", words_for(shown.wrong), whose,
                                model::print_result(answer)));
  }

  TraceSearch& search_;
  const model::Rulebook& book_;
  const std::vector<Row>& rows_;
  std::optional<Reference> reference_;
  ConcreteRules concrete_;
  const std::string theorem_;
  std::vector<std::string> asked_;  ///< it, or those that stand in
  const std::string subject_;
  const std::string verb_;
  bool about_results_ = false;
  unsigned followed_ = 0;
  /// Steps may have results that the simulated device does not give: only where nothing else will
  /// do.
  bool own_results_ = false;
  std::optional<Shown> best_;
  int asked_solver_ = 0;  ///< how often
};

TraceSearch::TraceSearch(std::size_t dialect)
    : dialect_(dialect), situations_(dialect), bounded_(dialect, situations_.beginning().can) {}

std::optional<Shown> TraceSearch::find(const std::vector<Row>& rows, const std::string& theorem,
                                       const std::string& subject) {
  std::vector<Row> all = rows;
  for (const Row& row : rows_of(1U << dialect_)) {
    const auto has_verb = [&](const Row& other) { return other.verb == row.verb; };
    if (std::none_of(rows.begin(), rows.end(), has_verb)) all.push_back(row);
  }
  return Looker(*this, all, theorem, subject).run();
}

}  // namespace mrproof::specs
