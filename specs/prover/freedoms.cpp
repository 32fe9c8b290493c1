#include "specs/prover/freedoms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "specs/clauses.hpp"
#include "specs/prover/questions.hpp"
#include "specs/prover/step_questions.hpp"

namespace mrproof::specs {

using smt::Answer;
using smt::Ref;
using smt::Store;

namespace {

bool is_success(const Row& row) {
  return row.rule.outcome == Outcome::ok && std::string_view(row.rule.name) != "ok_receive_fails";
}

/// What leaves the choice open: of what the rules name, that which the reason is about; else the
/// gaps that the reason's condition names itself; else the clauses that the rules name, or their
/// only gap; else all that they name, which is rough.
void list(const Row& yes, const Row& no, const model::Condition<Terms>* reason, Freedom& freedom) {
  std::set<std::string> all;
  for (const char* names : {yes.rule.freedom, no.rule.freedom})
    if (names != nullptr)
      for (const auto word : words(names)) all.emplace(word);
  if (reason != nullptr)
    for (const auto word : words(reason->clauses))
      if (all.contains(std::string(word))) freedom.listed.emplace_back(word);
  const auto is_gap = [](std::string_view id) { return id.starts_with("gap."); };
  if (reason != nullptr && freedom.listed.empty())
    for (const auto word : words(reason->clauses))
      if (is_gap(word)) freedom.listed.emplace_back(word);
  // A clause that leaves a choice leaves it whatever the reason; a gap speaks of one matter.
  if (reason != nullptr && freedom.listed.empty())
    std::copy_if(all.begin(), all.end(), std::back_inserter(freedom.listed),
                 [&](const auto& id) { return !is_gap(id) || all.size() == 1; });
  freedom.near = reason == nullptr || !freedom.listed.empty();
  if (freedom.listed.empty()) freedom.listed.assign(all.begin(), all.end());
}

/// Looks for one freedom among all shapes of the verb's calls.
bool find(const Row& yes, const Row& no, const model::Term<Terms>* reason,
          const ProofOptions& options, Known& known, Freedom& freedom) {
  for (const Shape& shape : shapes_of(yes.verb, false)) {
    const Store store;
    Questions questions(options.solver, known, {});
    const auto state = unknown_state("before.");
    const auto call = unknown_call("call.", shape);
    const auto nothing = unknown_result("result.", Outcome::none);
    const model::View<Terms> view{state, call, nothing};
    std::vector<Ref> all;
    for (const auto& fact : facts_of(state)) all.push_back(fact.holds.ref());
    for (const auto bit : {writable(call), preconditions_kept(yes, view), situation_of(yes, view)})
      all.push_back(bit.ref());
    for (const auto& term : situation_terms(no, view)) all.push_back(term.holds.ref());
    if (reason != nullptr) all.push_back(no.holds(*reason, view).ref());
    const auto reply = questions.possible("freedom", all);
    freedom.decided = freedom.decided && (reply.answer == Answer::satisfiable ||
                                          reply.answer == Answer::unsatisfiable);
    if (reply.answer != Answer::satisfiable) continue;
    freedom.shape = text_of(shape);
    freedom.decided = true;
    const auto& names = store.names();
    for (std::size_t i = 0; i < names.size() && i < reply.values.size(); ++i)
      if (reply.values[i] != 0) freedom.witness.push_back({names[i], reply.values[i]});
    return true;
  }
  return !freedom.decided;
}

std::string sentence_of(const std::string& id) {
  if (const Gap* gap = find_gap(id)) return std::string(gap->text);
  if (const Clause* clause = find_clause(id)) return std::string(clause->text);
  return "";
}

/// Text of several lines as one.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const char next = c == '\n' ? ' ' : c;
    if (next != ' ' || (!line.empty() && line.back() != ' ')) line += next;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

std::vector<Freedom> freedoms(const ProofOptions& options,
                              const std::function<void(const Freedom&)>& progress) {
  std::vector<Freedom> all;
  Known known;
  const auto rows = rows_of(options.dialects);
  for (const Row& yes : rows) {
    if (!is_success(yes) || options.changed.value_or(yes.verb) != yes.verb) continue;
    for (const Row& no : rows) {
      const DialectSet both = yes.dialects & no.dialects;
      if (no.verb != yes.verb || both == 0 || is_success(no) || no.rule.weight != Weight::verdict)
        continue;
      const auto look = [&](const model::Term<Terms>* reason) {
        Freedom freedom{yes.id, no.id, {}, both, {}, true, {}, {}, true};
        if (!find(yes, no, reason, options, known, freedom)) return;
        if (reason != nullptr)
          freedom.reason =
              std::string(reason->holds ? "" : "it is not so that ") + reason->condition->sentence;
        list(yes, no, reason == nullptr ? nullptr : reason->condition, freedom);
        if (progress) progress(freedom);
        all.push_back(std::move(freedom));
      };
      if (no.rule.reasons.empty()) look(nullptr);
      for (const auto& reason : no.rule.reasons) look(&reason);
    }
  }
  return all;
}

std::string freedoms_text(const std::vector<Freedom>& freedoms) {
  std::set<std::string> ids;
  std::size_t unlisted = 0;
  std::size_t far = 0;
  for (const auto& f : freedoms) {
    ids.insert(f.listed.begin(), f.listed.end());
    unlisted += f.listed.empty() ? 1 : 0;
    far += f.near ? 0 : 1;
  }
  std::string text = "# What the manual pages leave open\n\n";
  text +=
      "Made by `mrproof prove --gaps`. Each entry is a call that may succeed and may fail: found "
      "by Z3 among all\nstates that the invariants allow and all calls that keep their "
      "preconditions, "
      "with one such state and call\n(fields that are not named are 0).\n\n";
  text += fmt::format(
      "{} freedoms, of {} gaps or clauses; {} that nothing lists; {} of which the "
      "rules' lists name the reason's\ngap only roughly.\n",
      freedoms.size(), ids.size(), unlisted, far);
  std::string verb;
  for (const auto& f : freedoms) {
    const auto own = f.success.substr(0, f.success.find('.'));
    if (own != verb) text += fmt::format("\n## {}\n\n", own);
    verb = own;
    text += fmt::format("- `{}` or `{}`{}{} ({})\n", f.success, f.failure,
                        f.reason.empty() ? "" : ": ", f.reason, names_of(f.dialects));
    text += f.listed.empty() ? "  - **listed nowhere**" : "  -";
    if (!f.near) text += " the rules list the following, but nothing that names this reason:";
    for (const auto& id : f.listed)
      text += fmt::format(" {} `{}`: {}", find_gap(id) != nullptr ? "gap" : "clause", id,
                          on_one_line(sentence_of(id)));
    text += "\n";
    if (!f.decided) text += "  - the solver gave up\n";
    std::string values;
    for (const Value& value : f.witness)
      values += fmt::format(" {}={:#x}", value.name, static_cast<std::uint64_t>(value.value));
    text += fmt::format("  - witness: `{}`:{}\n", f.shape, values);
  }
  return text;
}

}  // namespace mrproof::specs
