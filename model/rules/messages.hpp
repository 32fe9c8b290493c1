// Rules of receives, sends and the queue pair: post_recv, send, send_with_inv, query_qp, connect,
// destroy_qp.
#pragma once

#include "model/rules/remote.hpp"
#include "model/rules/windows.hpp"

namespace mrproof::model {

/// The rules of receives, sends and queue pairs.
template <class D> struct MessageRules {
  using E = TransferEffects<D>;
  using C = CommonRules<D>;
  using R = Rule<D>;
  using enum Outcome;
  using Shared = RemoteRules<D>;

  static constexpr auto kReceiveSide = list<D, receive_key_live<D>, receive_same_pd<D>,
      receive_write_right<D>, receive_in_bounds<D>, receive_memory_there<D>>;

  static constexpr auto kOk = hold<D, Shared::kReady, message_not_too_long<D>, Shared::kLocalSide,
      receive_posted<D>, receive_long_enough<D>, kReceiveSide, Shared::kQuiet, Shared::kReceived>;
  static constexpr auto kOkInvalidate = join<Term<D>>(kOk, hold<D, WindowRules<D>::kNamed>);
  /// The requester need not hear of the key: the receive that it came with fails.
  static constexpr auto kOkKeyFault =
      hold<D, Shared::kReady, message_not_too_long<D>, Shared::kLocalSide, receive_posted<D>,
          Shared::kPeerFails, completion_matches<D>, requester_stays<D>, own_receive_stays<D>>;
  static constexpr auto kLengthError = hold<D, Shared::kReady, receive_posted<D>,
      Shared::kOwnFailure, responder_fails<D>, receive_reports_length<D>>;
  static constexpr auto kReceiveError = hold<D, Shared::kReady, receive_posted<D>,
      Shared::kOwnFailure, responder_fails<D>, receive_reports_protection<D>>;
  static constexpr auto kKeyReasons = fail<D, WindowRules<D>::kNamed, WindowRules<D>::kNamedDoubts>;

  static constexpr const char* kKeyGap = "gap.remote_invalidate_fault gap.invalidate_free_window";

  static constexpr R key_fault(const char* name, Outcome status) {
    return R{name, status, Shared::kRemoteError, kKeyReasons}.with(
        E::both_fail, E::part_send, kKeyGap);
  }

  static constexpr R kReceive[] = {
      R{"ok", ok}.with(E::post_receive), Shared::kRefused, C::kNoResources};
  static constexpr auto kSendFaults = std::array{Shared::kLocalFault.with(E::part_send),
      Shared::kBothFault.with(E::part_send), Shared::kEmptyFault.with(E::part_send),
      Shared::kLengthFault,
      R{"rem_inv_req_err", rem_inv_req_err, kLengthError,
          fail<D, receive_long_enough<D>, message_not_too_long<D>>}
          .with(E::both_fail, E::part_send, Shared::kOrder),
      R{"rem_op_err", rem_op_err, kReceiveError, fail<D, kReceiveSide>}.with(
          E::both_fail, E::part_send, Shared::kOrder),
      R{"rem_op_err_unused", rem_op_err, kReceiveError, fail<D, receive_element_sound<D>>}.with(
          E::both_fail, E::part_send, "gap.receive_unused_bytes"),
      R{"terminated", terminated, Shared::kStreamEnds,
          fail<D, Shared::kLocalSide, empty_element_sound<D>, message_not_too_long<D>,
              receive_long_enough<D>, receive_element_sound<D>>}
          .with(E::both_fail, E::part_send, "gap.iwarp_status"),
      Shared::kStreamUnheard, Shared::kReceiverNotReady.with(Shared::kOrder), Shared::kFlushed,
      Shared::kNobody, Shared::kTransport.with(E::part_send), Shared::kRefused, C::kNoResources};
  static constexpr auto kSend =
      join<R>(R{"ok", ok, kOk}.with(E::consume_receive, E::whole_send), kSendFaults);
  static constexpr auto kSendInvalidate = join<R>(
      R{"ok", ok, kOkInvalidate}.with(E::deliver_and_invalidate, E::whole_send,
          "gap.invalidate_free_window gap.invalidate_through_other_qp"),
      R{"ok_receive_fails", ok, kOkKeyFault, kKeyReasons}.with(
          E::responder_fails, E::part_send, kKeyGap),
      kSendFaults, key_fault("rem_access_err_key", rem_access_err),
      key_fault("rem_op_err_key", rem_op_err), key_fault("rem_inv_req_err_key", rem_inv_req_err));

  static constexpr R kQuery[] = {R{"ok", ok, hold<D, qp_state_true<D>, pair_rights_true<D>>},
      R{"ok_ended", ok, hold<D, over_iwarp<D>, qp_state_ended<D>>, fail<D, qp_ready<D>>}.with(
          "gap.iwarp_states"),
      C::kNoResources};
  static constexpr R kModify[] = {R{"ok", ok}.with(E::set_rights),
      R{"refused", refused, C::kErrnoValue, fail<D, qp_ready<D>>}.with("gap.access_flags_when"),
      C::unsupported(C::kErrnoValue, fail<D, verb_available<D>>).with("gap.access_flags_when"),
      C::kNoResources};
  static constexpr R kConnect[] = {R{"ok", ok}.with(E::reconnect), C::kNoResources};
  static constexpr R kDestroy[] = {R{"ok", ok}.with(E::destroy),
      R{"refused_elsewhere", refused, C::kErrnoValue, fail<D, no_other_type_window_here<D>>}.with(
          "gap.destroy_with_windows"),
      C::kNoResources};

  static constexpr VerbRules<D> kVerbs[] = {
      of_table<D, kReceive>(Verb::post_recv, list<D, qp_live<D>, receive_queue_free<D>>),
      of_table<D, kSend>(Verb::send,
          list<D, qp_live<D>, end_is_seen<D>, inline_sound<D>, on_demand_claimed<D>,
              no_huge_pages<D>, receive_copy_defined<D>>),
      of_table<D, kSendInvalidate>(Verb::send_with_inv,
          list<D, qp_live<D>, end_is_seen<D>, inline_sound<D>, verb_available<D>,
              on_demand_claimed<D>, no_huge_pages<D>,
              invalidated_defined<D>, receive_copy_defined<D>>),
      of_table<D, kQuery>(Verb::query_qp, list<D, qp_live<D>>),
      of_table<D, kModify>(Verb::modify_qp, list<D, qp_live<D>, pair_rights_defined<D>>),
      of_table<D, kConnect>(Verb::connect, list<D, pair_live<D>>),
      of_table<D, kDestroy>(Verb::destroy_qp, list<D, qp_live<D>>)};
};

}  // namespace mrproof::model
