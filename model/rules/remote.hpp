// Rules of RDMA write, RDMA read and atomic operations over a connected RC pair.
#pragma once

#include "model/rules/effects.hpp"
#include "model/rules/objects.hpp"

namespace mrproof::model {

/// The rules of the verbs that go to remote memory. They have the same conditions under the same
/// names: which right is needed, and which way the bytes go, follows from the verb
/// (model/targets.hpp).
template <class D>
struct RemoteRules {
  using E = TransferEffects<D>;
  using C = CommonRules<D>;

  // What a success requires; each list is also, negated, what a refusal may have for a reason.
  static constexpr auto kReady = list<D>(&qp_ready<D>, &peer_ready<D>);
  static constexpr auto kCarried = list<D>(&message_not_too_long<D>);
  static constexpr auto kLocalSide =
      list<D>(&local_key_live<D>, &local_same_pd<D>, &local_write_right<D>, &local_in_bounds<D>,
              &local_memory_there<D>);
  static constexpr auto kRemoteSide =
      list<D>(&remote_key_live<D>, &remote_same_pd<D>, &remote_same_qp<D>, &remote_right<D>,
              &remote_in_bounds<D>, &remote_memory_there<D>);
  static constexpr auto kAligned = list<D>(&remote_aligned<D>);
  static constexpr auto kReceivePosted = list<D>(&receive_posted<D>);
  // What is seen beside the status.
  static constexpr auto kQuiet = list<D>(&completion_matches<D>, &requester_stays<D>,
                                         &responder_stays<D>, &own_receive_stays<D>);
  static constexpr auto kPeerQuiet = list<D>(&peer_receive_stays<D>);
  static constexpr auto kReceived = list<D>(&receive_succeeds<D>, &received_length<D>);
  static constexpr auto kOwnFailure =
      list<D>(&completion_matches<D>, &requester_fails<D>, &own_receive_flushed<D>);
  static constexpr auto kPeerUntouched = list<D>(&responder_stays<D>, &peer_receive_stays<D>);
  static constexpr auto kPeerFails = list<D>(&responder_fails<D>, &peer_receive_fails<D>);

  static constexpr auto kOk =
      hold<D>(kReady, kCarried, kLocalSide, kRemoteSide, kAligned, kQuiet, kPeerQuiet);
  static constexpr auto kOkImmediate =
      hold<D>(kReady, kCarried, kLocalSide, kRemoteSide, kReceivePosted, kQuiet, kReceived);

  static constexpr auto kLocalError = hold<D>(list<D>(&qp_ready<D>), kOwnFailure, kPeerUntouched);
  static constexpr auto kLocalReasons = fail<D>(kLocalSide);
  static constexpr auto kEmptyReasons = fail<D>(list<D>(&empty_element_sound<D>));
  static constexpr auto kTooLong = fail<D>(kCarried);

  static constexpr auto kRemoteError = hold<D>(kReady, kOwnFailure, kPeerFails);
  static constexpr auto kRemoteReasons = fail<D>(kRemoteSide);
  static constexpr auto kElsewhere = fail<D>(list<D>(&remote_bound_here<D>));
  static constexpr auto kPageMissing = fail<D>(list<D>(&remote_memory_there<D>));
  static constexpr auto kInvalidRequest = fail<D>(kCarried, list<D>(&remote_aligned_both<D>));

  static constexpr auto kNotReady =
      join<D>(hold<D>(kReady, kOwnFailure, list<D>(&responder_stays<D>)), fail<D>(kReceivePosted));
  static constexpr auto kFlush =
      join<D>(fail<D>(list<D>(&qp_ready<D>)),
              hold<D>(list<D>(&completion_matches<D>, &requester_stays<D>), kPeerUntouched));
  static constexpr auto kPeerGone =
      join<D>(hold<D>(list<D>(&qp_ready<D>), kOwnFailure, kPeerUntouched),
              fail<D>(list<D>(&peer_ready<D>)));
  static constexpr auto kTransportGivesUp = hold<D>(kReady);
  static constexpr auto kMayRefusePosting =
      fail<D>(list<D>(&qp_ready<D>), kCarried, list<D>(&remote_aligned_both<D>), kLocalSide,
              list<D>(&empty_element_sound<D>));

  static constexpr const char* kEmptyGap = "gap.zero_length_lkey";
  static constexpr const char* kEarly = "post_send.immediate_failure gap.post_in_error_state";
  static constexpr const char* kOrder = "gap.fault_order";
  static constexpr const char* kLong = "gap.fault_order gap.message_too_long";
  static constexpr const char* k2A = "gap.type_2a_other_qp";
  static constexpr const char* kPaging = "gap.odp_page_missing";
  static constexpr const char* kNoReceive = "gap.fault_order gap.write_imm_without_receive";

  // ---- rows that several verbs have ----

