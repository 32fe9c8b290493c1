// Why a work request may fail, said a second time: by the objects that would have let it succeed.
#pragma once

#include <optional>
#include <string_view>

#include "specs/theorems/permitted.hpp"

namespace mrproof::specs {

/// The second opinion on failures of work requests.
template <class D>
struct TransferReasons {
  using Bit = typename D::Bit;
  using Address = typename D::Address;
  using C = Choice<D>;
  using P = Permitted<D>;
  using Reason = std::optional<Bit>;

  static const auto& own(const C& c) { return c.state.qps.at(c.call.qp); }
  static const auto& peer(const C& c) { return c.state.qps.at(model::peer_of(c.call.qp)); }
  static Bit in_rts(const model::QueuePair<D>& q) {
    return q.state == D::small(model::QpState::rts);
  }
  static Bit answered(const C& c) { return in_rts(own(c)) & peer(c).live & in_rts(peer(c)); }
  static Bit too_long(const C& c) { return c.state.can.max_message < P::message(c); }
  static bool stores(const C& c) {
    return c.call.verb == Verb::rdma_read || c.call.verb == Verb::post_recv ||
           model::is_atomic(c.call.verb);
  }
  static std::vector<model::Element<D>> elements(const C& c) {
    std::vector<model::Element<D>> all{{c.call.lkey, c.call.address, c.call.length}};
    if (c.call.elements == 2) all.push_back(c.call.second);
    return all;
  }
  static Bit element_bad(const C& c) {
    Bit bad = D::bit(false);
    for (const auto& e : elements(c)) bad = bad | !P::element(c, c.call.qp, e, e.length, stores(c));
    return bad & !P::carries(c);
  }
  static Bit empty_element_bad(const C& c) {
    Bit bad = D::bit(false);
    for (const auto& e : elements(c))
      bad = bad |
            ((e.length == D::address(0)) & !P::element(c, c.call.qp, e, D::address(1), stores(c)));
    return bad & !P::carries(c);
  }
  /// Whether it takes bytes along, and the device has never shown that it can.
  static Bit inline_unknown(const C& c) {
    return P::carries(c) & !(P::has(c.state.can.features, model::kInlineData) |
                             P::has(c.state.demonstrated_features, model::kInlineData));
  }
  /// Whether region or window answers to the remote key.
  static Bit answers(const C& c, const Region<D>& r) {
    return r.live & (!r.null) & (r.rkey == c.call.rkey);
  }
  static Bit answers(const C& c, const Window<D>& w) {
    return w.live & w.bound & (w.rkey == c.call.rkey);
  }
  static Bit some_bytes(const C& c) { return P::message(c) != D::address(0); }
  static Bit window_elsewhere(const C& c) {
    Bit found = D::bit(false);
    for (const Window<D>& w : c.state.windows)
      found = found | (answers(c, w) & w.two & (w.qp != D::slot(model::peer_of(c.call.qp))));
    return found & some_bytes(c);
  }
  static Bit remote_page_missing(const C& c) {
    const bool write = c.call.verb != Verb::rdma_read;
    Bit missing = D::bit(false);
    for (const Region<D>& r : c.state.regions)
      missing =
          missing | (answers(c, r) & !r.outside_buffers &
                     !P::paged(c, r, r.memory + (c.call.remote - r.first), P::message(c), write));
    for (const Window<D>& w : c.state.windows)
      for (std::size_t i = 0; i < D::kRegions; ++i)
        missing = missing | (answers(c, w) & (w.region == D::slot(i)) &
                             !P::paged(c, c.state.regions.at(i),
                                       w.memory + (c.call.remote - w.first), P::message(c), write));
    return missing & some_bytes(c);
  }
  /// Whether memory or address of an atomic operation are no multiple of 8.
  static Bit misaligned(const C& c) {
    if (!model::is_atomic(c.call.verb)) return D::bit(false);
    const auto odd = [](Address a) { return (a & D::address(7)) != D::address(0); };
    Bit found = odd(c.call.remote);
    for (const Region<D>& r : c.state.regions)
      found = found | (answers(c, r) & odd(r.memory + (c.call.remote - r.first)));
    for (const Window<D>& w : c.state.windows)
      found = found | (answers(c, w) & odd(w.memory + (c.call.remote - w.first)));
    return found;
  }

  /// Whether the other end has a reason of its own: it may not accept an empty operation either.
  static Bit refused_there(const C& c) { return (!P::remote(c)) | !P::accepts(c); }

