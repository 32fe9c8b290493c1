// Rules of RDMA write and RDMA read over a connected RC pair.
#pragma once

#include "model/conditions/objects.hpp"
#include "model/rules/transfers.hpp"

namespace mrproof::model {

/// The rules of one RDMA verb. Both verbs have the same conditions under the same names: which
/// right is needed, and which way the bytes go, follows from the verb (model/regions.hpp).
template <class D>
struct RdmaRules {
  using T = Term<D>;
  using E = TransferEffects<D>;

  static constexpr T kOk[] = {
      {&qp_ready<D>, true},          {&peer_ready<D>, true},       {&message_not_too_long<D>, true},
      {&local_key_live<D>, true},    {&local_same_pd<D>, true},    {&local_write_right<D>, true},
      {&local_in_bounds<D>, true},   {&remote_key_live<D>, true},  {&remote_same_pd<D>, true},
      {&remote_right<D>, true},      {&remote_in_bounds<D>, true}, {&completion_matches<D>, true},
      {&requester_stays<D>, true},   {&responder_stays<D>, true},  {&own_receive_stays<D>, true},
      {&peer_receive_stays<D>, true}};

  static constexpr T kLocalError[] = {
      {&qp_ready<D>, true},        {&completion_matches<D>, true},  {&requester_fails<D>, true},
      {&responder_stays<D>, true}, {&own_receive_flushed<D>, true}, {&peer_receive_stays<D>, true}};
  static constexpr T kLocalReasons[] = {{&local_key_live<D>, false},
                                        {&local_same_pd<D>, false},
                                        {&local_write_right<D>, false},
                                        {&local_in_bounds<D>, false}};
  static constexpr T kEmptyReasons[] = {{&empty_element_sound<D>, false}};
  static constexpr T kTooLong[] = {{&message_not_too_long<D>, false}};

  static constexpr T kRemoteError[] = {{&qp_ready<D>, true},
                                       {&peer_ready<D>, true},
                                       {&completion_matches<D>, true},
                                       {&requester_fails<D>, true},
                                       {&responder_fails<D>, true},
                                       {&own_receive_flushed<D>, true},
                                       {&peer_receive_flushed<D>, true}};
  static constexpr T kRemoteReasons[] = {{&remote_key_live<D>, false},
                                         {&remote_same_pd<D>, false},
                                         {&remote_right<D>, false},
                                         {&remote_in_bounds<D>, false}};

  static constexpr T kFlush[] = {{&qp_ready<D>, false},
                                 {&completion_matches<D>, true},
                                 {&requester_stays<D>, true},
                                 {&responder_stays<D>, true},
                                 {&peer_receive_stays<D>, true}};
  static constexpr T kPeerGone[] = {
      {&qp_ready<D>, true},        {&peer_ready<D>, false},         {&requester_fails<D>, true},
      {&responder_stays<D>, true}, {&own_receive_flushed<D>, true}, {&peer_receive_stays<D>, true}};
  static constexpr T kTransportGivesUp[] = {{&qp_ready<D>, true}, {&peer_ready<D>, true}};

  static constexpr T kErrnoValue[] = {{&errno_value<D>, true}};
  static constexpr T kResources[] = {{&errno_of_resources<D>, true}};
  static constexpr T kMayRefusePosting[] = {
      {&qp_ready<D>, false},           {&message_not_too_long<D>, false},
      {&local_key_live<D>, false},     {&local_same_pd<D>, false},
      {&local_write_right<D>, false},  {&local_in_bounds<D>, false},
      {&empty_element_sound<D>, false}};

  static constexpr const char* kEmptyGap =
      "gap: nothing says whether the lkey of a zero-length element is checked";
  static constexpr const char* kEarly =
      "ibv_post_send(3): failures \"that can be detected immediately\" may be, C10-96";
  static constexpr const char* kOrder =
      "gap: which of a local and a remote fault is noticed first is not specified";

