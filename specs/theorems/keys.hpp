// Keys: what was revoked grants nothing until it is issued anew.
#pragma once

#include "specs/theorems/invariants.hpp"

namespace mrproof::specs {

/// Whether the key opens the window; one in doubt only if `doubtful`.
template <class D>
typename D::Bit opens_remotely(const Window<D>& w, typename D::Key key, bool doubtful) {
  const auto sure = doubtful ? D::bit(true) : !w.undefined;
  return w.live & w.bound & sure & (w.rkey == key);
}

/// Whether the key opens something to a remote queue pair; nothing is known of windows in doubt,
/// so they count only if `doubtful`.
template <class D>
typename D::Bit grants(const State<D>& s, typename D::Key key, bool doubtful) {
  auto found = D::bit(false);
  for (const Region<D>& r : s.regions) found = found | (is_open(r) & (r.rkey == key));
  for (const Window<D>& w : s.windows) found = found | opens_remotely<D>(w, key, doubtful);
  return found;
}

/// Whether the step tells the program the remote key of something that it made or changed.
template <class D>
typename D::Bit issues(const Taken<D>& t, typename D::Key key) {
  const auto verb = t.call.verb;
  const bool tells = model::makes_region(verb) || verb == Verb::rereg_mr ||
                     verb == Verb::alloc_mw || model::is_bind(verb);
  const auto done = t.result.outcome == Outcome::ok
                        ? D::bit(true)
                        : t.result.error == D::key(model::kErrDoForkOld);
  return D::bit(tells) & done & (t.result.rkey == key);
}

/// The facts about keys.
template <class D>
struct KeyFacts {
  using T = Taken<D>;
  using F = Facts<D>;

  static void keys_come_from_calls(const T& t, F& facts) {
    facts.add("remote key", implies(grants<D>(t.after, t.key, true),
                                    grants<D>(t.before, t.key, true) | issues<D>(t, t.key)));
    const auto opens = [&](const State<D>& s) {
      return model::any<D>(s.regions, [&](const auto& r) { return r.live & (r.lkey == t.key); });
    };
    const auto verb = t.call.verb;
    const bool tells = model::makes_region(verb) || verb == Verb::rereg_mr;
    facts.add("local key", implies(opens(t.after),
                                   opens(t.before) | (D::bit(tells) & (t.result.lkey == t.key))));
  }

  static void revoked_key_is_dead(const T& t, F& facts) {
    // One fact for each object that the key could open: together they are a question of seconds.
    const auto gone = [&](const char* of, typename D::Bit revoked, typename D::Key key) {
      const auto dead = revoked & !issues<D>(t, key);
      const std::string why = of;
      for (std::size_t i = 0; i < D::kRegions; ++i) {
        const Region<D>& r = t.after.regions.at(i);
        facts.add(why + " " + named("mr", i), implies(dead, !(is_open(r) & (r.rkey == key))));
      }
      for (std::size_t i = 0; i < D::kWindows; ++i)
        facts.add(why + " " + named("mw", i),
                  implies(dead, !opens_remotely<D>(t.after.windows.at(i), key, false)));
    };
    const auto& c = t.call;
    if (t.is(Verb::dereg_mr, Outcome::ok) || t.is(Verb::rereg_mr, Outcome::ok)) {
      const auto& r = t.before.regions.at(c.mr);
      gone("region", is_open(r), r.rkey);
    }
    if (t.is(Verb::dealloc_mw, Outcome::ok) || t.is(Verb::bind_mw, Outcome::ok) ||
        t.is(Verb::post_bind_mw, Outcome::ok)) {
      const auto& w = t.before.windows.at(c.mw);
      gone("window", is_known_bound(w), w.rkey);
    }
    if (t.is(Verb::local_inv, Outcome::ok) ||
        (t.is(Verb::send_with_inv, Outcome::ok) && t.rule.weight == Weight::verdict)) {
      const auto two = model::any<D>(
          t.before.windows, [&](const auto& w) { return w.live & w.two & (w.rkey == c.rkey); });
      const auto delivered = t.result.peer_receive == D::small(Outcome::ok);
      const auto done = c.verb == Verb::local_inv ? D::bit(true) : delivered;
      gone("invalidated", two & done, c.rkey);
    }
  }
};

}  // namespace mrproof::specs
