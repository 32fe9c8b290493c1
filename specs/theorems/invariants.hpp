// What holds in every state that a trace leads to.
#pragma once

#include <array>

#include "model/conditions/objects.hpp"
#include "specs/theorems/theorem.hpp"

namespace mrproof::specs {

/// Whether the window's key may be taken to open the range that the model has for it.
template <class D>
typename D::Bit is_known_bound(const Window<D>& w) {
  return w.live & w.bound & !w.undefined;
}

/// Whether the region's remote key opens anything.
template <class D>
typename D::Bit is_open(const Region<D>& r) {
  return r.live & (!r.null) & model::has_any<D>(r.access, model::kRemoteRights);
}

/// Whether the device writes through somebody else's right: what LOCAL_WRITE is needed for.
template <class D>
typename D::Bit writes_remotely(typename D::Flags access) {
  return model::has_any<D>(access, model::kRemoteWrite | model::kRemoteAtomic);
}

/// Whether [start, start + more] lies in [first, last] and does not wrap around. Said as the rules
/// say it, so that it costs nothing to carry; the lemmas show that it is what numbers say.
template <class D>
typename D::Bit lies(typename D::Address start, typename D::Address more, typename D::Address first,
                     typename D::Address last) {
  return (first <= start) & (start <= start + more) & (start + more <= last);
}

/// The facts of the invariants; F takes them (Facts, or something that keeps less).
template <class D, class F = Facts<D>>
struct InvariantFacts {
  using S = State<D>;
  using Bit = typename D::Bit;

  static auto named(const char* what, std::size_t index) { return F::named(what, index); }

  template <class Each>
  static void each_window_and_region(const S& s, Each&& each) {
    for (std::size_t w = 0; w < D::kWindows; ++w)
      for (std::size_t r = 0; r < D::kRegions; ++r)
        each(s.windows.at(w), s.regions.at(r), s.windows.at(w).region == D::slot(r),
             named("mw", w) + " " + named("mr", r));
  }

  static void bound_window_has_region(const S& s, F& facts) {
    for (std::size_t i = 0; i < D::kWindows; ++i) {
      const Window<D>& w = s.windows.at(i);
      Bit live = D::bit(false);
      for (std::size_t r = 0; r < D::kRegions; ++r)
        live = live | ((w.region == D::slot(r)) & s.regions.at(r).live);
      facts.add(named("mw", i), implies(w.live & w.bound, live));
    }
  }

  static void window_inside_region(const S& s, F& facts) {
    each_window_and_region(s, [&](const auto& w, const auto& r, Bit of, const auto& name) {
      const Bit bound = is_known_bound(w) & of;
      // Where the window begins, as the region's own keys address it.
      const auto start = w.memory - r.memory + r.first;
      facts.add(name + " domain", implies(bound, (w.pd == r.pd) & !r.null & !r.empty));
      facts.add(name + " right", implies(bound, model::has<D>(r.access, model::kMwBind)));
      facts.add(
          name + " range",
          implies(bound, (w.first <= w.last) & lies<D>(start, w.last - w.first, r.first, r.last)));
    });
  }

  static void write_needs_local_write(const S& s, F& facts) {
    for (std::size_t i = 0; i < D::kRegions; ++i) {
      const Region<D>& r = s.regions.at(i);
      facts.add(named("mr", i), implies(r.live & writes_remotely<D>(r.access),
                                        model::has<D>(r.access, model::kLocalWrite)));
    }
    each_window_and_region(s, [&](const auto& w, const auto& r, Bit of, const auto& name) {
      facts.add(name, implies(is_known_bound(w) & of & writes_remotely<D>(w.access),
                              model::has<D>(r.access, model::kLocalWrite)));
    });
  }

  static void rights_have_a_meaning(const S& s, F& facts) {
    for (std::size_t i = 0; i < D::kRegions; ++i) {
      const Region<D>& r = s.regions.at(i);
      facts.add(named("mr", i), implies(r.live & !r.null, (r.access & ~s.defined) == D::flags(0)));
    }
  }

  static void local_keys_distinct(const S& s, F& facts) {
    for (std::size_t i = 0; i < D::kRegions; ++i)
      for (std::size_t j = i + 1; j < D::kRegions; ++j) {
        const auto& a = s.regions.at(i);
        const auto& b = s.regions.at(j);
        facts.add(named("mr", i) + " " + named("mr", j),
                  implies(a.live & b.live & !(a.null & b.null & (a.pd == b.pd)), a.lkey != b.lkey));
      }
  }