  static constexpr Rule<D> kWrite[] = {
      {"rdma_write.ok", Verb::rdma_write, Outcome::ok, kOk, {}, nullptr, E::whole_rdma},
      {"rdma_write.loc_prot_err", Verb::rdma_write, Outcome::loc_prot_err, kLocalError,
       kLocalReasons, E::requester_fails, E::part_rdma, Weight::verdict, kOrder},
      {"rdma_write.loc_prot_err_empty", Verb::rdma_write, Outcome::loc_prot_err, kLocalError,
       kEmptyReasons, E::requester_fails, nullptr, Weight::verdict, kEmptyGap},
      {"rdma_write.loc_len_err", Verb::rdma_write, Outcome::loc_len_err, kLocalError, kTooLong,
       E::requester_fails, nullptr, Weight::verdict, kOrder},
      {"rdma_write.rem_access_err", Verb::rdma_write, Outcome::rem_access_err, kRemoteError,
       kRemoteReasons, E::both_fail, nullptr, Weight::verdict, kOrder},
      {"rdma_write.rem_inv_req_err", Verb::rdma_write, Outcome::rem_inv_req_err, kRemoteError,
       kTooLong, E::both_fail, nullptr, Weight::verdict, kOrder},
      {"rdma_write.wr_flush_err",
       Verb::rdma_write,
       Outcome::wr_flush_err,
       kFlush,
       {},
       nullptr,
       nullptr,
       Weight::verdict,
       kEarly},
      {"rdma_write.retry_exc_err",
       Verb::rdma_write,
       Outcome::retry_exc_err,
       kPeerGone,
       {},
       E::requester_fails,
       nullptr},
      {"rdma_write.transport",
       Verb::rdma_write,
       Outcome::retry_exc_err,
       kTransportGivesUp,
       {},
       E::requester_fails,
       E::part_rdma,
       Weight::inconclusive},
      {"rdma_write.refused", Verb::rdma_write, Outcome::refused, kErrnoValue, kMayRefusePosting,
       nullptr, nullptr, Weight::verdict, kEarly},
      {"rdma_write.no_resources",
       Verb::rdma_write,
       Outcome::refused,
       kResources,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},
  };

  static constexpr Rule<D> kRead[] = {
      {"rdma_read.ok", Verb::rdma_read, Outcome::ok, kOk, {}, nullptr, E::whole_rdma},
      {"rdma_read.loc_prot_err", Verb::rdma_read, Outcome::loc_prot_err, kLocalError, kLocalReasons,
       E::requester_fails, E::part_rdma, Weight::verdict, kOrder},
      {"rdma_read.loc_prot_err_empty", Verb::rdma_read, Outcome::loc_prot_err, kLocalError,
       kEmptyReasons, E::requester_fails, nullptr, Weight::verdict, kEmptyGap},
      {"rdma_read.loc_len_err", Verb::rdma_read, Outcome::loc_len_err, kLocalError, kTooLong,
       E::requester_fails, nullptr, Weight::verdict, kOrder},
      {"rdma_read.rem_access_err", Verb::rdma_read, Outcome::rem_access_err, kRemoteError,
       kRemoteReasons, E::both_fail, nullptr, Weight::verdict, kOrder},
      {"rdma_read.rem_inv_req_err", Verb::rdma_read, Outcome::rem_inv_req_err, kRemoteError,
       kTooLong, E::both_fail, nullptr, Weight::verdict, kOrder},
      {"rdma_read.wr_flush_err",
       Verb::rdma_read,
       Outcome::wr_flush_err,
       kFlush,
       {},
       nullptr,
       nullptr,
       Weight::verdict,
       kEarly},
      {"rdma_read.retry_exc_err",
       Verb::rdma_read,
       Outcome::retry_exc_err,
       kPeerGone,
       {},
       E::requester_fails,
       nullptr},
      {"rdma_read.transport",
       Verb::rdma_read,
       Outcome::retry_exc_err,
       kTransportGivesUp,
       {},
       E::requester_fails,
       E::part_rdma,
       Weight::inconclusive},
      {"rdma_read.refused", Verb::rdma_read, Outcome::refused, kErrnoValue, kMayRefusePosting,
       nullptr, nullptr, Weight::verdict, kEarly},
      {"rdma_read.no_resources",
       Verb::rdma_read,
       Outcome::refused,
       kResources,
       {},
       nullptr,
       nullptr,
       Weight::inconclusive},
  };

  static constexpr const Condition<D>* kDuty[] = {&qp_live<D>, &copy_defined<D>};
  static constexpr Duty<D> kDuties[] = {{Verb::rdma_write, kDuty}, {Verb::rdma_read, kDuty}};
};

}  // namespace mrproof::model
