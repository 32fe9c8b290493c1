#include "conformance/witness/witness.hpp"

#include <algorithm>

#include "conformance/oracle/judge_trace.hpp"
#include "conformance/oracle/synthesize.hpp"
#include "conformance/testing/coverage.hpp"
#include "conformance/walk/small_calls.hpp"
#include "conformance/walk/walk_calls.hpp"

namespace mrproof {

using namespace model;

namespace {

using Seen = Result<Plain>;

using enum Verb;
/// What a walk is about: verbs that meet one another's conditions. Empty: all.
const std::array<std::vector<Verb>, 9> kThemes{{
    {},
    {alloc_mw, post_bind_mw, local_inv, reg_mr, rdma_write, rdma_read, atomic_fetch_and_add},
    {alloc_mw, post_bind_mw, post_recv, send_with_inv, send_with_inv, reg_mr},
    {alloc_mw, post_bind_mw, reg_mr, post_recv, rdma_write_with_imm, alloc_null_mr},
    {alloc_mw, bind_mw, post_bind_mw, reg_mr, alloc_null_mr},
    {alloc_mw, bind_mw, reg_mr, rereg_mr, protect, reg_mr_iova, send},
    {reg_mr, protect, post_recv, send, send_with_inv, rdma_write, rdma_write_with_imm, advise_mr},
    {reg_mr, protect, atomic_cmp_and_swp, rdma_write, rdma_read, rereg_mr},
    {reg_mr, reg_shared_mr, rereg_mr, reg_mr_iova, protect},
}};

/// Memory that holds what is predicted.
class AsPredicted : public MemorySource {
 public:
  void differences(const Memory& /*expected*/, std::vector<ByteRun>& /*runs*/) override {}
};

/// A byte that no rule lets change: one that is written with another value, or one elsewhere.
ByteRun wrong_byte(const PlainRule& rule, const PlainView& view, const Memory& before) {
  const auto transfer = rule.transfer(view);
  std::uint64_t at = buffer_address(3) + 3 * kPageSize;
  std::byte value = before.at(at) ^ std::byte{0xff};
  const auto& to = transfer.to.at(0);
  if (transfer.exact && to.length.value() != 0 && !to.unseen.truth() &&
      Memory::contains(to.at.value(), 1)) {
    at = to.at.value();
    Memory after = before;
    after.move(transfer);
    value = after.at(at) ^ std::byte{0xff};
  }
  return {at, {value}};
}

/// The trace with the keys of all steps told, or of none.
Trace with_keys(Trace trace, bool told) {
  for (auto& step : trace.steps) {
    step.keys_seen = told && tells_keys(step.call.verb, step.result);
    if (!told) step.result.lkey = step.result.rkey = Plain::key(0);
  }
  return trace;
}

}  // namespace

/// One walk.
class WitnessSearch::Walker {
 public:
  Walker(WitnessSearch& search, const Trace& beginning, std::uint64_t seed)
      : search_(search),
        book_(*find_rulebook(beginning.dialect)),
        trace_(beginning),
        oracle_(book_, beginning.setup, beginning.can),
        keys_(beginning),
        random_(seed),
        theme_(kThemes.at(random_.below(kThemes.size()))),
        odd_percent_(random_.pick<unsigned>({4, 10, 20, 35})) {
    for (std::size_t i = 0; i < kVerbs; ++i)
      if (search.lacks_verb(beginning.dialect, kVerbNames.at(i)))
        needed_.push_back(static_cast<Verb>(i));
  }

