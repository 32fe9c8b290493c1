#include "specs/prover/mutants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "specs/prover/comparisons.hpp"
#include "specs/prover/equivalence.hpp"

namespace mrproof::specs {

using smt::Answer;
using smt::Ref;
using smt::Store;

namespace {

using Conditions = std::vector<model::Term<Terms>>;

/// Terms live as long as the program, as those of the model do: rows only point to them.
std::span<const model::Term<Terms>> kept(Conditions terms) {
  static std::mutex mutex;
  static std::vector<std::unique_ptr<Conditions>> all;
  const std::scoped_lock lock(mutex);
  all.push_back(std::make_unique<Conditions>(std::move(terms)));
  return *all.back();
}

std::vector<Row> rows_of_verb(model::Verb verb) {
  auto rows = rows_of(kEveryDialect);
  std::erase_if(rows, [&](const Row& row) { return row.verb != verb; });
  return rows;
}

/// Makes mutants of one verb.
class Maker {
 public:
  explicit Maker(model::Verb verb) : verb_(verb), rows_(rows_of_verb(verb)) {}

  std::vector<Mutant> all() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      drop(i, rows_[i].rule.requires_all,
           [](auto& rule, auto terms) { rule.requires_all = terms; });
      drop(i, rows_[i].rule.reasons, [](auto& rule, auto terms) { rule.reasons = terms; });
      change_effect(i);
    }
    shift_conditions();
    return std::move(mutants_);
  }

 private:
  template <class Set>
  void drop(std::size_t at, std::span<const model::Term<Terms>> terms, Set&& set) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      Conditions fewer(terms.begin(), terms.end());
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      auto rows = rows_;
      set(rows[at].rule, kept(std::move(fewer)));
      rows[at].change.is_one = true;
      add(at, "without", (terms[i].holds ? "" : "not ") + std::string(terms[i].condition->id),
          std::move(rows));
    }
  }

  void add(std::size_t at, const std::string& how, const std::string& what, std::vector<Row> rows) {
    auto name = fmt::format("{} {} {}", rows_[at].id, how, what);
    if (rows_[at].dialects != kEveryDialect) name += " (" + names_of(rows_[at].dialects) + ")";
    mutants_.push_back({verb_, std::move(name), std::move(rows)});
  }

  /// Calls with a view of each shape.
  template <class With>
  void each_shape(model::Outcome outcome, With&& with) {
    for (const Shape& shape : shapes_of(verb_, false)) {
      const Store store;
      const auto state = unknown_state("before.");
      const auto call = unknown_call("call.", shape);
      const auto result = unknown_result("result.", outcome);
      with(model::View<Terms>{state, call, result});
    }
  }

  void change_effect(std::size_t at) {
    const auto& row = rows_[at];
    if (row.rule.effect == nullptr) return;
    std::set<std::string> fields;
    Comparisons comparisons;
    each_shape(row.rule.outcome, [&](const auto& view) {
      auto after = view.state;
      {
        const smt::Orderings orderings;
        row.rule.effect(view, after);
        comparisons.add(orderings);
      }
      state_fields(
          [&](const std::string& path, const auto& a, const auto& b) {
            if (a.ref() != b.ref()) fields.insert(kind_of(path));
          },
          view.state, after);
    });
    for (const auto& field : fields) {
      auto rows = rows_;
      rows[at].change = {true, nullptr, smt::Orderings::kNone, field};
      add(at, "does not set", field, std::move(rows));
    }
    for (const auto& [name, ordering] : comparisons.one_of_each_kind()) {
      auto rows = rows_;
      rows[at].change = {true, nullptr, ordering, {}};
      add(at, "shifts in its effect comparison", name, std::move(rows));
    }
  }

  void shift_conditions() {
    std::set<const model::Condition<Terms>*> conditions;
    for (const Row& row : rows_)
      for (const auto& terms : {row.rule.requires_all, row.rule.reasons})
        for (const auto& term : terms) conditions.insert(term.condition);
    std::vector<const model::Condition<Terms>*> ordered(conditions.begin(), conditions.end());
    std::sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) {
      return std::string_view(a->id) < std::string_view(b->id);
    });
    for (const auto* condition : ordered) {
      Comparisons comparisons;
      each_shape(model::Outcome::ok, [&](const auto& view) {
        const smt::Orderings orderings;
        (void)condition->holds(view);
        comparisons.add(orderings);
      });
      for (const auto& [name, ordering] : comparisons.one_of_each_kind())
        shift(*condition, name, ordering);
    }
  }

  void shift(const model::Condition<Terms>& condition, const std::string& name,
             std::size_t ordering) {
    auto rows = rows_;
    for (Row& row : rows)
      for (const auto& terms : {row.rule.requires_all, row.rule.reasons})
        for (const auto& term : terms)
          if (term.condition == &condition) row.change = {true, &condition, ordering, {}};
    mutants_.push_back(
        {verb_,
         fmt::format("{}: {} shifts comparison {}",
                     model::kVerbNames.at(static_cast<std::size_t>(verb_)), condition.id, name),
         std::move(rows)});
  }

  const model::Verb verb_;
  const std::vector<Row> rows_;
  std::vector<Mutant> mutants_;
};

