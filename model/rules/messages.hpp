// Rules of receives, sends and the queue pair itself.
#pragma once

#include "model/rules/remote.hpp"
#include "model/rules/windows.hpp"

namespace mrproof::model {

/// The rules of post_recv, send, send_with_inv, query_qp, connect and destroy_qp.
template <class D>
struct MessageRules {
  using E = TransferEffects<D>;
  using R = RemoteRules<D>;
  using C = CommonRules<D>;

  static constexpr auto kReceiveSide =
      list<D>(&receive_key_live<D>, &receive_same_pd<D>, &receive_write_right<D>,
              &receive_in_bounds<D>, &receive_memory_there<D>);
  static constexpr auto kRoom = list<D>(&receive_long_enough<D>);
  static constexpr auto kKeyNamed = list<D>(&invalidates_window<D>, &invalidates_same_pd<D>);

  static constexpr auto kOk = hold<D>(R::kReady, R::kCarried, R::kLocalSide, R::kReceivePosted,
                                      kRoom, kReceiveSide, R::kQuiet, R::kReceived);
  static constexpr auto kOkInvalidate = join<D>(kOk, hold<D>(kKeyNamed));

  /// The requester need not hear of the key: the receive that it came with fails.
  static constexpr auto kOkKeyFault =
      hold<D>(R::kReady, R::kCarried, R::kLocalSide, R::kReceivePosted, R::kPeerFails,
              list<D>(&completion_matches<D>, &requester_stays<D>, &own_receive_stays<D>));

  static constexpr auto kLengthError =
      hold<D>(R::kReady, R::kReceivePosted, R::kOwnFailure,
              list<D>(&responder_fails<D>, &receive_reports_length<D>));
  static constexpr auto kLengthReasons = fail<D>(kRoom, R::kCarried);
  static constexpr auto kReceiveError =
      hold<D>(R::kReady, R::kReceivePosted, R::kOwnFailure,
              list<D>(&responder_fails<D>, &receive_reports_protection<D>));
  static constexpr auto kReceiveReasons = fail<D>(kReceiveSide);
  static constexpr auto kReceiveDoubts = fail<D>(list<D>(&receive_element_sound<D>));
  static constexpr auto kKeyReasons =
      fail<D>(kKeyNamed, list<D>(&invalidates_bound<D>, &invalidates_own<D>));
  static constexpr auto kWindowHere = fail<D>(list<D>(&no_other_type_window_here<D>));
  static constexpr auto kStateTrue = hold<D>(list<D>(&qp_state_true<D>));

  static constexpr const char* kUnusedGap = "gap.receive_unused_bytes";
  static constexpr const char* kKeyGap = "gap.remote_invalidate_fault gap.invalidate_free_window";

  static constexpr Rule<D> key_fault(const char* name, Outcome status) {
    return {name,         status,       R::kRemoteError, kKeyReasons,
            E::both_fail, E::part_send, Weight::verdict, kKeyGap};
  }

  static constexpr Rule<D> kReceive[] = {
      {"ok", Outcome::ok, {}, {}, E::post_receive, nullptr}, R::kRefused, C::kNoResources};

  static constexpr Rule<D> kSendFaults[] = {
      {"loc_prot_err", Outcome::loc_prot_err, R::kLocalError, R::kLocalReasons, E::requester_fails,
       E::part_send, Weight::verdict, R::kOrder},
      {"loc_prot_err_empty", Outcome::loc_prot_err, R::kLocalError, R::kEmptyReasons,
       E::requester_fails, E::part_send, Weight::verdict, R::kEmptyGap},
      R::kLengthFault,
      {"rem_inv_req_err", Outcome::rem_inv_req_err, kLengthError, kLengthReasons, E::both_fail,
       E::part_send, Weight::verdict, R::kOrder},
      {"rem_op_err", Outcome::rem_op_err, kReceiveError, kReceiveReasons, E::both_fail,
       E::part_send, Weight::verdict, R::kOrder},
      {"rem_op_err_unused", Outcome::rem_op_err, kReceiveError, kReceiveDoubts, E::both_fail,
       E::part_send, Weight::verdict, kUnusedGap},
      R::kReceiverNotReady,
      R::kFlushed,
      R::kNobody,
      {"transport",
       Outcome::retry_exc_err,
       R::kTransportGivesUp,
       {},
       E::requester_fails,
       E::part_send,
       Weight::inconclusive},
      R::kRefused,
      C::kNoResources};
  static constexpr Rule<D> kSend[] = {
      {"ok", Outcome::ok, kOk, {}, E::consume_receive, E::whole_send}};
  static constexpr Rule<D> kSendInvalidate[] = {
      {"ok",
       Outcome::ok,
       kOkInvalidate,
       {},
       E::deliver_and_invalidate,
       E::whole_send,
       Weight::verdict,
       "gap.invalidate_free_window gap.invalidate_through_other_qp"},
      {"ok_receive_fails", Outcome::ok, kOkKeyFault, kKeyReasons, E::responder_fails, E::part_send,
       Weight::verdict, kKeyGap}};
  static constexpr Rule<D> kKeyFaults[] = {
      key_fault("rem_access_err_key", Outcome::rem_access_err),
      key_fault("rem_op_err_key", Outcome::rem_op_err),
      key_fault("rem_inv_req_err_key", Outcome::rem_inv_req_err)};

  static constexpr Rule<D> kQuery[] = {{"ok", Outcome::ok, kStateTrue, {}, nullptr, nullptr},
                                       C::kNoResources};
  static constexpr Rule<D> kConnect[] = {{"ok", Outcome::ok, {}, {}, E::reconnect, nullptr},
                                         C::kNoResources};
  static constexpr Rule<D> kDestroy[] = {
      {"ok", Outcome::ok, {}, {}, E::destroy, nullptr},
      {"refused_elsewhere", Outcome::refused, C::kErrnoValue, kWindowHere, nullptr, nullptr,
       Weight::verdict, "gap.destroy_with_windows"},
      C::kNoResources};

  static constexpr const Condition<D>* kQpDuty[] = {&qp_live<D>};
  static constexpr const Condition<D>* kPairDuty[] = {&pair_live<D>};
  static constexpr const Condition<D>* kReceiveDuty[] = {&qp_live<D>, &receive_queue_free<D>};
  static constexpr const Condition<D>* kSendDuty[] = {&qp_live<D>, &receive_copy_defined<D>};
  static constexpr const Condition<D>* kSendInvalidateDuty[] = {
      &qp_live<D>, &verb_available<D>, &invalidated_defined<D>, &receive_copy_defined<D>};

  static constexpr VerbRules<D> kVerbs[] = {
      {Verb::post_recv, kReceive, kReceiveDuty},
      {Verb::send, kSend, kSendDuty},
      {Verb::send, kSendFaults, kSendDuty},
      {Verb::send_with_inv, kSendInvalidate, kSendInvalidateDuty},
      {Verb::send_with_inv, kSendFaults, kSendInvalidateDuty},
      {Verb::send_with_inv, kKeyFaults, kSendInvalidateDuty},
      {Verb::query_qp, kQuery, kQpDuty},
      {Verb::connect, kConnect, kPairDuty},
      {Verb::destroy_qp, kDestroy, kQpDuty},
  };
};

}  // namespace mrproof::model
