// Rules of receives, sends and the queue pair itself.
#pragma once

#include "model/rules/rdma.hpp"

namespace mrproof::model {

/// The rules of post_recv, send, query_qp, connect and fill, with their terms and duties.
template <class D>
struct MessageRules {
  using T = Term<D>;
  using E = TransferEffects<D>;
  using R = RdmaRules<D>;

  static constexpr T kOk[] = {{&qp_ready<D>, true},
                              {&peer_ready<D>, true},
                              {&message_not_too_long<D>, true},
                              {&local_key_live<D>, true},
                              {&local_same_pd<D>, true},
                              {&local_in_bounds<D>, true},
                              {&receive_posted<D>, true},
                              {&receive_long_enough<D>, true},
                              {&receive_key_live<D>, true},
                              {&receive_same_pd<D>, true},
                              {&receive_write_right<D>, true},
                              {&receive_in_bounds<D>, true},
                              {&completion_matches<D>, true},
                              {&requester_stays<D>, true},
                              {&responder_stays<D>, true},
                              {&own_receive_stays<D>, true},
                              {&receive_succeeds<D>, true},
                              {&received_length<D>, true}};

  static constexpr T kLengthError[] = {
      {&qp_ready<D>, true},           {&peer_ready<D>, true},
      {&completion_matches<D>, true}, {&requester_fails<D>, true},
      {&responder_fails<D>, true},    {&own_receive_flushed<D>, true},
      {&receive_posted<D>, true},     {&receive_reports_length<D>, true}};
  static constexpr T kLengthReasons[] = {{&receive_long_enough<D>, false},
                                         {&message_not_too_long<D>, false}};

  static constexpr T kReceiveError[] = {
      {&qp_ready<D>, true},           {&peer_ready<D>, true},
      {&completion_matches<D>, true}, {&requester_fails<D>, true},
      {&responder_fails<D>, true},    {&own_receive_flushed<D>, true},
      {&receive_posted<D>, true},     {&receive_reports_protection<D>, true}};
  static constexpr T kReceiveReasons[] = {{&receive_key_live<D>, false},
                                          {&receive_same_pd<D>, false},
                                          {&receive_write_right<D>, false},
                                          {&receive_in_bounds<D>, false}};
  static constexpr T kReceiveDoubts[] = {{&receive_element_sound<D>, false}};

  static constexpr T kNotReady[] = {{&qp_ready<D>, true},           {&peer_ready<D>, true},
                                    {&receive_posted<D>, false},    {&completion_matches<D>, true},
                                    {&requester_fails<D>, true},    {&responder_stays<D>, true},
                                    {&own_receive_flushed<D>, true}};

  static constexpr T kStateTrue[] = {{&qp_state_true<D>, true}};

  static constexpr const char* kUnusedGap =
      "gap: nothing says whether unused bytes of a receive, or its key for an empty message, are "
      "checked";

  static constexpr Rule<D> kRules[] = {
      {"post_recv.ok", Verb::post_recv, Outcome::ok, {}, {}, E::post_receive, nullptr},
      {"post_recv.refused", Verb::post_recv, Outcome::refused, R::kErrnoValue, R::kMayRefusePosting,
       nullptr, nullptr, Weight::verdict, R::kEarly},
      {"post_recv.no_resources",
       Verb::post_recv,
       Outcome::refused,
       R::kResources,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},

      {"send.ok", Verb::send, Outcome::ok, kOk, {}, E::consume_receive, E::whole_send},
      {"send.loc_prot_err", Verb::send, Outcome::loc_prot_err, R::kLocalError, R::kLocalReasons,
       E::requester_fails, E::part_send, Weight::verdict, R::kOrder},
      {"send.loc_prot_err_empty", Verb::send, Outcome::loc_prot_err, R::kLocalError,
       R::kEmptyReasons, E::requester_fails, nullptr, Weight::verdict, R::kEmptyGap},
      {"send.loc_len_err", Verb::send, Outcome::loc_len_err, R::kLocalError, R::kTooLong,
       E::requester_fails, nullptr, Weight::verdict, R::kOrder},
      {"send.rem_inv_req_err", Verb::send, Outcome::rem_inv_req_err, kLengthError, kLengthReasons,
       E::both_fail, E::part_send, Weight::verdict, R::kOrder},
      {"send.rem_op_err", Verb::send, Outcome::rem_op_err, kReceiveError, kReceiveReasons,
       E::both_fail, E::part_send, Weight::verdict, R::kOrder},
      {"send.rem_op_err_unused", Verb::send, Outcome::rem_op_err, kReceiveError, kReceiveDoubts,
       E::both_fail, E::part_send, Weight::verdict, kUnusedGap},
      {"send.rnr_retry_exc_err",
       Verb::send,
       Outcome::rnr_retry_exc_err,
       kNotReady,
       {},
       E::requester_fails,
       nullptr,
       Weight::verdict,
       R::kOrder},
      {"send.wr_flush_err",
       Verb::send,
       Outcome::wr_flush_err,
       R::kFlush,
       {},
       nullptr,
       nullptr,
       Weight::verdict,
       R::kEarly},
      {"send.retry_exc_err",
       Verb::send,
       Outcome::retry_exc_err,
       R::kPeerGone,
       {},
       E::requester_fails,
       nullptr},
      {"send.transport",
       Verb::send,
       Outcome::retry_exc_err,
       R::kTransportGivesUp,
       {},
       E::requester_fails,
       E::part_send,
       Weight::inconclusive},
      {"send.refused", Verb::send, Outcome::refused, R::kErrnoValue, R::kMayRefusePosting, nullptr,
       nullptr, Weight::verdict, R::kEarly},
      {"send.no_resources",
       Verb::send,
       Outcome::refused,
       R::kResources,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},

      {"query_qp.ok", Verb::query_qp, Outcome::ok, kStateTrue, {}, nullptr, nullptr},
      {"query_qp.no_resources",
       Verb::query_qp,
       Outcome::refused,
       R::kResources,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},
      {"connect.ok", Verb::connect, Outcome::ok, {}, {}, E::reconnect, nullptr},
      {"connect.no_resources",
       Verb::connect,
       Outcome::refused,
       R::kResources,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},
      {"fill.ok", Verb::fill, Outcome::ok, {}, {}, nullptr, nullptr},
  };

  static constexpr const Condition<D>* kQpDuty[] = {&qp_live<D>};
  static constexpr const Condition<D>* kReceiveDuty[] = {&qp_live<D>, &receive_queue_free<D>};
  static constexpr const Condition<D>* kSendDuty[] = {&qp_live<D>, &receive_copy_defined<D>};
  static constexpr Duty<D> kDuties[] = {{Verb::post_recv, kReceiveDuty},
                                        {Verb::send, kSendDuty},
                                        {Verb::query_qp, kQpDuty},
                                        {Verb::connect, kQpDuty}};
};

}  // namespace mrproof::model