/// Whether nothing can notice the mutant; if so, says by what that follows.
bool is_equivalent(const Mutant& mutant, const smt::SolverOptions& options, Known& known,
                   std::string& because) {
  std::set<std::string> names;
  const auto rows = rows_of_verb(mutant.verb);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const Shape& shape : shapes_of(mutant.verb, false)) {
      if (!mutant.rows[i].change.is_one) continue;
      if (!same_meaning(rows[i], mutant.rows[i], shape, options, known)) return false;
      const auto why = why_same(rows[i], mutant.rows[i], shape, options, known);
      names.merge(why.value_or(std::set<std::string>{"a question without an answer"}));
    }
  because =
      names.empty() ? "the same by its own terms" : fmt::format("by {}", fmt::join(names, ", "));
  return true;
}

Judgement judge(const Mutant& mutant, ProofOptions options, Known& known, const FindTrace& tracer) {
  const double begin = smt::cpu_seconds();
  options = options_for(mutant, std::move(options));
  options.threads = 1;
  Judgement end{mutant.name, Fate::survived, {}, 0, {}, {}};
  for (const auto& obligation : prove(mutant.rows, options, {}, known)) {
    if (obligation.proved()) continue;
    if (obligation.answer == Answer::satisfiable) {
      end.fate = Fate::refuted;
      end.by = fmt::format("{} of {}, {}", obligation.theorem, obligation.subject,
                           obligation.counterexample->fact);
      if (tracer) end.trace = tracer(mutant, obligation);
      break;
    }
    end.fate = Fate::undecided;
    end.by = fmt::format("{} of {}", obligation.theorem, obligation.subject);
  }
  if (end.fate == Fate::survived && is_equivalent(mutant, options.solver, known, end.because))
    end.fate = Fate::equivalent;
  end.seconds = smt::cpu_seconds() - begin;
  return end;
}

}  // namespace

std::vector<Mutant> mutants_of(model::Verb verb) { return Maker(verb).all(); }

std::optional<Mutant> find_mutant(const std::string& name) {
  const auto verb = name.substr(0, name.find_first_of(".:"));
  for (std::size_t v = 0; v < model::kVerbs; ++v)
    if (model::kVerbNames.at(v) == verb)
      for (auto& mutant : mutants_of(static_cast<model::Verb>(v)))
        if (mutant.name == name) return std::move(mutant);
  return std::nullopt;
}

ProofOptions options_for(const Mutant& mutant, ProofOptions options) {
  options.changed = mutant.verb;
  options.dialects = 0;
  for (const Row& row : mutant.rows)
    if (row.change.is_one) options.dialects |= row.dialects;
  if ((options.dialects & 1U) != 0) options.dialects = 1;
  return options;
}