  /// Makes `length` steps after those of the beginning.
  void go(std::size_t length) {
    const auto first = trace_.steps;
    trace_.steps.clear();
    for (Step step : first) {
      oracle_.resolve(step);
      if (oracle_.forbids(step) != nullptr || !take(step)) return;
    }
    length += trace_.steps.size();
    while (trace_.steps.size() < length) {
      auto step = propose();
      if (!step) continue;
      oracle_.resolve(*step);
      if (oracle_.forbids(*step) != nullptr) continue;
      step->observed = step->call.verb != Verb::fill && step->call.verb != Verb::protect;
      for (std::size_t i = 0; i < kOutcomes; ++i)
        for (const PlainRule* rule : book_.rules(step->call.verb, static_cast<Outcome>(i)))
          explore(*rule, *step);
      advance(*step);
    }
  }

 private:
  std::optional<Step> propose() {
    if (random_.chance(20)) {
      if (const auto planned = walk_call()) {
        Step step;
        static_cast<PlannedCall&>(step) = *planned;
        return step;
      }
    }
    auto verb = static_cast<Verb>(random_.below(kVerbs));
    if (!theme_.empty() && random_.chance(85)) verb = theme_[random_.below(theme_.size())];
    if (!needed_.empty() && random_.chance(35)) verb = needed_[random_.below(needed_.size())];
    // Objects come and go; those that go are needed less.
    const bool ends = verb == Verb::destroy_qp || verb == Verb::dealloc_pd ||
                      verb == Verb::connect || verb == Verb::query_qp;
    if (ends && random_.chance(80)) verb = Verb::post_recv;
    if (trace_.steps.size() < 2 && random_.chance(60)) verb = Verb::reg_mr;
    if (!book_.has(verb)) return std::nullopt;
    return draw_call(oracle_.state(), verb, random_, odd_percent_);
  }

  /// A call as the harness's own walk draws them.
  std::optional<PlannedCall> walk_call() {
    CallMaker make(random_, oracle_);
    switch (random_.below(7)) {
      case 0: return make.bind(random_.chance(50));
      case 1: return make.advise(true);
      case 2: return make.send(random_.chance(30));
      case 3: return make.rdma(random_.chance(30));
      case 4: return make.post_receive(random_.chance(30));
      case 5: return make.reregister_region(true);
      default: return make.atomic(random_.chance(30));
    }
  }

  void explore(const PlainRule& rule, const Step& step) {
    bool any_wanted = false;
    for (const auto& what : wanted_of(rule))
      any_wanted |= search_.wanted(what, trace_.steps.size() + 1);
    if (!any_wanted) return;
    const auto seen = seen_by(rule, oracle_.state(), step.call);
    if (!seen) return;
    const bool applies = try_result(rule, step, *seen, false);
    if (!applies) return;
    for (const Seen& variant : variants_of(*seen, oracle_.state(), step.call))
      try_result(
          rule, step, variant,
          variant.lkey.value() != seen->lkey.value() || variant.rkey.value() != seen->rkey.value());
  }

  std::vector<std::string> wanted_of(const PlainRule& rule) {
    auto& items = items_[&rule];
    if (!items.empty()) return items;
    items.push_back(taken_item(rule));
    for (const auto& what : mrproof::wanted_of(book_, rule)) items.push_back(item_name(rule, what));
    return items;
  }

  /// Whether the rule is the one that applies.
  bool try_result(const PlainRule& rule, const Step& step, const Seen& seen, bool told) {
    const PlainView view{oracle_.state(), step.call, seen};
    const Judgement judgement = judge(book_, view);
    Step tried = step;
    tried.result = seen;
    std::set<std::string> items;
    look(book_, view, annotate(judgement, tried), false, items);
    for (const auto& item : items) keep(item, tried, told, false);
    const bool applies = judgement.verdict != Verdict::deviates && judgement.rule == &rule;
    if (applies && rule.transfer != nullptr && !told) {
      tried.bytes = {wrong_byte(rule, view, oracle_.memory())};
      keep(item_name(rule, "breaks bytes_as_predicted"), tried, false, true);
    }
    return applies;
  }