  /// What a window's key must be kept apart by: all of a key that may be used, and the index of one
  /// whose low byte its owner may still choose.
  static Bit apart(const Window<D>& a, const Window<D>& b) {
    const Bit live = a.live & b.live & !(a.undefined | b.undefined);
    const Bit index = model::key_index(a.rkey) != model::key_index(b.rkey);
    const Bit chosen = (a.two & (b.two | b.bound)) | (b.two & a.bound);
    return implies(live & a.bound & b.bound, a.rkey != b.rkey) & implies(live & chosen, index);
  }

  static void remote_keys_distinct(const S& s, F& facts) {
    for (std::size_t i = 0; i < D::kRegions; ++i)
      for (std::size_t j = i + 1; j < D::kRegions; ++j) {
        const auto& a = s.regions.at(i);
        const auto& b = s.regions.at(j);
        const Bit both = a.live & b.live & !(a.null | b.null);
        facts.add(named("mr", i) + " " + named("mr", j),
                  implies(both & (is_open(a) | is_open(b)), a.rkey != b.rkey));
      }
    for (std::size_t i = 0; i < D::kWindows; ++i)
      for (std::size_t j = i + 1; j < D::kWindows; ++j)
        facts.add(named("mw", i) + " " + named("mw", j), apart(s.windows.at(i), s.windows.at(j)));
    each_window_and_region(s, [&](const auto& w, const auto& r, Bit, const auto& name) {
      const Bit known = w.live & (!w.undefined) & is_open(r);
      const Bit index = model::key_index(w.rkey) != model::key_index(r.rkey);
      facts.add(name, implies(known & w.bound, w.rkey != r.rkey) & implies(known & w.two, index));
    });
  }

  static void features_shown(const S& s, F& facts) {
    for (std::size_t i = 0; i < D::kWindows; ++i) {
      const Window<D>& w = s.windows.at(i);
      const auto two = model::kMwType2A | model::kMwType2B;
      facts.add(
          named("mw", i),
          implies(w.live, D::select(w.two, model::has_any<D>(s.demonstrated_features, two),
                                    model::has<D>(s.demonstrated_features, model::kMwType1))));
    }
    for (std::size_t i = 0; i < D::kRegions; ++i) {
      const Region<D>& r = s.regions.at(i);
      facts.add(named("mr", i), implies(r.live, (r.access & model::kFeatureFlags &
                                                 ~s.demonstrated_access) == D::flags(0)));
      facts.add(named("mr", i) + " null",
                implies(r.live & r.null, model::has<D>(s.demonstrated_features, model::kNullMr)));
      facts.add(named("mr", i) + " outside_buffers",
                implies(r.live & r.outside_buffers,
                        model::has<D>(s.demonstrated_features, model::kDmabufMr) |
                            model::has<D>(s.demonstrated_access, model::kAllocateMr)));
    }
  }

  static void domains_live(const S& s, F& facts) {
    const auto lives = [&](typename D::Slot pd) {
      Bit found = D::bit(false);
      for (std::size_t i = 0; i < D::kPds; ++i)
        found = found | ((pd == D::slot(i)) & s.pds.at(i).live);
      return found;
    };
    for (std::size_t i = 0; i < D::kRegions; ++i) {
      const auto& r = s.regions.at(i);
      facts.add(named("mr", i), implies(r.live & !r.undefined, lives(r.pd)));
    }
    for (std::size_t i = 0; i < D::kWindows; ++i) {
      const auto& w = s.windows.at(i);
      facts.add(named("mw", i), implies(w.live & !w.undefined, lives(w.pd)));
    }
    for (std::size_t i = 0; i < D::kQps; ++i)
      facts.add(named("qp", i), implies(s.qps.at(i).live, lives(s.qps.at(i).pd)));
  }

  static void bound_through_queue_pair(const S& s, F& facts) {
    // Those of other slots stand for queue pairs that the proofs do not have.
    for (std::size_t i = 0; i < D::kWindows; ++i) {
      const Window<D>& w = s.windows.at(i);
      for (std::size_t j = 0; j < D::kQps; ++j) {
        const QueuePair<D>& q = s.qps.at(j);
        const Bit through = is_known_bound(w) & w.two & (w.qp == D::slot(j));
        facts.add(named("mw", i) + " " + named("qp", j) + " domain",
                  implies(through, q.pd == w.pd));
        facts.add(named("mw", i) + " " + named("qp", j) + " state",
                  implies(through, q.live & (q.state == D::small(model::QpState::rts))));
      }
    }
  }

