// Rules of RDMA write, RDMA read and atomic operations over a connected RC pair.
#pragma once

#include "model/rules/effects.hpp"
#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of the verbs that go to remote memory. They have the same conditions under the same
/// names: which right is needed, and which way the bytes go, follows from the verb
/// (model/view.hpp).
template <class D> struct RemoteRules {
  using E = TransferEffects<D>;
  using C = CommonRules<D>;
  using R = Rule<D>;
  using enum Outcome;

  // What a success requires; each list is also, negated, what a refusal may have for a reason.
  static constexpr auto kReady = list<D, qp_ready<D>, peer_ready<D>>;
  static constexpr auto kLocalSide = list<D, local_key_live<D>, local_same_pd<D>,
      local_write_right<D>, local_in_bounds<D>, local_memory_there<D>>;
  static constexpr auto kRemoteSide = list<D, remote_key_live<D>, remote_same_pd<D>,
      remote_same_qp<D>, remote_right<D>, remote_in_bounds<D>, remote_memory_there<D>>;
  // What is seen beside the status.
  static constexpr auto kQuiet =
      list<D, completion_matches<D>, requester_stays<D>, responder_stays<D>, own_receive_stays<D>>;
  static constexpr auto kReceived = list<D, receive_succeeds<D>, received_length<D>>;
  static constexpr auto kOwnFailure =
      list<D, completion_matches<D>, requester_fails<D>, own_receive_flushed<D>>;
  static constexpr auto kPeerUntouched = list<D, responder_stays<D>, peer_receive_stays<D>>;
  static constexpr auto kPeerFails = list<D, responder_fails<D>, peer_receive_fails<D>>;

  static constexpr auto kOk = hold<D, kReady, message_not_too_long<D>, kLocalSide, kRemoteSide,
      pair_accepts<D>, remote_aligned<D>, kQuiet, peer_receive_stays<D>>;
  static constexpr auto kOkImmediate = hold<D, kReady, message_not_too_long<D>, kLocalSide,
      kRemoteSide, pair_accepts<D>, receive_posted<D>, kQuiet, kReceived>;
  static constexpr auto kLocalError = hold<D, qp_ready<D>, kOwnFailure, kPeerUntouched>;
  static constexpr auto kRemoteError = hold<D, kReady, kOwnFailure, kPeerFails>;
  /// Neither end has heard of the other's fault when it finds its own.
  static constexpr auto kBothErrors = join<Term<D>>(kRemoteError, fail<D, far_side_sound<D>>);
  static constexpr auto kNotReady =
      join<Term<D>>(hold<D, kReady, kOwnFailure, responder_stays<D>>, fail<D, receive_posted<D>>);
  static constexpr auto kFlush = join<Term<D>>(
      fail<D, qp_ready<D>>, hold<D, completion_matches<D>, requester_stays<D>, kPeerUntouched>);
  static constexpr auto kPeerGone =
      join<Term<D>>(hold<D, qp_ready<D>, kOwnFailure, kPeerUntouched>, fail<D, peer_ready<D>>);
  /// Over iWARP the first error ends the connection, whichever end finds it.
  static constexpr auto kStreamEnds = hold<D, over_iwarp<D>, kReady, kOwnFailure, kPeerFails>;
  static constexpr auto kMayRefusePosting = fail<D, qp_ready<D>, message_not_too_long<D>,
      remote_aligned_both<D>, kLocalSide, empty_element_sound<D>, inline_available<D>>;

  static constexpr const char* kEarly = "post_send.immediate_failure gap.post_in_error_state";
  static constexpr const char* kAtOnce =
      "post_send.immediate_failure gap.post_in_error_state gap.inline_missing";
  static constexpr const char* kOrder = "gap.fault_order";
  static constexpr const char* kPaged =
      "gap.fault_order gap.partial_transfer gap.pair_right_status gap.empty_operation_right";
  static constexpr const char* kLong = "gap.fault_order gap.message_too_long";
  static constexpr const char* kInvalid =
      "gap.fault_order gap.message_too_long gap.pair_right_status gap.empty_operation_right";

  // Rows that several verbs have.
  static constexpr R kLocalFault =
      R{"loc_prot_err", loc_prot_err, kLocalError, fail<D, kLocalSide>}.with(
          E::requester_fails, E::part_remote, kOrder);
  static constexpr R kBothFault =
      R{"loc_prot_err_both", loc_prot_err, kBothErrors, fail<D, kLocalSide, empty_element_sound<D>>}
          .with(E::both_fail, E::part_remote, kOrder);
  static constexpr R kEmptyFault =
      R{"loc_prot_err_empty", loc_prot_err, kLocalError, fail<D, empty_element_sound<D>>}.with(
          E::requester_fails, E::part_remote, "gap.zero_length_lkey");
  static constexpr R kLengthFault =
      R{"loc_len_err", loc_len_err, kLocalError, fail<D, message_not_too_long<D>>}.with(
          E::requester_fails, kLong);
  static constexpr auto kRemoteFaults =
      std::array{R{"rem_access_err", rem_access_err, kRemoteError,
                     fail<D, kRemoteSide, pair_accepts_empty<D>>}
                     .with(E::both_fail, E::part_paged, kPaged),
          R{"rem_access_err_elsewhere", rem_access_err, kRemoteError, fail<D, remote_bound_here<D>>}
              .with(E::both_fail, "gap.type_2a_other_qp"),
          R{"rem_op_err", rem_op_err, kRemoteError, fail<D, remote_memory_there<D>>}.with(
              E::both_fail, E::part_paged, "gap.odp_page_missing gap.partial_transfer"),
          R{"rem_inv_req_err", rem_inv_req_err, kRemoteError,
              fail<D, message_not_too_long<D>, remote_aligned_both<D>, pair_accepts_empty<D>>}
              .with(E::both_fail, kInvalid)};
  static constexpr R kReceiverNotReady =
      R{"rnr_retry_exc_err", rnr_retry_exc_err, kNotReady}.with(E::requester_fails);
  static constexpr R kFlushed = R{"wr_flush_err", wr_flush_err, kFlush}.with(kEarly);
  static constexpr R kNobody =
      R{"retry_exc_err", retry_exc_err, kPeerGone}.with(E::requester_fails);
  static constexpr R kTransport =
      R{"transport", retry_exc_err, hold<D, kReady, wire_loses<D>>}.with(
          E::unanswered, Weight::inconclusive);
  static constexpr const char* kStream = "gap.iwarp_status gap.iwarp_read_sink";
  static constexpr R kStreamFault = R{"terminated", terminated, kStreamEnds,
      fail<D, kLocalSide, kRemoteSide, pair_accepts_empty<D>, empty_element_sound<D>,
          message_not_too_long<D>, remote_aligned_both<D>, sink_writable<D>>}
                                        .with(E::both_fail, E::part_stream, kStream);
  static constexpr R kStreamUnheard =
      R{"terminated_not_ready", terminated, kStreamEnds, fail<D, receive_posted<D>>}.with(
          E::both_fail, "gap.iwarp_status");
  /// RFC 5040 has no immediates.
  static constexpr R kNoImmediates = C::unsupported(C::kErrnoValue, hold<D, over_iwarp<D>>);
  static constexpr R kRefused =
      R{"refused", refused, C::kErrnoValue, kMayRefusePosting}.with(kAtOnce);
  static constexpr auto kOtherwise = std::array{
      kFlushed, kNobody, kStreamFault, kTransport.with(E::part_remote), kRefused, C::kNoResources};

  static constexpr auto kRdma = join<R>(R{"ok", ok, kOk}.with(E::sent, E::whole_remote),
      kLocalFault, kBothFault, kEmptyFault, kLengthFault, kRemoteFaults, kOtherwise);
  static constexpr auto kImmediate =
      join<R>(R{"ok", ok, kOkImmediate}.with(E::consume_receive, E::whole_remote), kLocalFault,
          kBothFault, kEmptyFault, kLengthFault, kRemoteFaults,
          kReceiverNotReady.with(E::part_remote, "gap.fault_order gap.write_imm_without_receive"),
          kStreamUnheard.with(E::part_stream), kFlushed, kNobody, kStreamFault,
          kTransport.with(E::part_remote), kRefused, kNoImmediates, C::kNoResources);
  static constexpr R kAtomicBothFault =
      R{"loc_prot_err_both", loc_prot_err, kBothErrors, fail<D, kLocalSide>}.with(
          E::both_fail, E::part_remote, kOrder);
  static constexpr auto kAtomic = join<R>(R{"ok", ok, kOk}.with(E::atomic_done, E::whole_remote),
      kLocalFault, kAtomicBothFault, kRemoteFaults, kOtherwise);

  static constexpr auto kDuty = list<D, qp_live<D>, end_is_seen<D>, inline_sound<D>,
      on_demand_claimed<D>, no_huge_pages<D>, copy_defined<D>, one_read_element<D>>;
  static constexpr auto kAtomicDuty = list<D, qp_live<D>, end_is_seen<D>, inline_sound<D>,
      verb_available<D>, on_demand_claimed<D>, no_huge_pages<D>, atomic_length<D>, copy_defined<D>>;
  static constexpr VerbRules<D> kVerbs[] = {of_table<D, kRdma>(Verb::rdma_write, kDuty),
      of_table<D, kImmediate>(Verb::rdma_write_with_imm, kDuty),
      of_table<D, kRdma>(Verb::rdma_read, kDuty),
      of_table<D, kAtomic>(Verb::atomic_fetch_and_add, kAtomicDuty),
      of_table<D, kAtomic>(Verb::atomic_cmp_and_swp, kAtomicDuty)};
};

}  // namespace mrproof::model
