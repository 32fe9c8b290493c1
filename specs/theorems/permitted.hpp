// When a call may succeed, said a second time and in another way: by the objects that allow it
// instead of those that forbid it. Ranges are said by lies(), which the lemmas show to be what
// numbers that do not wrap around say.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/conditions/registration.hpp"
#include "specs/theorems/invariants.hpp"

namespace mrproof::specs {

/// The second opinion. What it says holds where the caller keeps the preconditions.
template <class D>
struct Permitted {
  using Bit = typename D::Bit;
  using Address = typename D::Address;
  using C = Choice<D>;

  static Bit has(typename D::Flags flags, std::uint32_t wanted) {
    return (flags & D::flags(wanted)) == D::flags(wanted);
  }
  /// Whether the range, which is not empty, lies in [first, last].
  static Bit inside(Address start, Address length, Address first, Address last) {
    return lies<D>(start, length - D::address(1), first, last);
  }
  /// Whether no byte of [start, start + length) is missing in the program's memory.
  static Bit mapped(const C& c, Address start, Address length, Bit write) {
    Bit found = D::bit(false);
    for (const auto& b : c.state.buffers) {
      const Bit missing = b.hole & (write | !b.read_only);
      const Bit before = start + length - D::address(1) < b.hole_first;
      found = found | (inside(start, length, b.first, b.last) &
                       !(missing & (start <= b.hole_last) & !before));
    }
    return found;
  }

  // ---- the data path ----

  static Bit paged(const C& c, const Region<D>& r, Address memory, Address length, bool write) {
    return (!has(r.access, model::kOnDemand)) | mapped(c, memory, length, D::bit(write));
  }
  static Bit covers(const C& c, const Region<D>& r, std::uint32_t qp, Address start, Address length,
                    std::uint32_t right, bool write) {
    const Bit range =
        r.null | ((!r.empty) & inside(start, length, r.first, r.last) &
                  (r.outside_buffers | paged(c, r, r.memory + (start - r.first), length, write)));
    return (r.pd == c.state.qps.at(qp).pd) & has(r.access, right) & range;
  }
  static Bit element(const C& c, std::uint32_t qp, const model::Element<D>& e, Address length,
                     bool write) {
    Bit found = length == D::address(0);
    for (const Region<D>& r : c.state.regions)
      found = found | (r.live & (r.lkey == e.lkey) &
                       covers(c, r, qp, e.address, length, write ? model::kLocalWrite : 0U, write));
    return found;
  }
  /// What a request takes along needs no key.
  static Bit carries(const C& c) {
    return has(c.call.flags, model::kInline) & D::bit(model::is_sent_only(c.call.verb));
  }
  static Bit sent_element(const C& c, const model::Element<D>& e) {
    return carries(c) | element(c, c.call.qp, e, e.length, false);
  }
  static void add_elements(const C& c, std::vector<Bit>& all) {
    const auto& call = c.call;
    if (model::is_sent_only(call.verb)) {
      all.push_back(sent_element(c, {call.lkey, call.address, call.length}));
      if (call.elements == 2) all.push_back(sent_element(c, call.second));
      return;
    }
    const bool write = call.verb == Verb::rdma_read || model::is_atomic(call.verb);
    all.push_back(element(c, call.qp, {call.lkey, call.address, call.length}, call.length, write));
    if (call.elements == 2)
      all.push_back(element(c, call.qp, call.second, call.second.length, write));
  }
  static Address message(const C& c) {
    return c.call.elements == 2 ? c.call.length + c.call.second.length : c.call.length;
  }
  static Bit pair_ready(const C& c) {
    const auto rts = D::small(model::QpState::rts);
    const auto& p = c.state.qps.at(model::peer_of(c.call.qp));
    return (c.state.qps.at(c.call.qp).state == rts) & p.live & (p.state == rts) &
           (message(c) <= c.state.can.max_message);
  }
  static Bit window_covers(const C& c, const Window<D>& w, std::uint32_t right, bool write) {
    const auto qp = model::peer_of(c.call.qp);
    const auto features = c.state.can.features;
    const Bit any_pair = has(features, model::kMwType2A) & !has(features, model::kMwType2B);
    Bit memory = D::bit(true);
    for (std::size_t i = 0; i < D::kRegions; ++i)
      memory = memory & implies(w.region == D::slot(i),
                                paged(c, c.state.regions.at(i),
                                      w.memory + (c.call.remote - w.first), message(c), write));
    return (w.pd == c.state.qps.at(qp).pd) & has(w.access, right) &
           inside(c.call.remote, message(c), w.first, w.last) & memory &
           ((!w.two) | any_pair | (w.qp == D::slot(qp)));
  }
  static std::uint32_t right_of(Verb verb) {
    if (model::is_atomic(verb)) return model::kRemoteAtomic;
    return verb == Verb::rdma_read ? model::kRemoteRead : model::kRemoteWrite;
  }
  /// Whether the other end lets its peer do such a thing at all.
  static Bit accepts(const C& c) {
    return has(c.state.qps.at(model::peer_of(c.call.qp)).access, right_of(c.call.verb));
  }
  static Bit remote(const C& c) {
    const auto& call = c.call;
    const auto qp = model::peer_of(call.qp);
    const std::uint32_t right = right_of(call.verb);
    const bool write = call.verb != Verb::rdma_read;
    Bit found = D::bit(false);
    Bit shut = D::bit(false);  // a region without remote rights may happen to have the key too
    for (const Region<D>& r : c.state.regions) {
      const Bit answers = r.live & (!r.null) & (r.rkey == call.rkey);
      found = found | (answers & covers(c, r, qp, call.remote, message(c), right, write));
      shut = shut | (answers & !is_open(r));
    }
    for (const Window<D>& w : c.state.windows)
      found =
          found | (w.live & w.bound & (w.rkey == call.rkey) & window_covers(c, w, right, write));
    return (message(c) == D::address(0)) | (found & !shut & accepts(c));
  }
  static void add_receive(const C& c, std::vector<Bit>& all) {
    const auto peer = model::peer_of(c.call.qp);
    const auto& p = c.state.qps.at(peer);
    const auto& e = p.elements;
    const auto in_first = D::select(message(c) <= e.at(0).length, message(c), e.at(0).length);
    const auto rest = message(c) - in_first;
    all.push_back(p.posted);
    all.push_back(rest <= e.at(1).length);
    all.push_back(element(c, peer, e.at(0), in_first, true));
    all.push_back(element(c, peer, e.at(1), rest, true));
  }
  /// Cases, one of which is so: a receive's two elements together make questions of seconds.
  static std::vector<std::pair<std::string, Bit>> cases(const C& c) {
    if (!model::is_send(c.call.verb)) return {{"", D::bit(true)}};
    const auto& p = c.state.qps.at(model::peer_of(c.call.qp));
    const Bit fits = message(c) <= p.elements.at(0).length;
    return {{", one element", fits}, {", both elements", !fits}};
  }
  /// Which region or window is behind the remote key decides where the bytes are.
  static Bit aligned(const C& c) {
    const auto eighth = [](Address a) { return (a & D::address(7)) == D::address(0); };
    Bit found = eighth(c.call.remote);
    for (const Region<D>& r : c.state.regions)
      found = found | (r.live & (!r.null) & (r.rkey == c.call.rkey) & is_open(r) &
                       eighth(r.memory + (c.call.remote - r.first)));
    for (const Window<D>& w : c.state.windows)
      found = found | (w.live & w.bound & (w.rkey == c.call.rkey) &
                       eighth(w.memory + (c.call.remote - w.first)));
    return found;
  }

