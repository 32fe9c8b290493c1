#include "conformance/report/life_cycles.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "model/judge/judge.hpp"
#include "model/oracle/synthesize.hpp"
#include "model/trace/layout.hpp"
#include "model/trace/setup.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

using World = State<Plain>;
using Calls = std::vector<Call<Plain>>;

constexpr std::uint32_t kRights = kLocalWrite | kRemoteWrite | kRemoteRead | kMwBind;

// ---- the alphabet: one PD, one MR, one MW, one connected pair ----

Call<Plain> call_of(Verb verb) { return {.verb = verb}; }

Call<Plain> ranged(Verb verb, std::uint64_t length, std::uint32_t access) {
  return {.verb = verb,
          .access = Plain::flags(access),
          .address = Plain::address(model::buffer_address(3)),
          .length = Plain::address(length)};
}

Call<Plain> change(std::uint32_t flags, std::uint64_t address, std::uint32_t access) {
  return {.verb = Verb::rereg_mr,
          .access = Plain::flags(access),
          .flags = Plain::flags(flags),
          .address = Plain::address(address),
          .length = Plain::address(address != 0 ? model::kPageSize : 0)};
}

/// Re-registrations: sound ones, then one for each kind of fault.
Calls changes() {
  return {change(kChangeAccess, 0, kLocalWrite | kRemoteRead | kMwBind),
          change(kChangeTranslation, model::buffer_address(2), 0),
          change(kChangePd, 0, 0),
          change(kChanges + 1, 0, 0),
          change(kChangeAccess, 0, kRemoteWrite),
          change(kChangeTranslation, model::buffer_address(2) + model::kBufferStride / 2, 0),
          change(0, 0, 0)};
}

/// Binds of both kinds: sound, out of bounds, of length zero.
Calls binds(const World& state) {
  Calls all;
  const auto key = state.windows.at(0).rkey;
  for (const Verb verb : {Verb::bind_mw, Verb::post_bind_mw})
    for (const std::uint64_t length :
         {std::uint64_t{64}, model::kLastBufferSize, std::uint64_t{0}}) {
      all.push_back(ranged(verb, length, kRemoteRead));
      if (verb == Verb::post_bind_mw) all.back().rkey = key + Plain::key(1);
    }
  return all;
}

/// What queue pair 0 does beside binding: invalidation, a transfer that fails, its end.
Calls of_queue_pair(const World& state) {
  Calls all{call_of(Verb::post_recv),       call_of(Verb::local_inv), call_of(Verb::send_with_inv),
            ranged(Verb::rdma_write, 1, 0), call_of(Verb::connect),   call_of(Verb::destroy_qp)};
  for (auto& call : all) {
    if (call.verb == Verb::local_inv || call.verb == Verb::send_with_inv)
      call.rkey = state.windows.at(0).rkey;
    if (call.verb == Verb::send_with_inv) call.qp = 1;  // the peer invalidates at queue pair 0
  }
  return all;
}

