// Which results the rules allow: no hole, nothing contradictory, no freedom that is not listed.
#pragma once

#include <string_view>

#include "specs/theorems/permitted.hpp"

namespace mrproof::specs {

/// The facts about results.
template <class D>
struct ResultFacts {
  using C = Choice<D>;
  using F = Facts<D>;
  using Bit = typename D::Bit;

  static bool is_success(const Allowed<D>& a) {
    // Of a send whose key is at fault the requester need not hear: a failure all the same.
    return a.rule->outcome == Outcome::ok && std::string_view(a.rule->name) != "ok_receive_fails";
  }

  static void some_result_is_allowed(const C& c, F& facts) {
    Bit some = D::bit(false);
    for (const auto& a : c.rules)
      if (a.rule->weight != Weight::inconclusive) some = some | a.situation;
    facts.add("any", some);
  }

  static void freedom_is_listed(const C& c, F& facts) {
    for (const auto& yes : c.rules) {
      if (!is_success(yes) || yes.rule->freedom != nullptr) continue;
      for (const auto& no : c.rules) {
        if (is_success(no) || no.rule->weight != Weight::verdict || no.rule->freedom != nullptr)
          continue;
        facts.add(std::string(yes.rule->name) + " and " + no.rule->name,
                  !(yes.situation & no.situation));
      }
    }
  }

  /// No two successes of a call mean different things. They may where both do the same, and a gap
  /// leaves open which of two answers comes with it.
  static void success_is_one(const C& c, F& facts) {
    for (std::size_t i = 0; i < c.rules.size(); ++i)
      for (std::size_t j = i + 1; j < c.rules.size(); ++j)
        if (is_success(c.rules[i]) && is_success(c.rules[j]) &&
            !is_other_answer(*c.rules[i].rule, *c.rules[j].rule))
          facts.add(std::string(c.rules[i].rule->name) + " and " + c.rules[j].rule->name,
                    !(c.rules[i].situation & c.rules[j].situation));
  }
  static bool is_other_answer(const model::Rule<D>& plain, const model::Rule<D>& other) {
    return plain.effect == other.effect && plain.transfer == other.transfer &&
           plain.freedom == nullptr && other.freedom != nullptr && other.reasons.size() != 0;
  }

  static void success_exactly_when_permitted(const C& c, F& facts) {
    for (const auto& [name, so] : Permitted<D>::cases(c)) success_in_case(c, facts, name, so);
  }
  static void success_in_case(const C& c, F& facts, const std::string& name, Bit so) {
    Bit some = D::bit(false);
    bool vendor = false;
    std::vector<const Allowed<D>*> successes;
    for (const auto& a : c.rules) {
      if (is_success(a)) successes.push_back(&a);
      vendor = vendor || std::string_view(a.rule->name) == "refused_peer_memory";
    }
    for (const auto* success : successes) some = some | success->situation;
    const auto permitted = Permitted<D>::of(c, vendor);
    std::vector<Bit> all{so};
    for (std::size_t i = 0; i < permitted.size(); ++i) {
      facts.add("permitted only " + std::to_string(i) + name, permitted.at(i), {so, some});
      all.push_back(permitted.at(i));
    }
    if (successes.size() != 1) {
      facts.add("all permitted" + name, some, all);
      return;
    }
    for (const auto& term : successes.front()->terms)
      facts.add("all permitted: " + term.of + name, term.holds, all);
  }

  /// Once no window is bound to it, a region can be deregistered, and this may not be refused.
  static void regions_can_be_freed(const C& c, F& facts) {
    if (c.call.verb != Verb::dereg_mr && c.call.verb != Verb::dealloc_mw) return;
    Bit bound = D::bit(false);
    if (c.call.verb == Verb::dereg_mr)
      for (const auto& w : c.state.windows)
        bound = bound | (w.live & w.bound & (w.region == D::slot(c.call.mr)));
    for (const auto& a : c.rules) {
      if (a.rule->weight == Weight::inconclusive) continue;
      const Bit frees = is_success(a) ? a.situation : !a.situation;
      facts.add(a.rule->name, implies(!bound, frees));
    }
  }
};

}  // namespace mrproof::specs