  static void queue_pairs_sound(const S& s, F& facts) {
    const auto longest = D::address(0xffffffffU);
    for (std::size_t i = 0; i < D::kQps; ++i) {
      const auto& q = s.qps.at(i);
      const auto rts = D::small(model::QpState::rts);
      facts.add(named("qp", i) + " state",
                implies(q.live, (q.state == rts) | (q.state == D::small(model::QpState::err))));
      facts.add(named("qp", i) + " posted", implies(q.posted, q.live & (q.state == rts)));
      const auto& e = q.elements;
      facts.add(named("qp", i) + " receive", (e.at(0).length <= longest) &
                                                 (e.at(1).length <= longest) &
                                                 (q.two | (e.at(1).length == D::address(0))));
    }
  }

  static void region_ranges_straight(const S& s, F& facts) {
    for (std::size_t i = 0; i < D::kRegions; ++i) {
      const Region<D>& r = s.regions.at(i);
      const Bit usable = r.live & !r.undefined;
      facts.add(named("mr", i),
                implies(usable,
                        D::select(r.empty, r.last + D::address(1) == r.first, r.first <= r.last)));
      const Bit everything = (r.first == D::address(0)) & (r.last == ~D::address(0));
      facts.add(named("mr", i) + " length", implies(usable & !(r.null | r.empty), !everything));
      facts.add(
          named("mr", i) + " offsets",
          implies(r.live & model::has<D>(r.access, model::kZeroBased), r.first == D::address(0)));
      facts.add(named("mr", i) + " null",
                implies(r.live & r.null, (r.access == D::flags(model::kLocalWrite)) & !r.empty));
    }
  }

  static void regions_in_memory(const S& s, F& facts) {
    for (std::size_t i = 0; i < D::kRegions; ++i) {
      const Region<D>& r = s.regions.at(i);
      const Bit pinned = r.live & !(r.empty | r.null | r.outside_buffers |
                                    model::has<D>(r.access, model::kOnDemand));
      const Bit inside = model::any<D>(s.buffers, [&](const auto& b) {
        return lies<D>(r.memory, r.last - r.first, b.first, b.last);
      });
      facts.add(named("mr", i), implies(pinned, inside));
    }
  }

  static void buffers_sound(const S& s, F& facts) {
    const auto half = D::address(~std::uint64_t{0} >> 1U);
    for (std::size_t i = 0; i < D::kBuffers; ++i) {
      const auto& b = s.buffers.at(i);
      facts.add(named("buf", i),
                (D::address(0) < b.first) & (b.first <= b.last) & (b.last <= half));
      facts.add(named("buf", i) + " hole",
                implies(b.hole, (b.first <= b.hole_first) & (b.hole_first <= b.hole_last) &
                                    (b.hole_last <= b.last)));
      for (std::size_t j = i + 1; j < D::kBuffers; ++j) {
        const auto& c = s.buffers.at(j);
        facts.add(named("buf", i) + " " + named("buf", j), (b.last < c.first) | (c.last < b.first));
      }
    }
  }
};

/// All invariants. Each may be relied on by all theorems.
template <class D, class F = Facts<D>>
constexpr auto invariants() {
  using I = InvariantFacts<D, F>;
  return std::array<Invariant<D, F>, 13>{{
      {"bound_window_has_region", "The region of a bound memory window is registered.",
       I::bound_window_has_region},
      {"window_inside_region",
       "A memory window lies inside its region, in the same protection domain, and the region has "
       "MW_BIND.",
       I::window_inside_region},
      {"write_needs_local_write",
       "Remote write or atomic access implies LOCAL_WRITE, for regions and through windows.",
       I::write_needs_local_write},
      {"rights_have_a_meaning", "A region has no access bit that its dialect gives no meaning.",
       I::rights_have_a_meaning},
      {"local_keys_distinct",
       "No two regions have one local key, unless both are null and of one domain.",
       I::local_keys_distinct},
      {"remote_keys_distinct",
       "No two regions or windows that grant remote access have one remote key, nor can the owner "
       "of a type 2 window make it so.",
       I::remote_keys_distinct},
      {"features_shown",
       "What an existing object needs of the device, the device is known to have.",
       I::features_shown},
      {"domains_live", "Whatever may be used belongs to an existing protection domain.",
       I::domains_live},
      {"bound_through_queue_pair",
       "A type 2 window that is known to be bound was bound through a queue pair of its protection "
       "domain that has not failed since.",
       I::bound_through_queue_pair},
      {"queue_pairs_sound",
       "A queue pair is in RTS or ERR, and a receive waits only on one that exists and is in RTS.",
       I::queue_pairs_sound},
      {"region_ranges_straight",
       "The range of keys of a region that may be used does not wrap around.",
       I::region_ranges_straight},
      {"regions_in_memory", "A region that holds its pages lies in memory that the program has.",
       I::regions_in_memory},
      {"buffers_sound", "Buffers lie apart, and what is unmapped of one is a part of it.",
       I::buffers_sound},
  }};
}

}  // namespace mrproof::specs