Calls alphabet(const World& state, std::uint8_t type) {
  Calls all{ranged(Verb::reg_mr, model::kLastBufferSize / 2, kRights),
            call_of(Verb::dereg_mr),
            {.verb = Verb::alloc_mw, .option = type},
            call_of(Verb::dealloc_mw),
            call_of(Verb::dealloc_pd)};
  for (const auto& more : {changes(), binds(state), of_queue_pair(state)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

// ---- going through it ----

World beginning(const Rulebook& book) {
  const Capabilities<Plain> can{
      Plain::flags(kFeatureFlags), Plain::address(1U << 30U),
      Plain::flags(kMwType1 | kMwType2B | kMemoryExtensions | kImplicitOnDemand | kAtomics)};
  return model::initial_state(
      model::Setup{{0, 0, model::Setup::kAbsent, model::Setup::kAbsent}, {true}}, can,
      book.defined_access());
}

/// Visits every way in which the call may end: the rule that is taken, and the state after it.
template <class Visit>
void each_end(const Rulebook& book, const World& state, const Call<Plain>& call, Visit&& visit) {
  if (book.forbids(state, call) != nullptr) return;
  for (const PlainRule* rule : book.rules()) {
    if (rule->verb != call.verb) continue;
    const auto result = model::synthesize(*rule, state, call);
    if (!result || judge(book, {state, call, *result}).rule != rule) continue;
    World after = state;
    advance(*rule, {state, call, *result}, after);
    visit(*rule, after);
  }
}

/// The state after the calls, each of which succeeds.
World after_calls(const Rulebook& book, World state, const Calls& calls) {
  for (const auto& call : calls)
    each_end(book, state, call,
             [&, done = false](const PlainRule& rule, const World& after) mutable {
               if (!done && rule.outcome == Outcome::ok) state = after;
               done |= rule.outcome == Outcome::ok;
             });
  return state;
}

/// What tells states apart that are worth a visit each.
std::string fingerprint(const World& state) {
  std::string bits;
  const auto add = [&](Bit bit) { bits += bit.truth() ? '1' : '0'; };
  const auto& r = state.regions.at(0);
  const auto& w = state.windows.at(0);
  add(state.pds.at(0).live);
  for (const Bit bit : {r.live, r.undefined, w.live, w.bound, w.undefined}) add(bit);
  for (const auto& qp : state.qps) {
    add(qp.live);
    add(qp.posted);
    add(qp.state == Plain::small(QpState::err));
  }
  return bits;
}

void add_transition(Diagram& diagram, const Transition& next) {
  const auto same = [&](const Transition& known) {
    return known.from == next.from && known.to == next.to && known.rule == next.rule;
  };
  auto& all = diagram.transitions;
  if (std::none_of(all.begin(), all.end(), same)) all.push_back(next);
}

/// Goes through all that can be reached; `state_of` says which state of the diagram one is.
template <class StateOf>
void explore(const Rulebook& book, Diagram& diagram, std::uint8_t type, StateOf&& state_of) {
  std::deque<World> open{beginning(book)};
  std::set<std::string> known{fingerprint(open.front())};
  for (; !open.empty(); open.pop_front()) {
    const World& state = open.front();
    for (const auto& call : alphabet(state, type))
      each_end(book, state, call, [&](const PlainRule& rule, const World& after) {
        if (rule.weight == Weight::inconclusive) return;
        add_transition(diagram, {state_of(state), state_of(after), &rule});
        if (known.insert(fingerprint(after)).second) open.push_back(after);
      });
  }
}

// ---- the diagrams ----

/// What is known of a binding to the region.
bool window_on_region(const World& state, bool undefined, std::size_t slot = 0) {
  return std::any_of(state.windows.begin(), state.windows.end(), [&](const auto& w) {
    return (w.live & w.bound & (w.region == Plain::slot(slot))).truth() &&
           w.undefined.truth() == undefined;
  });
}

/// Notes at each state whether the verb is refused in it, or may be.
void note_refusals(Diagram& diagram, Verb verb) {
  for (std::size_t i = 0; i < diagram.states.size(); ++i) {
    bool succeeds = false;
    bool refused = false;
    for (const Transition& t : diagram.transitions) {
      if (t.from != i || t.rule->verb != verb) continue;
      succeeds |= t.rule->outcome == Outcome::ok;
      refused |= t.rule->outcome == Outcome::refused;
    }
    const std::string name(kVerbNames.at(static_cast<std::size_t>(verb)));
    if (refused) diagram.states.at(i).note = name + (succeeds ? " may be refused" : " is refused");
  }
}

Diagram region_life(const Rulebook& book) {
  Diagram diagram{"mr",
                  "Life of a memory region",
                  "Windows are of type 1.",
                  {{"no MR", 90, 150},
                   {"registered", 370, 150},
                   {"window bound", 700, 60},
                   {"window in doubt", 700, 310},
                   {"only deregistration", 290, 350}},
                  {}};
  explore(book, diagram, kTypeOne, [](const World& state) { return region_stage(state, 0); });
  note_refusals(diagram, Verb::dereg_mr);
  return diagram;
}

Diagram window_life(const Rulebook& book, std::uint8_t type) {
  const bool one = type == kTypeOne;
  Diagram diagram{
      one ? "mw1" : "mw2",
      one ? "Life of a memory window of type 1" : "Life of a memory window of type 2",
      one ? "Bound by ibv_bind_mw(), unbound by a bind of length 0."
          : "Bound by a work request, unbound by an invalidation.",
      {{"no MW", 90, 230}, {"free", 340, 70}, {"bound", 760, 70}, {"only deallocation", 540, 370}},
      {}};
  explore(book, diagram, type, [](const World& state) { return window_stage(state, 0); });
  return diagram;
}

Diagram reregistration(const Rulebook& book) {
  Diagram diagram{"rereg",
                  "What ibv_rereg_mr() leaves behind",
                  "Arrows are the rules of rereg_mr.",
                  {{"registered", 100, 150},
                   {"window bound", 100, 340},
                   {"the old MR, as it was", 730, 60},
                   {"the new MR", 730, 180},
                   {"only deregistration", 730, 300},
                   {"new MR, window in doubt", 730, 420}},
                  {},
                  true};
  const World registered =
      after_calls(book, beginning(book), {alphabet(beginning(book), 1).front()});
  Call<Plain> unmap = ranged(Verb::protect, model::kPageSize, 0);
  unmap.option = kNoPages;
  const World lost = after_calls(book, registered, {unmap});
  Call<Plain> peer = ranged(Verb::reg_mr, model::kPageSize, kRights | kPeerMemory);
  const World of_peer = after_calls(book, beginning(book), {peer});
  const World windowed = after_calls(
      book, registered,
      {{.verb = Verb::alloc_mw, .option = kTypeOne}, ranged(Verb::bind_mw, 64, kRemoteRead)});
  // Once each kind of change was granted, a refusal is none of a missing feature any more.
  auto sound = changes();
  sound.resize(3);
  const World granted = after_calls(book, registered, sound);
  for (const World& state : {registered, granted, lost, of_peer, windowed})
    for (const auto& call : changes())
      each_end(book, state, call, [&](const PlainRule& rule, const World& after) {
        const auto& region = after.regions.at(0);
        std::size_t to = 3;
        if (region.undefined.truth())
          to = 4;
        else if (rule.effect == nullptr)
          to = 2;
        else if (window_on_region(after, true))
          to = 5;
        add_transition(diagram, {window_on_region(state, false) ? 1U : 0U, to, &rule});
      });
  return diagram;
}

}  // namespace

std::size_t region_stage(const State<Plain>& state, std::size_t slot) {
  const auto& r = state.regions.at(slot);
  if (!r.live.truth()) return 0;
  if (r.undefined.truth()) return 4;
  if (window_on_region(state, true, slot)) return 3;
  return window_on_region(state, false, slot) ? 2 : 1;
}

std::size_t window_stage(const State<Plain>& state, std::size_t slot) {
  const auto& w = state.windows.at(slot);
  if (!w.live.truth()) return 0;
  if (w.undefined.truth()) return 3;
  return w.bound.truth() ? 2 : 1;
}

std::vector<Diagram> life_cycles(const Rulebook& book) {
  std::vector<Diagram> all{region_life(book), window_life(book, kTypeOne),
                           window_life(book, kTypeTwo)};
  if (book.has(Verb::rereg_mr)) all.push_back(reregistration(book));
  return all;
}

}  // namespace mrproof::conformance
