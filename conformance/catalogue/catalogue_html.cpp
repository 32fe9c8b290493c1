#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "conformance/catalogue/catalogue.hpp"
#include "conformance/catalogue/catalogue_page.hpp"
#include "conformance/report/diagram.hpp"
#include "conformance/report/report.hpp"
#include "model/trace/notation.hpp"
#include "specs/citations.hpp"

namespace mrproof::conformance {

using namespace model;
using specs::Clause;
using specs::Gap;

namespace {

std::string text_of(std::string_view text) { return escaped(std::string(text)); }

/// The place of something on the page: no blanks, as ids must not have any.
std::string anchor(std::string_view kind, std::string_view id) {
  std::string all = fmt::format("{}-{}", kind, id);
  std::replace(all.begin(), all.end(), ' ', '_');
  return all;
}

std::string link(std::string_view kind, std::string_view id) {
  return fmt::format("<a href=\"#{}\"><code>{}</code></a>", anchor(kind, id), text_of(id));
}

/// Whatever has an id, each with a link to it.
template <class List>
std::string links(std::string_view kind, const List& list) {
  std::string text;
  for (const auto* one : list) text += (text.empty() ? "" : ", ") + link(kind, one->id);
  return text;
}

/// The same behind a line that can be opened, where there are many. Searches do not look at it.
template <class List>
std::string folded_links(const char* title, std::string_view kind, const List& list) {
  if (list.empty()) return "";
  const auto all = links(kind, list);
  if (list.size() <= 6) return fmt::format("<p class=\"used\">{} {}</p>", title, all);
  return fmt::format("<details class=\"used\"><summary>{} ({})</summary><p>{}</p></details>", title,
                     list.size(), all);
}

std::string clause_line(const Clause& clause) {
  return fmt::format("<li>{} {} <span class=\"cite\">{}</span></li>", text_of(clause.text),
                     link("clause", clause.id), text_of(specs::citation(clause)));
}

std::string gap_line(const Gap& gap) {
  return fmt::format("<li class=\"open\">{} {} <span class=\"cite\">left open</span></li>",
                     text_of(gap.text), link("gap", gap.id));
}

/// What a list of ids names, a line each.
std::string named_lines(std::string_view ids, std::string_view dialect) {
  std::string text;
  for (const Clause* clause : specs::cited(ids, dialect)) text += clause_line(*clause);
  for (const Gap* gap : specs::gaps_of(ids)) text += gap_line(*gap);
  return "<ul>" + text + "</ul>";
}

// ---- rules ----

std::string terms(const char* title, std::span<const Term<Plain>> list) {
  if (list.empty()) return "";
  std::string text;
  for (const auto& term : list)
    text += fmt::format("<li>{}{} {}</li>", term.holds ? "" : "<b>not</b> ",
                        link("condition", term.condition->id), text_of(term.condition->sentence));
  return fmt::format("<h5>{}</h5><ul>{}</ul>", title, text);
}

std::string tags(const PlainRule& rule) {
  std::string text;
  if (rule.freedom != nullptr) text += "<span class=\"tag\">left open</span>";
  if (rule.weight == Weight::unsupported) text += "<span class=\"tag\">unsupported</span>";
  if (rule.weight == Weight::inconclusive) text += "<span class=\"tag\">inconclusive</span>";
  return text;
}

std::string rule_item(const Rulebook& book, const PlainRule& rule) {
  std::string also, carried;
  for (const auto& list : {rule.requires_all, rule.reasons})
    for (const auto& term : list) also += anchor("condition", term.condition->id) + " ";
  for (const Clause* clause : clauses_of(book, rule)) carried += clause_line(*clause);
  std::string text = fmt::format(
      "<details class=\"item\" id=\"{}\" data-also=\"{}\"><summary><code>{}</code> "
      "<span class=\"{}\">{}</span>{}</summary>",
      anchor("rule", rule.id), also, rule.id, rule.outcome == Outcome::ok ? "ok" : "fails",
      model::print_outcome(rule.outcome, is_transfer(rule.verb)), tags(rule));
  text += terms("if all of these", rule.requires_all);
  text += terms("if any of these", rule.reasons);
  if (rule.requires_all.empty() && rule.reasons.empty()) text += "<h5>always</h5>";
  if (rule.freedom != nullptr)
    text += "<h5>left open by</h5>" + named_lines(rule.freedom, book.dialect());
  if (!carried.empty()) text += "<h5>carries</h5><ul>" + carried + "</ul>";
  return text + "</details>\n";
}

std::string rule_section(const Rulebook& book) {
  std::string text = "<section id=\"rules\"><h2>Rules</h2>\n";
  for (std::size_t verb = 0; verb < kVerbs; ++verb) {
    std::string items;
    for (const PlainRule* rule : book.rules())
      if (rule->verb == static_cast<Verb>(verb)) items += rule_item(book, *rule);
    if (items.empty()) continue;
    std::string preconditions;
    for (const auto* precondition : book.preconditions(static_cast<Verb>(verb)))
      preconditions += fmt::format("<li>{} {}</li>", link("condition", precondition->id),
                                   text_of(precondition->sentence));
    text += fmt::format("<div class=\"group\"><h3 id=\"{}\">{}</h3>\n",
                        anchor("verb", kVerbNames.at(verb)), kVerbNames.at(verb));
    if (!preconditions.empty())
      text += fmt::format(
          "<details class=\"preconditions\"><summary>the caller owes</summary><ul>{}</ul>"
          "</details>\n",
          preconditions);
    text += items + "</div>\n";
  }
  return text + "</section>\n";
}

// ---- conditions, clauses, gaps ----

/// The rules that speak of each condition.
using Users = std::map<const PlainCondition*, std::vector<const PlainRule*>>;

Users users_of(const Rulebook& book) {
  Users users;
  for (const PlainRule* rule : book.rules())
    for (const auto& list : {rule->requires_all, rule->reasons})
      for (const auto& term : list)
        if (auto& rules = users[term.condition]; rules.empty() || rules.back() != rule)
          rules.push_back(rule);
  return users;
}

std::string condition_section(const Rulebook& book) {
  static constexpr std::array<const char*, 3> kAbout{"situation", "seen with the result",
                                                     "circumstance"};
  Users users = users_of(book);
  std::string text = "<section id=\"conditions\" class=\"group\"><h2>Conditions</h2>\n";
  for (const PlainCondition* condition : all_conditions(book))
    text += fmt::format(
        "<article class=\"item\" id=\"{}\"><p><code>{}</code> {} <span class=\"tag\">{}</span></p>"
        "{}{}</article>\n",
        anchor("condition", condition->id), condition->id, text_of(condition->sentence),
        kAbout.at(static_cast<std::size_t>(condition->about)),
        named_lines(condition->clauses, book.dialect()),
        folded_links("in rules", "rule", users[condition]));
  return text + "</section>\n";
}

/// Who carries a clause or a gap.
std::string carriers(const Rulebook& book, std::span<const std::string_view> conditions,
                     std::span<const std::string_view> rules) {
  const auto named = conditions_named(book, conditions);
  std::string text;
  if (!named.empty())
    text += fmt::format("<p class=\"used\">conditions {}</p>", links("condition", named));
  return text + folded_links("rules", "rule", rules_named(book, rules));
}

std::string clause_item(const Rulebook& book, const Clause& clause) {
  std::string below = carriers(book, clause.conditions, clause.rules);
  if (!clause.out_of_scope.empty())
    below = fmt::format("<p class=\"scope\">not modelled: {}</p>", text_of(clause.out_of_scope));
  if (!clause.same_as.empty())
    below += fmt::format("<p class=\"used\">says what {} says</p>", link("clause", clause.same_as));
  return fmt::format(
      "<article class=\"item\" id=\"{}\"><p><span class=\"level\">{}</span> {} <code>{}</code> "
      "<span class=\"cite\">{}</span></p>{}</article>\n",
      anchor("clause", clause.id), clause.level == "must_not" ? "must not" : clause.level,
      text_of(clause.text), text_of(clause.id), text_of(clause.section), below);
}

std::string clause_section(const Rulebook& book) {
  std::string text = "<section id=\"clauses\"><h2>Clauses by page</h2>\n";
  std::string_view page;
  for (const Clause& clause : specs::clauses()) {
    if (clause.page != page) {
      if (!page.empty()) text += "</div>\n";
      const bool speaks = specs::speaks_for(clause, book.dialect());
      text += fmt::format("<div class=\"group\"><h3>{}{}</h3>\n", text_of(clause.page),
                          speaks ? "" : "<span class=\"tag\">of other dialects</span>");
      page = clause.page;
    }
    text += clause_item(book, clause);
  }
  return text + "</div></section>\n";
}

std::string gap_section(const Rulebook& book) {
  std::string text =
      "<section id=\"gaps\" class=\"group\"><h2>Left open</h2>\n<p>Where pages disagree or are "
      "silent, and what the model does about it.</p>\n";
  for (const Gap* gap : find_gaps(book, "")) {
    std::string near;
    for (const auto id : gap->clauses) near += (near.empty() ? "" : ", ") + link("clause", id);
    text += fmt::format(
        "<article class=\"item\" id=\"{}\"><p>{} <code>{}</code></p><p><b>Decided:</b> {}</p>{}{}"
        "</article>\n",
        anchor("gap", gap->id), text_of(gap->text), gap->id, text_of(gap->decision),
        near.empty() ? "" : "<p class=\"used\">nearest: " + near + "</p>",
        carriers(book, gap->conditions, gap->rules));
  }
  return text + "</section>\n";
}

// ---- diagrams ----

std::string transition_rows(const Diagram& diagram) {
  std::map<std::pair<std::size_t, std::size_t>, std::vector<const PlainRule*>> rows;
  for (const Transition& t : diagram.transitions) rows[{t.from, t.to}].push_back(t.rule);
  std::string text;
  for (const auto& [states, rules] : rows)
    text += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        text_of(diagram.states.at(states.first).name),
        states.first == states.second ? "stays" : text_of(diagram.states.at(states.second).name),
        links("rule", rules));
  return text;
}

std::string diagram_section(const Rulebook& book) {
  std::string text =
      "<section id=\"diagrams\"><h2>State diagrams</h2>\n<p>Made by going through the rules: every "
      "arrow was taken.</p>\n";
  for (const Diagram& diagram : life_cycles(book))
    text += fmt::format(
        "<figure id=\"{}\"><figcaption><b>{}.</b> {}</figcaption>\n{}<details><summary>The rules "
        "of "
        "each arrow, and those that change nothing</summary><table><tr><th>from</th><th>to</th>"
        "<th>rules</th></tr>\n{}</table></details></figure>\n",
        anchor("diagram", diagram.id), text_of(diagram.title), text_of(diagram.caption),
        draw_diagram(diagram), transition_rows(diagram));
  return text + "</section>\n";
}

std::string head(const Rulebook& book) {
  std::size_t clauses = 0;
  for (const Clause& clause : specs::clauses())
    clauses += specs::speaks_for(clause, book.dialect()) ? 1 : 0;
  return fmt::format(
      "<h1>Rules of memory regions</h1>\n<p>Dialect <b>{}</b>: {} rules, {} conditions, {} "
      "clauses, "
      "{} places left open.</p>\n",
      book.dialect(), book.rules().size(), book.conditions().size(), clauses,
      find_gaps(book, "").size());
}

}  // namespace

std::string catalogue_html(const Rulebook& book) {
  return std::string(kPageHead) + head(book) + std::string(kPageSearch) + diagram_section(book) +
         rule_section(book) + condition_section(book) + clause_section(book) + gap_section(book) +
         std::string(kPageEnd);
}

}  // namespace mrproof::conformance