  static Bit landing_bad(const C& c) {
    const auto& e = peer(c).elements;
    const auto qp = model::peer_of(c.call.qp);
    const auto first = D::select(P::message(c) <= e[0].length, P::message(c), e[0].length);
    const auto rest = P::message(c) - first;
    const auto second = D::select(rest <= e[1].length, rest, e[1].length);
    return !(P::element(c, qp, e[0], first, true) & P::element(c, qp, e[1], second, true));
  }
  static Bit receive_bad(const C& c) {
    Bit bad = D::bit(false);
    for (std::size_t i = 0; i < 2; ++i) {
      const auto& e = peer(c).elements.at(i);
      const auto length = D::select(e.length == D::address(0), D::address(1), e.length);
      const Bit there = i == 0 ? D::bit(true) : peer(c).two;
      bad = bad | (there & !P::element(c, model::peer_of(c.call.qp), e, length, true));
    }
    return bad;
  }
  static Bit receive_short(const C& c) {
    const auto& e = peer(c).elements;
    return e[0].length + e[1].length < P::message(c);
  }
  /// Whether no window is there that the queue pair may invalidate by that key without a doubt.
  static Bit key_bad(const C& c, std::uint32_t qp) {
    Bit found = D::bit(false);
    for (const Window<D>& w : c.state.windows)
      found =
          found | (answers(c, w) & w.two & (w.pd == c.state.qps.at(qp).pd) & (w.qp == D::slot(qp)));
    return !found;
  }
  static Bit bind_bad(const C& c) {
    const auto& call = c.call;
    const auto& w = c.state.windows.at(call.mw);
    const auto& r = c.state.regions.at(call.mr);
    const auto flags =
        model::kRemoteWrite | model::kRemoteRead | model::kRemoteAtomic | model::kZeroBased;
    const Bit atomics = P::has(c.state.can.claimed, model::kRemoteAtomic) |
                        P::has(c.state.demonstrated_access, model::kRemoteAtomic);
    const auto index = D::key(0xffffff00U);
    const Bit key = ((call.rkey & index) == (w.rkey & index)) & (call.rkey != w.rkey);
    const Bit plain = ((!P::has(call.access, model::kZeroBased)) | w.two) &
                      ((call.access | D::flags(flags)) == D::flags(flags)) & (w.pd == own(c).pd) &
                      (atomics | !P::has(call.access, model::kRemoteAtomic)) & ((!w.two) | key) &
                      (r.first == r.memory);
    return !(P::bound(c) & plain);
  }

  /// Over iWARP: whether either end has something to object to.
  static Bit stream_bad(const C& c) {
    const Bit near = element_bad(c) | empty_element_bad(c) | too_long(c);
    // An element that is sound as a whole takes any part of the message.
    if (model::is_send(c.call.verb))
      return near | (peer(c).posted & (receive_short(c) | receive_bad(c)));
    Bit sink = D::bit(false);
    if (c.call.verb == Verb::rdma_read)
      for (const auto& e : elements(c))
        for (const Region<D>& r : c.state.regions)
          sink = sink | (r.live & (r.lkey == e.lkey) & (e.length != D::address(0)) &
                         !P::has(r.access, model::kRemoteWrite));
    return near | refused_there(c) | misaligned(c) | sink;
  }

  /// Whether the responder has something to object to before it hears of the requester's fault.
  static Bit far_bad(const C& c) {
    if (model::is_send(c.call.verb)) return peer(c).posted & (receive_short(c) | receive_bad(c));
    return refused_there(c) | window_elsewhere(c);
  }

  static Reason of_send(const C& c, std::string_view rule) {
    const Bit lands = answered(c) & peer(c).posted;
    const Bit key = key_bad(c, model::peer_of(c.call.qp));
    if (rule == "rem_inv_req_err") return lands & (receive_short(c) | too_long(c));
    if (rule == "rem_op_err") return lands & landing_bad(c);
    if (rule == "rem_op_err_unused") return lands & receive_bad(c);
    if (rule == "ok_receive_fails") return lands & !too_long(c) & !element_bad(c) & key;
    if (rule.ends_with("_key")) return answered(c) & key;
    return {};
  }
  static Reason of_remote(const C& c, std::string_view rule) {
    if (rule == "rem_access_err") return answered(c) & refused_there(c);
    if (rule == "rem_access_err_elsewhere") return answered(c) & window_elsewhere(c);
    if (rule == "rem_op_err") return answered(c) & remote_page_missing(c);
    if (rule == "rem_inv_req_err")
      return answered(c) & (too_long(c) | misaligned(c) | !P::accepts(c));
    return {};
  }
  /// When the rule of that name allows its result; nothing if there is no second opinion.
  static Reason of(const C& c, std::string_view rule) {
    const Bit ready = in_rts(own(c));
    if (rule == "wr_flush_err") return !ready;
    if (!model::has_elements(c.call.verb)) {
      const Bit bad = model::is_bind(c.call.verb) ? bind_bad(c) : key_bad(c, c.call.qp);
      if (rule == "refused") return (!ready) | bad;
      if (rule.ends_with("_err")) return ready & bad;
      return {};
    }
    if (rule == "unsupported") return model::is_iwarp(c.state);  // RFC 5040 has no immediates
    const Bit stream = model::is_iwarp(c.state) & answered(c);
    if (rule == "terminated") return stream & stream_bad(c);
    if (rule == "terminated_not_ready") return stream & !peer(c).posted;
    if (rule == "retry_exc_err") return ready & !answered(c);
    if (rule == "transport") return answered(c) & ((c.state.can.features & model::kLossless) == 0);
    if (rule == "rnr_retry_exc_err") return answered(c) & !peer(c).posted;
    if (rule == "loc_prot_err") return ready & element_bad(c);
    if (rule == "loc_prot_err_both")
      return answered(c) & far_bad(c) & (element_bad(c) | empty_element_bad(c));
    if (rule == "loc_prot_err_empty") return ready & empty_element_bad(c);
    if (rule == "loc_len_err") return ready & too_long(c);
    if (rule == "refused")
      return (!ready) | too_long(c) | misaligned(c) | element_bad(c) | empty_element_bad(c) |
             inline_unknown(c);
    return model::is_send(c.call.verb) ? of_send(c, rule) : of_remote(c, rule);
  }
};

}  // namespace mrproof::specs