std::vector<Judgement> judge_mutants(const std::string& verbs, const std::string& part,
                                     const ProofOptions& options,
                                     const std::function<void(const Judgement&)>& progress,
                                     const FindTrace& tracer) {
  std::vector<model::Verb> chosen;
  for (std::size_t v = 0; v < model::kVerbs; ++v)
    if (model::kVerbNames.at(v).starts_with(verbs)) chosen.push_back(static_cast<model::Verb>(v));
  std::vector<std::vector<Judgement>> ends(chosen.size());
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  const auto work = [&] {
    for (std::size_t i = next++; i < chosen.size(); i = next++) {
      Known known;
      auto plain = options;
      plain.threads = 1;
      plain.changed = chosen[i];
      auto rows = rows_of_verb(chosen[i]);
      for (Row& row : rows) row.change.is_one = true;
      (void)prove(rows, plain, {}, known);  // what holds of the model is not asked again
      for (const Mutant& mutant : mutants_of(chosen[i])) {
        if (mutant.name.find(part) == std::string::npos) continue;
        ends[i].push_back(judge(mutant, options, known, tracer));
        const std::scoped_lock lock(mutex);
        if (progress) progress(ends[i].back());
      }
    }
  };
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < options.threads; ++i) helpers.emplace_back(work);
  work();
  helpers.clear();
  std::vector<Judgement> all;
  for (auto& some : ends) all.insert(all.end(), some.begin(), some.end());
  return all;
}

std::string mutants_text(const std::vector<Judgement>& judgements) {
  std::map<Fate, std::vector<std::string>> by_fate;
  std::map<std::string, std::size_t> by_theorem;
  for (const auto& end : judgements) {
    by_fate[end.fate].push_back(fmt::format("`{}`{}{}{}", end.mutant,
                                            end.by.empty() && end.because.empty() ? "" : ": ",
                                            end.by, end.because));
    if (end.fate == Fate::refuted) ++by_theorem[end.by.substr(0, end.by.find(' '))];
  }
  std::string text = "# Mutants of the rules\n\n";
  text +=
      "Made by `mrproof prove --mutants`, from nothing but the rules and the theorems: each "
      "condition of each rule\ndropped, each comparison shifted by one, each kind of field that an "
      "effect changes left alone. A mutant\nis *equivalent* if Z3 proves its guard and effect to "
      "be "
      "those of the rule wherever the invariants hold and the\ncaller keeps the preconditions: "
      "nothing "
      "could notice it. Beside each stands what that follows from, of which nothing\ncan be left "
      "out: conditions that the rule requires as well, reasons that it has as well, preconditions, "
      "invariants.\n*The same by its own terms*: no state and no call of the verb can tell the two "
      "apart, for instance since the verb\nhas no iova that the condition could speak of, or since "
      "each reason of the rule says it as well.\n\n";
  text += fmt::format("{} mutants: {} refuted, {} equivalent, {} survived, {} undecided.\n\n",
                      judgements.size(), by_fate[Fate::refuted].size(),
                      by_fate[Fate::equivalent].size(), by_fate[Fate::survived].size(),
                      by_fate[Fate::undecided].size());
  const auto traced = std::count_if(judgements.begin(), judgements.end(),
                                    [](const Judgement& end) { return !end.trace.empty(); });
  if (traced > 0)
    text += fmt::format("{} of those refuted are shown by a trace as well.\n\n", traced);
  text += "| theorem that noticed first | mutants |\n|---|---|\n";
  for (const auto& [theorem, count] : by_theorem)
    text += fmt::format("| `{}` | {} |\n", theorem, count);
  const auto section = [&](const char* title, Fate fate) {
    if (by_fate[fate].empty()) return;
    text += fmt::format("\n## {}\n\n", title);
    for (const auto& mutant : by_fate[fate]) text += fmt::format("- {}\n", mutant);
  };
  if (traced > 0) {
    text += "\n## Refuted, but no trace was found\n\n";
    for (const auto& end : judgements)
      if (end.fate == Fate::refuted && end.trace.empty())
        text += fmt::format("- `{}`: {}\n", end.mutant, end.by);
  }
  section("Survived", Fate::survived);
  section("Undecided", Fate::undecided);
  section("Equivalent", Fate::equivalent);
  return text;
}

}  // namespace mrproof::specs
