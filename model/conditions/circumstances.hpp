// Circumstances: what an unexplained refusal is named by beside "nothing_forbids", and a few of
// them what a success out of bounds is named by.
//
// They decide nothing. They keep apart what would else have one name: a provider known to mishandle
// zero-based regions must still be found out when it begins to refuse plain ones, and one known not
// to check the bounds of windows when it forgets those of regions.
#pragma once

#include "model/conditions/windows.hpp"

namespace mrproof::model {

/// Whether some region that answers to the target's key, or to some element's, satisfies the
/// predicate.
constexpr auto some_region(const auto& target, auto&& predicate) {
  return !target.regions([&](auto& r) { return !predicate(r); });
}
template <class D> constexpr auto some_local_region(const View<D>& v, auto&& predicate) {
  auto found = D::bit(false);
  for (std::size_t i = 0; i < v.call.elements; ++i)
    found = found | some_region(v.element(i, 0), predicate);
  return found;
}
/// Whether the region is addressed by offsets; by numbers of its own.
template <class D> constexpr auto zero_based(const Region<D>& r) {
  return has<D>(r.access, kZeroBased);
}
template <class D> constexpr auto elsewhere(const Region<D>& r) {
  return (r.first != r.memory) & !zero_based(r);
}
/// Whether the refusal seen lays the fault on the local side; the remote range. That a connection
/// ended may be anybody's fault.
constexpr bool blames_local(const auto& v) {
  const auto outcome = v.result.outcome;
  return (outcome == Outcome::loc_prot_err || outcome == Outcome::loc_len_err ||
             outcome == Outcome::loc_qp_op_err || outcome == Outcome::refused ||
             outcome == Outcome::terminated) &&
         has_elements(v.call.verb) && v.call.verb != Verb::advise_mr;
}
constexpr bool blames_remote(const auto& v) {
  const auto outcome = v.result.outcome;
  return (outcome == Outcome::rem_access_err || outcome == Outcome::terminated) &&
         is_remote(v.call.verb);
}
/// Whether a message ended the connection, or was stored outside of the receive's region, and a
/// region behind the receive satisfies the predicate.
template <class D> constexpr auto landed_in(const View<D>& v, auto&& predicate) {
  auto found = D::bit(false);
  const auto outcome = v.result.outcome;
  if (!is_send(v.call.verb)) return found;
  if (outcome == Outcome::terminated || outcome == Outcome::ok)
    found = some_region(v.receive(0), predicate) | some_region(v.receive(1), predicate);
  if (outcome == Outcome::ok) found = found & !receive_in_bounds<D>.holds(v);
  return found;
}
/// Whether a window behind the remote range satisfies the predicate.
template <class D> constexpr auto some_window(const View<D>& v, auto&& predicate) {
  return !v.remote().windows([&](auto& w) { return !predicate(w); });
}
template <class D> constexpr auto window_blamed(const View<D>& v, auto&& predicate) {
  return blames_remote(v) & some_window(v, predicate);
}
/// Whether the success seen reached a remote range that is not inside what the key names, or may
/// have before it met a fault on the local side.
template <class D> constexpr auto reached_too_far(const View<D>& v) {
  auto too_far = D::bit(false);
  if (!is_remote(v.call.verb)) return too_far;
  const auto outside = !remote_in_bounds<D>.holds(v);
  const auto local_sound = local_key_live<D>.holds(v) & local_same_pd<D>.holds(v) &
                           local_write_right<D>.holds(v) & local_in_bounds<D>.holds(v) &
                           local_memory_there<D>.holds(v);
  if (v.result.outcome == Outcome::ok) too_far = outside;
  if (v.result.outcome == Outcome::loc_prot_err) too_far = outside & !local_sound;
  return too_far;
}
/// Whether the success seen used an element that is not inside the region of its key.
template <class D> constexpr auto reached_too_far_here(const View<D>& v) {
  auto too_far = D::bit(false);
  if (v.result.outcome == Outcome::ok && is_transfer(v.call.verb) && has_elements(v.call.verb))
    too_far = !local_in_bounds<D>.holds(v);
  return too_far;
}
/// Whether a region that the call uses, on any side, satisfies the predicate.
template <class D> constexpr auto region_used(const View<D>& v, auto&& predicate) {
  auto used = D::bit(false);
  if (is_transfer(v.call.verb) && has_elements(v.call.verb))
    used = used | some_local_region(v, predicate);
  if (is_remote(v.call.verb)) {
    const auto t = v.remote();
    used = used | some_region(t, predicate) |
           !t.windows([&](auto& w) { return !t.behind(w, predicate); });
  }
  if (is_send(v.call.verb))
    used = used | some_region(v.receive(0), predicate) | some_region(v.receive(1), predicate);
  return used;
}

/// Whether the bytes that the range names begin in one page and end in another.
constexpr auto crosses_pages(const auto& target) {
  return (target.piece(target.length).at & 4095) + target.length > 4096;
}
/// Whether a read over iWARP succeeded, and its bytes lie in two pages; whether a send or a write
/// of one element did.
template <class D> constexpr auto read_crosses(const View<D>& v) {
  auto crosses = D::bit(false);
  if (v.call.verb == Verb::rdma_read && v.result.outcome == Outcome::ok)
    crosses = is_iwarp(v.state) & crosses_pages(v.remote());
  return crosses;
}
template <class D> constexpr auto sent_crosses(const View<D>& v) {
  auto crosses = D::bit(false);
  if ((is_send(v.call.verb) || v.call.verb == Verb::rdma_write) && v.call.elements == 1 &&
      v.result.outcome == Outcome::ok)
    crosses = is_iwarp(v.state) & crosses_pages(v.local(0));
  return crosses;
}

// How regions are addressed.
MRPROOF_CIRCUMSTANCE_ON(kAboutZeroBased, local_zero_based,
    "the local region is addressed by offsets", "reg_mr.zero_based post_send.sge_zero_based",
    (blames_local(v) | reached_too_far_here(v)) & some_local_region(v, zero_based<D>));
MRPROOF_CIRCUMSTANCE_ON(kAboutZeroBased, remote_zero_based,
    "the remote region is addressed by offsets", "reg_mr.zero_based",
    (blames_remote(v) | reached_too_far(v)) & some_region(v.remote(), zero_based<D>));
MRPROOF_CIRCUMSTANCE_ON(kAboutReceives | kAboutZeroBased, receive_zero_based,
    "the region behind the receive is addressed by offsets",
    "reg_mr.zero_based gap.receive_zero_based",
    landed_in(v, zero_based<D>) |
        (D::bit(v.result.outcome == Outcome::rem_op_err && is_send(v.call.verb)) &
            (some_region(v.receive(0), zero_based<D>) | some_region(v.receive(1), zero_based<D>))));
MRPROOF_CIRCUMSTANCE(addressed_by_iova,
    "a region is addressed by an iova of its own, and none by offsets",
    "reg_mr.iova reg_mr.iova_formula",
    (((blames_remote(v) | reached_too_far(v)) & some_region(v.remote(), elsewhere<D>)) |
        landed_in(v, elsewhere<D>) |
        ((blames_local(v) | reached_too_far_here(v)) & some_local_region(v, elsewhere<D>))) &
        !(local_zero_based<D>.holds(v) | remote_zero_based<D>.holds(v)));

// Regions on demand: drivers reach their memory in another way.
MRPROOF_CIRCUMSTANCE_ON(kAboutOnDemand, on_demand_elsewhere,
    "a region paged on demand is used that is addressed by numbers of its own",
    "reg_mr.on_demand reg_mr.iova",
    region_used(v, [](auto& r) { return has<D>(r.access, kOnDemand) & (r.first != r.memory); }));
MRPROOF_CIRCUMSTANCE_ON(kAboutOnDemand, on_demand_used, "a region paged on demand is used",
    "reg_mr.on_demand", (!on_demand_elsewhere<D>.holds(v)) & region_used(v, [](auto& r) {
      return has<D>(r.access, kOnDemand);
    }));

// Windows.
MRPROOF_CIRCUMSTANCE(through_window, "the remote key is that of a memory window",
    "alloc_mw.grants_subset",
    (blames_remote(v) | reached_too_far(v)) &
        some_window(v, [](const auto&) { return D::bit(true); }));
MRPROOF_CIRCUMSTANCE_ON(kAboutZeroBased, zero_based_window,
    "the window is, or is to be, addressed by offsets", "bind_mw.zero_based",
    (is_bind(v.call.verb) & has<D>(v.call.access, kZeroBased)) |
        window_blamed(v, [](auto& w) { return has<D>(w.access, kZeroBased); }));
MRPROOF_CIRCUMSTANCE(bind_wraps,
    "address and length of the range to be bound add up to more than addresses have bits for",
    "C10-75",
    D::bit(is_bind(v.call.verb) && v.result.outcome == Outcome::ok) & (!unbinds(v)) &
        (v.call.address + v.call.length < v.call.address));
MRPROOF_CIRCUMSTANCE(unbinding, "the bind has length zero",
    "alloc_mw.type_1_ends gap.unbind_arguments", is_bind(v.call.verb) & unbinds(v));
MRPROOF_CIRCUMSTANCE(unbound_window_named, "the type 2 window to be invalidated is not bound",
    "gap.invalidate_free_window",
    (v.call.verb == Verb::local_inv || v.call.verb == Verb::send_with_inv) &
        invalidates_window<D>.holds(v) & !invalidates_bound<D>.holds(v));
MRPROOF_CIRCUMSTANCE_ON(kAboutPairs, windows_through_qp,
    "type 2 windows are bound through the queue pair to be destroyed", "o10-2.2.5",
    (v.call.verb == Verb::destroy_qp) & bound_through_qp(v));

// What is asked for.
MRPROOF_CIRCUMSTANCE(empty_transfer, "the transfer has no bytes", "C9-88 gap.zero_length_remote",
    (is_transfer(v.call.verb) && has_elements(v.call.verb)) & (v.message() == 0));
MRPROOF_CIRCUMSTANCE(empty_element_first,
    "over iWARP an empty element comes before one that is not", "post_send.sge_range",
    D::bit((v.result.outcome == Outcome::none || v.result.outcome == Outcome::terminated) &&
           is_transfer(v.call.verb) && has_elements(v.call.verb) && v.call.elements == 2) &
        is_iwarp(v.state) & (v.call.length == 0) & (v.call.second.length != 0));
MRPROOF_CIRCUMSTANCE(fenced_before_read,
    "the request is fenced, and in flight or not signaled, so that a read may wait behind it",
    "post_send.fence",
    D::bit((v.result.outcome == Outcome::none || v.result.outcome == Outcome::retry_exc_err) &&
           is_transfer(v.call.verb)) &
        has<D>(v.call.flags, kFenced) &
        (has<D>(v.call.flags, kUnsignaled) | D::bit(v.call.part != Part::whole)));
MRPROOF_CIRCUMSTANCE(fenced_read, "the request is a read or an atomic operation, and fenced",
    "post_send.fence",
    D::bit((v.result.outcome == Outcome::refused || v.result.outcome == Outcome::none) &&
           (v.call.verb == Verb::rdma_read || is_atomic(v.call.verb))) &
        has<D>(v.call.flags, kFenced));
MRPROOF_CIRCUMSTANCE(inline_blamed, "the request is posted inline, and the fault laid on its end",
    "post_send.inline",
    v.posted_inline() &
        D::bit(blames_local(v) && v.result.outcome != Outcome::terminated));
MRPROOF_CIRCUMSTANCE(read_across_pages, "over iWARP bytes of two pages are read",
    "reg_mr.remote_read", read_crosses(v));
MRPROOF_CIRCUMSTANCE(sent_across_pages, "over iWARP bytes of two pages are sent",
    "post_send.sge_range", sent_crosses(v));
MRPROOF_CIRCUMSTANCE(optional_access_bits, "access bits of the optional range are set",
    "uverbs_ioctl.optional_range verbs_h.optional_masked",
    makes_region(v.call.verb) & has_any<D>(v.call.access, kOptionalRange));
MRPROOF_CIRCUMSTANCE_ON(kAboutZeroBased, zero_based_asked, "a zero-based region is asked for",
    "reg_mr.zero_based", makes_region(v.call.verb) & has<D>(v.call.access, kZeroBased));
MRPROOF_CIRCUMSTANCE_ON(kAboutOnDemand, on_demand_asked,
    "a region that is paged on demand is asked for", "reg_mr.on_demand",
    makes_region(v.call.verb) & has<D>(v.call.access, kOnDemand));
MRPROOF_CIRCUMSTANCE(read_only_memory, "part of the memory is read-only", "memory.read_only",
    makes_region(v.call.verb) & paged_in(v.state, v.call.address, v.call.length, false) &
        !paged_in(v.state, v.call.address, v.call.length, true));

/// What makes a success one out of bounds, and the circumstances that it is named by then.
template <class D>
inline constexpr const Condition<D>* kBounds[] = {
    &local_in_bounds<D>, &remote_in_bounds<D>, &receive_in_bounds<D>, &bind_in_bounds<D>};
template <class D>
inline constexpr const Condition<D>* kOutOfBounds[] = {&local_zero_based<D>, &remote_zero_based<D>,
    &receive_zero_based<D>, &addressed_by_iova<D>, &through_window<D>, &zero_based_window<D>,
    &bind_wraps<D>};

/// All of them, in the order in which they are named.
template <class D>
inline constexpr const Condition<D>* kCircumstances[] = {&local_zero_based<D>,
    &remote_zero_based<D>, &receive_zero_based<D>, &addressed_by_iova<D>, &on_demand_elsewhere<D>,
    &on_demand_used<D>, &through_window<D>, &zero_based_window<D>, &bind_wraps<D>, &unbinding<D>,
    &empty_transfer<D>, &empty_element_first<D>, &read_across_pages<D>, &sent_across_pages<D>,
    &optional_access_bits<D>, &zero_based_asked<D>, &on_demand_asked<D>, &read_only_memory<D>,
    &unbound_window_named<D>, &windows_through_qp<D>, &fenced_before_read<D>, &fenced_read<D>,
    &inline_blamed<D>};

}  // namespace mrproof::model
