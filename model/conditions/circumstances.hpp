// Circumstances: what an unexplained refusal is named by beside "nothing_forbids".
//
// They decide nothing. They keep apart what would else have one name: a provider known to mishandle
// zero-based regions must still be found out when it begins to refuse plain ones.
#pragma once

#include "model/conditions/transfer.hpp"

namespace mrproof::model {

/// Whether the region that answers to the key has the access flag.
template <class D>
constexpr typename D::Bit region_has(const View<D>& v, const Target<D>& target,
                                     std::uint32_t flag) {
  return any<D>(v.state.regions,
                [&](const Region<D>& r) { return answers<D>(r, target) & has<D>(r.access, flag); });
}

/// Whether the refusal seen lays the fault on the local side.
template <class D>
constexpr typename D::Bit blames_local(const View<D>& v) {
  const auto outcome = v.result.outcome;
  return D::bit(outcome == Outcome::loc_prot_err || outcome == Outcome::loc_len_err ||
                outcome == Outcome::loc_qp_op_err || outcome == Outcome::refused) &
         D::bit(is_transfer(v.call.verb) || v.call.verb == Verb::post_recv);
}

template <class D>
inline constexpr Condition<D> local_zero_based{
    "local_zero_based", "the local region is addressed by offsets",
    "ibv_reg_mr(3), IBV_ACCESS_ZERO_BASED", About::circumstance, [](const View<D>& v) {
      return blames_local<D>(v) & region_has<D>(v, local_target<D>(v), kZeroBased);
    }};

template <class D>
inline constexpr Condition<D> remote_zero_based{
    "remote_zero_based", "the remote region is addressed by offsets",
    "ibv_reg_mr(3), IBV_ACCESS_ZERO_BASED", About::circumstance, [](const View<D>& v) {
      return D::bit(v.result.outcome == Outcome::rem_access_err) &
             region_has<D>(v, remote_target<D>(v), kZeroBased);
    }};

template <class D>
inline constexpr Condition<D> receive_zero_based{
    "receive_zero_based", "the region behind the receive is addressed by offsets",
    "ibv_reg_mr(3), IBV_ACCESS_ZERO_BASED", About::circumstance, [](const View<D>& v) {
      return D::bit(v.result.outcome == Outcome::rem_op_err) &
             region_has<D>(v, receive_target<D>(v), kZeroBased);
    }};

template <class D>
inline constexpr Condition<D> empty_transfer{
    "empty_transfer", "the transfer has no bytes", "C9-88", About::circumstance,
    [](const View<D>& v) { return D::bit(is_transfer(v.call.verb)) & zero_length(v); }};

template <class D>
inline constexpr Condition<D> optional_access_bits{
    "optional_access_bits", "access bits of the optional range are set",
    "<rdma/ib_user_ioctl_verbs.h>, IB_UVERBS_ACCESS_OPTIONAL_RANGE", About::circumstance,
    [](const View<D>& v) {
      return D::bit(v.call.verb == Verb::reg_mr) & has_any<D>(v.call.access, kOptionalRange);
    }};

template <class D>
inline constexpr Condition<D> zero_based_asked{
    "zero_based_asked", "a zero-based region is asked for", "ibv_reg_mr(3), IBV_ACCESS_ZERO_BASED",
    About::circumstance, [](const View<D>& v) {
      return D::bit(v.call.verb == Verb::reg_mr) & has<D>(v.call.access, kZeroBased);
    }};

template <class D>
inline constexpr const Condition<D>* kCircumstances[] = {
    &local_zero_based<D>, &remote_zero_based<D>,    &receive_zero_based<D>,
    &empty_transfer<D>,   &optional_access_bits<D>, &zero_based_asked<D>};

}  // namespace mrproof::model