  static constexpr Rule<D> kLocalFault{
      "loc_prot_err",     Outcome::loc_prot_err, kLocalError,     kLocalReasons,
      E::requester_fails, E::part_remote,        Weight::verdict, kOrder};
  static constexpr Rule<D> kEmptyFault{
      "loc_prot_err_empty", Outcome::loc_prot_err, kLocalError,     kEmptyReasons,
      E::requester_fails,   E::part_remote,        Weight::verdict, kEmptyGap};
  static constexpr Rule<D> kLengthFault{
      "loc_len_err", Outcome::loc_len_err, kLocalError, kTooLong, E::requester_fails,
      nullptr,       Weight::verdict,      kLong};
  static constexpr Rule<D> kRemoteFault{
      "rem_access_err", Outcome::rem_access_err, kRemoteError, kRemoteReasons, E::both_fail,
      nullptr,          Weight::verdict,         kOrder};
  static constexpr Rule<D> kFault2A{"rem_access_err_elsewhere",
                                    Outcome::rem_access_err,
                                    kRemoteError,
                                    kElsewhere,
                                    E::both_fail,
                                    nullptr,
                                    Weight::verdict,
                                    k2A};
  static constexpr Rule<D> kPageFault{
      "rem_op_err", Outcome::rem_op_err, kRemoteError, kPageMissing, E::both_fail,
      nullptr,      Weight::verdict,     kPaging};
  static constexpr Rule<D> kInvalid{
      "rem_inv_req_err", Outcome::rem_inv_req_err, kRemoteError, kInvalidRequest, E::both_fail,
      nullptr,           Weight::verdict,          kLong};
  static constexpr Rule<D> kReceiverNotReady{"rnr_retry_exc_err", Outcome::rnr_retry_exc_err,
                                             kNotReady,           {},
                                             E::requester_fails,  nullptr,
                                             Weight::verdict,     kOrder};
  static constexpr Rule<D> kFlushed{"wr_flush_err", Outcome::wr_flush_err, kFlush, {}, nullptr,
                                    nullptr,        Weight::verdict,       kEarly};
  static constexpr Rule<D> kNobody{
      "retry_exc_err", Outcome::retry_exc_err, kPeerGone, {}, E::requester_fails, nullptr};
  static constexpr Rule<D> kTransport{
      "transport",        Outcome::retry_exc_err, kTransportGivesUp,   {},
      E::requester_fails, E::part_remote,         Weight::inconclusive};
  static constexpr Rule<D> kRefused{"refused", Outcome::refused, C::kErrnoValue,  kMayRefusePosting,
                                    nullptr,   nullptr,          Weight::verdict, kEarly};

  // ---- rules ----

  static constexpr Rule<D> kRdma[] = {{"ok", Outcome::ok, kOk, {}, nullptr, E::whole_remote},
                                      kLocalFault,
                                      kEmptyFault,
                                      kLengthFault,
                                      kRemoteFault,
                                      kFault2A,
                                      kPageFault,
                                      kInvalid,
                                      kFlushed,
                                      kNobody,
                                      kTransport,
                                      kRefused,
                                      C::kNoResources};
  static constexpr Rule<D> kImmediate[] = {
      {"ok", Outcome::ok, kOkImmediate, {}, E::consume_receive, E::whole_remote},
      kLocalFault,
      kEmptyFault,
      kLengthFault,
      kRemoteFault,
      kFault2A,
      kPageFault,
      kInvalid,
      {"rnr_retry_exc_err",
       Outcome::rnr_retry_exc_err,
       kNotReady,
       {},
       E::requester_fails,
       E::part_remote,
       Weight::verdict,
       kNoReceive},
      kFlushed,
      kNobody,
      kTransport,
      kRefused,
      C::kNoResources};
  static constexpr Rule<D> kAtomic[] = {
      {"ok", Outcome::ok, kOk, {}, E::atomic_done, E::whole_remote},
      kLocalFault,
      kRemoteFault,
      kFault2A,
      kPageFault,
      kInvalid,
      kFlushed,
      kNobody,
      kTransport,
      kRefused,
      C::kNoResources};

  static constexpr const Condition<D>* kDuty[] = {&qp_live<D>, &copy_defined<D>};
  static constexpr const Condition<D>* kAtomicDuty[] = {&qp_live<D>, &verb_available<D>,
                                                        &atomic_length<D>, &copy_defined<D>};
  static constexpr VerbRules<D> kVerbs[] = {
      {Verb::rdma_write, kRdma, kDuty},
      {Verb::rdma_write_with_imm, kImmediate, kDuty},
      {Verb::rdma_read, kRdma, kDuty},
      {Verb::atomic_fetch_and_add, kAtomic, kAtomicDuty},
      {Verb::atomic_cmp_and_swp, kAtomic, kAtomicDuty},
  };
};

}  // namespace mrproof::model
