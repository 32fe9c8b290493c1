// Circumstances: what an unexplained refusal is named by beside "nothing_forbids".
//
// They decide nothing. They keep apart what would else have one name: a provider known to mishandle
// zero-based regions must still be found out when it begins to refuse plain ones.
#pragma once

#include "model/conditions/windows.hpp"

namespace mrproof::model {

/// Whether the region that answers to the key has the access flag.
template <class D>
constexpr typename D::Bit region_has(const View<D>& v, const Target<D>& target,
                                     std::uint32_t flag) {
  return any<D>(v.state.regions,
                [&](const Region<D>& r) { return answers<D>(r, target) & has<D>(r.access, flag); });
}

/// Whether the region that answers to the key is addressed by numbers of its own.
template <class D>
constexpr typename D::Bit region_elsewhere(const View<D>& v, const Target<D>& target) {
  return any<D>(v.state.regions, [&](const Region<D>& r) {
    return answers<D>(r, target) & (r.first != r.memory) & !has<D>(r.access, kZeroBased);
  });
}

/// Whether the refusal seen lays the fault on the local side.
template <class D>
constexpr typename D::Bit blames_local(const View<D>& v) {
  const auto outcome = v.result.outcome;
  return D::bit(outcome == Outcome::loc_prot_err || outcome == Outcome::loc_len_err ||
                outcome == Outcome::loc_qp_op_err || outcome == Outcome::refused) &
         D::bit(has_elements(v.call.verb) && v.call.verb != Verb::advise_mr);
}

/// Whether the refusal seen lays the fault on the remote range.
template <class D>
constexpr typename D::Bit blames_remote(const View<D>& v) {
  return D::bit(v.result.outcome == Outcome::rem_access_err && is_remote(v.call.verb));
}

template <class D>
inline constexpr Condition<D> local_zero_based{
    "local_zero_based", "the local region is addressed by offsets",
    "reg_mr.zero_based post_send.sge_zero_based", About::circumstance, [](const View<D>& v) {
      auto found = D::bit(false);
      for (std::size_t i = 0; i < v.call.elements; ++i)
        found = found | region_has<D>(v, element_target<D>(v, i, 0), kZeroBased);
      return blames_local<D>(v) & found;
    }};

template <class D>
inline constexpr Condition<D> remote_zero_based{
    "remote_zero_based", "the remote region is addressed by offsets", "reg_mr.zero_based",
    About::circumstance, [](const View<D>& v) {
      return blames_remote<D>(v) & region_has<D>(v, remote_target<D>(v), kZeroBased);
    }};

template <class D>
inline constexpr Condition<D> receive_zero_based{
    "receive_zero_based", "the region behind the receive is addressed by offsets",
    "reg_mr.zero_based gap.receive_zero_based", About::circumstance, [](const View<D>& v) {
      return D::bit(v.result.outcome == Outcome::rem_op_err && is_send(v.call.verb)) &
             (region_has<D>(v, receive_target<D>(v, 0, false), kZeroBased) |
              region_has<D>(v, receive_target<D>(v, 1, false), kZeroBased));
    }};

template <class D>
inline constexpr Condition<D> addressed_by_iova{
    "addressed_by_iova", "a region is addressed by an iova of its own, and none by offsets",
    "reg_mr.iova reg_mr.iova_formula", About::circumstance, [](const View<D>& v) {
      auto found = blames_remote<D>(v) & region_elsewhere<D>(v, remote_target<D>(v));
      for (std::size_t i = 0; i < v.call.elements; ++i)
        found = found | (blames_local<D>(v) & region_elsewhere<D>(v, element_target<D>(v, i, 0)));
      return found & !(local_zero_based<D>.holds(v) | remote_zero_based<D>.holds(v));
    }};

template <class D>
inline constexpr Condition<D> through_window{
    "through_window", "the remote key is that of a memory window", "alloc_mw.grants_subset",
    About::circumstance, [](const View<D>& v) {
      return blames_remote<D>(v) & any<D>(v.state.windows, [&](const Window<D>& w) {
               return answers<D>(w, remote_target<D>(v));
             });
    }};

template <class D>
inline constexpr Condition<D> zero_based_window{
    "zero_based_window", "the window is, or is to be, addressed by offsets", "bind_mw.zero_based",
    About::circumstance, [](const View<D>& v) {
      const auto wanted = D::bit(is_bind(v.call.verb)) & has<D>(v.call.access, kZeroBased);
      return wanted | (blames_remote<D>(v) & any<D>(v.state.windows, [&](const Window<D>& w) {
                         return answers<D>(w, remote_target<D>(v)) & has<D>(w.access, kZeroBased);
                       }));
    }};

template <class D>
inline constexpr Condition<D> unbinding{
    "unbinding", "the bind has length zero", "alloc_mw.type_1_ends gap.unbind_arguments",
    About::circumstance,
    [](const View<D>& v) { return D::bit(is_bind(v.call.verb)) & unbinds(v); }};

template <class D>
inline constexpr Condition<D> empty_transfer{
    "empty_transfer", "the transfer has no bytes", "C9-88 gap.zero_length_remote",
    About::circumstance, [](const View<D>& v) {
      return D::bit(is_transfer(v.call.verb) && has_elements(v.call.verb)) & zero_length(v);
    }};

template <class D>
inline constexpr Condition<D> optional_access_bits{
    "optional_access_bits", "access bits of the optional range are set",
    "uverbs_ioctl.optional_range verbs_h.optional_masked", About::circumstance,
    [](const View<D>& v) {
      return D::bit(makes_region(v.call.verb)) & has_any<D>(v.call.access, kOptionalRange);
    }};

template <class D>
inline constexpr Condition<D> zero_based_asked{
    "zero_based_asked", "a zero-based region is asked for", "reg_mr.zero_based",
    About::circumstance, [](const View<D>& v) {
      return D::bit(makes_region(v.call.verb)) & has<D>(v.call.access, kZeroBased);
    }};

template <class D>
inline constexpr Condition<D> on_demand_asked{
    "on_demand_asked", "a region that is paged on demand is asked for", "reg_mr.on_demand",
    About::circumstance, [](const View<D>& v) {
      return D::bit(makes_region(v.call.verb)) & has<D>(v.call.access, kOnDemand);
    }};

template <class D>
inline constexpr Condition<D> read_only_memory{
    "read_only_memory", "part of the memory is read-only", "memory.read_only", About::circumstance,
    [](const View<D>& v) {
      return D::bit(makes_region(v.call.verb)) &
             paged_in<D>(v.state, v.call.address, v.call.length, false) &
             !paged_in<D>(v.state, v.call.address, v.call.length, true);
    }};

template <class D>
inline constexpr Condition<D> unbound_window_named{
    "unbound_window_named", "the type 2 window to be invalidated is not bound",
    "gap.invalidate_free_window", About::circumstance, [](const View<D>& v) {
      return D::bit(v.call.verb == Verb::local_inv || v.call.verb == Verb::send_with_inv) &
             invalidates_window<D>.holds(v) & !invalidates_bound<D>.holds(v);
    }};

template <class D>
inline constexpr Condition<D> windows_through_qp{
    "windows_through_qp", "type 2 windows are bound through the queue pair to be destroyed",
    "o10-2.2.5", About::circumstance, [](const View<D>& v) {
      return D::bit(v.call.verb == Verb::destroy_qp) &
             any<D>(v.state.windows, [&](const Window<D>& w) {
               return w.live & w.two & w.bound & (w.qp == D::small(v.call.qp));
             });
    }};

template <class D>
inline constexpr const Condition<D>* kCircumstances[] = {
    &local_zero_based<D>,     &remote_zero_based<D>, &receive_zero_based<D>, &addressed_by_iova<D>,
    &through_window<D>,       &zero_based_window<D>, &unbinding<D>,          &empty_transfer<D>,
    &optional_access_bits<D>, &zero_based_asked<D>,  &on_demand_asked<D>,    &read_only_memory<D>,
    &unbound_window_named<D>, &windows_through_qp<D>};

}  // namespace mrproof::model