  // ---- regions ----

  static Bit rights(typename D::Flags access) {
    return (!writes_remotely<D>(access)) | has(access, model::kLocalWrite);
  }
  static Bit registered(const C& c) {
    const auto& call = c.call;
    const auto access = call.access & c.state.defined;
    const Bit free = has(access, model::kOnDemand) | (call.length == D::address(0));
    const Bit dmabuf =
        inside(call.address, call.length, D::address(0), D::address(model::kDmabufSize - 1));
    const Bit own = has(access, model::kAllocateMr) |
                    mapped(c, call.address, call.length, has(access, model::kLocalWrite));
    return rights(access) & (free | (call.verb == Verb::reg_dmabuf_mr ? dmabuf : own));
  }
  static Bit renewed(const C& c) {
    const auto& call = c.call;
    const auto& r = c.state.regions.at(call.mr);
    const auto access =
        D::select(has(call.flags, model::kChangeAccess), call.access & c.state.defined, r.access);
    const Bit moves = has(call.flags, model::kChangeTranslation);
    const Bit memory = mapped(c, call.address, call.length, has(access, model::kLocalWrite));
    return (call.flags <= D::flags(7)) & rights(access) &
           ((!moves) | has(access, model::kOnDemand) | (call.length == D::address(0)) |
            has(access, model::kAllocateMr) | memory);
  }
  static Bit shared(const C& c) {
    return has(c.state.regions.at(c.call.source).access, model::kShared) &
           rights(c.call.access & c.state.defined);
  }
  static Bit unbound(const C& c) {
    Bit bound = D::bit(false);
    for (const Window<D>& w : c.state.windows)
      bound = bound | (is_known_bound(w) & (w.region == D::slot(c.call.mr)));
    return !bound;
  }
  static Bit renewed_as_the_vendor_says(const C& c) {
    return renewed(c) & unbound(c) & !has(c.state.regions.at(c.call.mr).access, model::kPeerMemory);
  }

