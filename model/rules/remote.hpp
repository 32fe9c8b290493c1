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
  using T = Term<D>;
  using E = TransferEffects<D>;
  using C = CommonRules<D>;

  static constexpr T kOk[] = {
      {&qp_ready<D>, true},           {&peer_ready<D>, true},
      {&message_not_too_long<D>, true}, {&local_key_live<D>, true},
      {&local_same_pd<D>, true},      {&local_write_right<D>, true},
      {&local_in_bounds<D>, true},    {&local_memory_there<D>, true},
      {&remote_key_live<D>, true},    {&remote_same_pd<D>, true},
      {&remote_same_qp<D>, true},     {&remote_right<D>, true},
      {&remote_in_bounds<D>, true},   {&remote_memory_there<D>, true},
      {&remote_aligned<D>, true},     {&completion_matches<D>, true},
      {&requester_stays<D>, true},    {&responder_stays<D>, true},
      {&own_receive_stays<D>, true},  {&peer_receive_stays<D>, true}};
  static constexpr T kOkImmediate[] = {
      {&qp_ready<D>, true},           {&peer_ready<D>, true},
      {&message_not_too_long<D>, true}, {&local_key_live<D>, true},
      {&local_same_pd<D>, true},      {&local_in_bounds<D>, true},
      {&local_memory_there<D>, true}, {&remote_key_live<D>, true},
      {&remote_same_pd<D>, true},     {&remote_same_qp<D>, true},
      {&remote_right<D>, true},       {&remote_in_bounds<D>, true},
      {&remote_memory_there<D>, true}, {&receive_posted<D>, true},
      {&completion_matches<D>, true}, {&requester_stays<D>, true},
      {&responder_stays<D>, true},    {&own_receive_stays<D>, true},
      {&receive_succeeds<D>, true},   {&received_length<D>, true}};

  static constexpr T kLocalError[] = {
      {&qp_ready<D>, true},        {&completion_matches<D>, true},  {&requester_fails<D>, true},
      {&responder_stays<D>, true}, {&own_receive_flushed<D>, true}, {&peer_receive_stays<D>, true}};
  static constexpr T kLocalReasons[] = {{&local_key_live<D>, false},
                                        {&local_same_pd<D>, false},
                                        {&local_write_right<D>, false},
                                        {&local_in_bounds<D>, false},
                                        {&local_memory_there<D>, false}};
  static constexpr T kEmptyReasons[] = {{&empty_element_sound<D>, false}};
  static constexpr T kTooLong[] = {{&message_not_too_long<D>, false}};

  static constexpr T kRemoteError[] = {{&qp_ready<D>, true},
                                       {&peer_ready<D>, true},
                                       {&completion_matches<D>, true},
                                       {&requester_fails<D>, true},
                                       {&responder_fails<D>, true},
                                       {&own_receive_flushed<D>, true},
                                       {&peer_receive_fails<D>, true}};
  static constexpr T kRemoteReasons[] = {{&remote_key_live<D>, false},
                                         {&remote_same_pd<D>, false},
                                         {&remote_same_qp<D>, false},
                                         {&remote_right<D>, false},
                                         {&remote_in_bounds<D>, false},
                                         {&remote_memory_there<D>, false}};
  static constexpr T kElsewhere[] = {{&remote_bound_here<D>, false}};
  static constexpr T kPageMissing[] = {{&remote_memory_there<D>, false}};
  static constexpr T kInvalidRequest[] = {{&message_not_too_long<D>, false},
                                          {&remote_aligned<D>, false}};

  static constexpr T kNotReady[] = {{&qp_ready<D>, true},           {&peer_ready<D>, true},
                                    {&receive_posted<D>, false},    {&completion_matches<D>, true},
                                    {&requester_fails<D>, true},    {&responder_stays<D>, true},
                                    {&own_receive_flushed<D>, true}};
  static constexpr T kFlush[] = {{&qp_ready<D>, false},
                                 {&completion_matches<D>, true},
                                 {&requester_stays<D>, true},
                                 {&responder_stays<D>, true},
                                 {&peer_receive_stays<D>, true}};
  static constexpr T kPeerGone[] = {{&qp_ready<D>, true},
                                    {&peer_ready<D>, false},
                                    {&completion_matches<D>, true},
                                    {&requester_fails<D>, true},
                                    {&responder_stays<D>, true},
                                    {&own_receive_flushed<D>, true},
                                    {&peer_receive_stays<D>, true}};
  static constexpr T kTransportGivesUp[] = {{&qp_ready<D>, true}, {&peer_ready<D>, true}};
  static constexpr T kMayRefusePosting[] = {
      {&qp_ready<D>, false},           {&message_not_too_long<D>, false},
      {&local_key_live<D>, false},     {&local_same_pd<D>, false},
      {&local_write_right<D>, false},  {&local_in_bounds<D>, false},
      {&local_memory_there<D>, false}, {&empty_element_sound<D>, false}};

  static constexpr const char* kEmptyGap =
      "gap: nothing says whether the lkey of a zero-length element is checked";
  static constexpr const char* kEarly =
      "ibv_post_send(3): failures \"that can be detected immediately\" may be, C10-96";
  static constexpr const char* kOrder =
      "gap: which of a local and a remote fault is noticed first is not specified";
  static constexpr const char* k2A =
      "gap: whether a type 2A window works through other queue pairs of its PD";
  static constexpr const char* kPaging =
      "gap: with which error a page that cannot be faulted in is reported to the requester";

  // ---- rows that several verbs have ----

  static constexpr Rule<D> kLocalFault{"loc_prot_err", Outcome::loc_prot_err, kLocalError,
                                       kLocalReasons, E::requester_fails, E::part_remote,
                                       Weight::verdict, kOrder};
  static constexpr Rule<D> kEmptyFault{"loc_prot_err_empty", Outcome::loc_prot_err, kLocalError,
                                       kEmptyReasons, E::requester_fails, E::part_remote,
                                       Weight::verdict, kEmptyGap};
  static constexpr Rule<D> kLengthFault{"loc_len_err", Outcome::loc_len_err, kLocalError, kTooLong,
                                        E::requester_fails, nullptr, Weight::verdict, kOrder};
  static constexpr Rule<D> kRemoteFault{"rem_access_err", Outcome::rem_access_err, kRemoteError,
                                        kRemoteReasons, E::both_fail, nullptr, Weight::verdict,
                                        kOrder};
  static constexpr Rule<D> kFault2A{"rem_access_err_elsewhere", Outcome::rem_access_err, kRemoteError,
                                    kElsewhere, E::both_fail, nullptr, Weight::verdict, k2A};
  static constexpr Rule<D> kPageFault{"rem_op_err", Outcome::rem_op_err, kRemoteError,
                                      kPageMissing, E::both_fail, nullptr, Weight::verdict,
                                      kPaging};
  static constexpr Rule<D> kInvalid{"rem_inv_req_err", Outcome::rem_inv_req_err, kRemoteError,
                                    kInvalidRequest, E::both_fail, nullptr, Weight::verdict,
                                    kOrder};
  static constexpr Rule<D> kReceiverNotReady{"rnr_retry_exc_err", Outcome::rnr_retry_exc_err,
                                             kNotReady, {}, E::requester_fails, nullptr,
                                             Weight::verdict, kOrder};
  static constexpr Rule<D> kFlushed{"wr_flush_err", Outcome::wr_flush_err, kFlush, {}, nullptr,
                                    nullptr, Weight::verdict, kEarly};
  static constexpr Rule<D> kNobody{"retry_exc_err", Outcome::retry_exc_err, kPeerGone, {},
                                   E::requester_fails, nullptr};
  static constexpr Rule<D> kTransport{"transport", Outcome::retry_exc_err, kTransportGivesUp, {},
                                      E::requester_fails, E::part_remote, Weight::inconclusive};
  static constexpr Rule<D> kRefused{"refused", Outcome::refused, C::kErrnoValue,
                                    kMayRefusePosting, nullptr, nullptr, Weight::verdict, kEarly};

  // ---- rules ----

  static constexpr Rule<D> kRdma[] = {
      {"ok", Outcome::ok, kOk, {}, nullptr, E::whole_remote},
      kLocalFault, kEmptyFault, kLengthFault, kRemoteFault, kFault2A, kPageFault, kInvalid,
      kFlushed, kNobody, kTransport, kRefused, C::kNoResources};
  static constexpr Rule<D> kImmediate[] = {
      {"ok", Outcome::ok, kOkImmediate, {}, E::consume_receive, E::whole_remote},
      kLocalFault, kEmptyFault, kLengthFault, kRemoteFault, kFault2A, kPageFault, kInvalid,
      {"rnr_retry_exc_err", Outcome::rnr_retry_exc_err, kNotReady, {}, E::requester_fails,
       E::part_remote, Weight::verdict, kOrder},
      kFlushed, kNobody, kTransport, kRefused, C::kNoResources};
  static constexpr Rule<D> kAtomic[] = {
      {"ok", Outcome::ok, kOk, {}, E::atomic_done, E::whole_remote},
      kLocalFault, kRemoteFault, kFault2A, kPageFault, kInvalid, kFlushed, kNobody, kTransport,
      kRefused, C::kNoResources};

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