  void keep(const std::string& item, Step step, bool told, bool check) {
    if (!search_.wanted(item, trace_.steps.size() + 1)) return;
    // What is linux's is shown under linux, though others have it, too.
    const bool own = item.find(' ') > item.find('.') ? trace_.dialect == kDialects[0]
                                                     : item.starts_with(trace_.dialect + " ");
    if (!own) return;
    Trace trace = trace_;
    trace.steps.push_back(std::move(step));
    trace = with_keys(std::move(trace), told);
    if ((check || told) && !shows(trace, item)) return;
    search_.found_[item] = trace;
  }

  /// Takes one of the results that conform, success if it can be.
  void advance(Step& step) {
    std::vector<std::pair<const PlainRule*, Seen>> results;
    for (std::size_t i = 0; i < kOutcomes; ++i)
      for (const PlainRule* rule : book_.rules(step.call.verb, static_cast<Outcome>(i)))
        if (rule->weight == Weight::verdict)
          if (synthesize(*rule, oracle_.state(), step.call))
            results.emplace_back(rule, *seen_by(*rule, oracle_.state(), step.call));
    if (results.empty()) return;
    const bool good = results.front().second.outcome == Outcome::ok && !random_.chance(10);
    step.result = results[good ? 0 : random_.below(results.size())].second;
    // Refusals that change nothing only make traces longer.
    if (step.result.outcome == Outcome::refused && step.call.verb != Verb::rereg_mr) return;
    take(step);
  }

  /// Whether the step conforms: then the walk goes on after it.
  bool take(Step& step) {
    step.keys_seen = false;
    keys_.give(step, oracle_.state());
    AsPredicted memory;
    if (oracle_.check(step, memory).verdict != Verdict::conforms) return false;
    trace_.steps.push_back(step);
    return true;
  }

  WitnessSearch& search_;
  const Rulebook& book_;
  Trace trace_;
  Oracle oracle_;
  KeyGiver keys_;
  Random random_;
  std::vector<Verb> theme_;
  std::vector<Verb> needed_;  ///< what is still to be found is of these
  unsigned odd_percent_;
  std::map<const PlainRule*, std::vector<std::string>> items_;
};

bool WitnessSearch::wanted(const std::string& item, std::size_t steps) const {
  if (!missing_.contains(item)) return false;
  const auto found = found_.find(item);
  return found == found_.end() || steps + 1 < found->second.steps.size();
}

bool WitnessSearch::lacks_verb(std::string_view dialect, std::string_view verb) const {
  const std::string start = std::string(verb) + ".";
  const std::string in_dialect = std::string(dialect) + " " + start;
  return std::any_of(missing_.begin(), missing_.end(), [&](const std::string& item) {
    const bool own =
        dialect == kDialects[0] ? item.starts_with(start) : item.starts_with(in_dialect);
    return own && !found_.contains(item) && item.find('+') == std::string::npos;
  });
}

void WitnessSearch::walk(const Trace& beginning, std::uint64_t seed, std::size_t length) {
  try {
    Walker(*this, beginning, seed).go(length);
  } catch (const std::logic_error&) {
    ++lost_;  // the model moved bytes that are not there: not this tool's to judge
  }
}

bool shows(const Trace& trace, const std::string& item) {
  const auto& book = *find_rulebook(trace.dialect);
  try {
    const Trace again = parse_trace(print_trace(trace), "");
    const Trace judged = judge_trace(again, book, "");
    if (judged.steps.size() != trace.steps.size()) return false;
    const auto conforms = [](const Step& step) {
      return step.annotations.front().verdict == Verdict::conforms;
    };
    if (!std::all_of(judged.steps.begin(), std::prev(judged.steps.end()), conforms)) return false;
    const Oracle oracle = oracle_before(judged, book, judged.steps.size() - 1);
    const Step& last = judged.steps.back();
    std::set<std::string> items;
    look(book, {oracle.state(), last.call, last.result}, last.annotations.front(), false, items);
    return items.contains(item);
  } catch (const TraceError&) {
    return false;
  }
}

}  // namespace mrproof