  // ---- windows ----

  static Bit bound(const C& c) {
    const auto& call = c.call;
    const auto& w = c.state.windows.at(call.mw);
    const auto& r = c.state.regions.at(call.mr);
    const auto& q = c.state.qps.at(call.qp);
    const Bit asks = call.length != D::address(0);
    const Bit room = (!r.empty) & inside(call.address, call.length, r.first, r.last);
    const Bit rights_of = has(r.access, model::kMwBind) &
                          ((!writes_remotely<D>(call.access)) | has(r.access, model::kLocalWrite));
    const Bit type = call.verb == Verb::bind_mw ? !w.two : w.two & !w.bound & asks & (w.pd == q.pd);
    return (q.state == D::small(model::QpState::rts)) & (w.pd == r.pd) & !r.null & type &
           ((!asks) | (room & rights_of));
  }
  static Bit invalidated(const C& c, std::uint32_t qp) {
    Bit found = D::bit(false);
    for (const Window<D>& w : c.state.windows)
      found = found | (w.live & w.two & (w.rkey == c.call.rkey) & (w.pd == c.state.qps.at(qp).pd));
    return found;
  }

  // ---- advice ----

  static Bit advised_element(const C& c, const model::Element<D>& e) {
    Bit found = e.length == D::address(0);
    const bool write = c.call.option == model::kPrefetchWrite;
    const Bit flush = has(c.call.flags, model::kAdviseFlush);
    const Bit now = D::bit(c.call.option != model::kPrefetchNoFault) & flush;
    for (const Region<D>& r : c.state.regions) {
      const Bit range = (!flush) | ((!r.empty) & inside(e.address, e.length, r.first, r.last));
      const Bit there =
          r.outside_buffers | mapped(c, r.memory + (e.address - r.first), e.length, D::bit(write));
      found = found | (r.live & (r.lkey == e.lkey) & (r.pd == D::slot(c.call.pd)) & range &
                       has(r.access, model::kOnDemand) &
                       has(r.access, write ? model::kLocalWrite : 0U) & ((!now) | there));
    }
    return found;
  }
  static void add_advised(const C& c, std::vector<Bit>& all) {
    const auto& call = c.call;
    all.push_back(D::bit(call.option <= 2) & (call.flags <= D::flags(model::kAdviseFlush)));
    all.push_back(advised_element(c, {call.lkey, call.address, call.length}));
    if (call.elements == 2) all.push_back(advised_element(c, call.second));
  }

  static std::vector<Bit> transfer(const C& c) {
    const auto verb = c.call.verb;
    std::vector<Bit> all{pair_ready(c)};
    add_elements(c, all);
    if (model::is_send(verb)) add_receive(c, all);
    if (verb == Verb::send_with_inv) all.push_back(invalidated(c, model::peer_of(c.call.qp)));
    if (model::is_remote(verb)) all.push_back(remote(c));
    if (verb == Verb::rdma_write_with_imm)
      all.push_back(c.state.qps.at(model::peer_of(c.call.qp)).posted);
    if (model::is_atomic(verb)) all.push_back(aligned(c));
    return all;
  }

  /// What has to be so for the call to succeed, all of it; `vendor`: by the rules of the vendor's
  /// verbs.
  static std::vector<Bit> of(const C& c, bool vendor) {
    std::vector<Bit> all;
    switch (c.call.verb) {
      case Verb::reg_mr:
      case Verb::reg_mr_iova:
      case Verb::reg_mr_ex:
      case Verb::reg_dmabuf_mr: return {registered(c)};
      case Verb::reg_shared_mr: return {shared(c)};
      case Verb::rereg_mr: return {vendor ? renewed_as_the_vendor_says(c) : renewed(c)};
      case Verb::dereg_mr: return {unbound(c)};
      case Verb::advise_mr: add_advised(c, all); return all;
      case Verb::bind_mw:
      case Verb::post_bind_mw: return {bound(c)};
      case Verb::local_inv:
        return {c.state.qps.at(c.call.qp).state == D::small(model::QpState::rts),
                invalidated(c, c.call.qp)};
      default: return model::is_transfer(c.call.verb) ? transfer(c) : std::vector<Bit>{};
    }
  }
};

}  // namespace mrproof::specs
