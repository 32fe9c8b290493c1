// Seeded faults of the simulated device: the mistakes that a harness worth its name must find.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace mrproof::impl {

/// A mistake that the simulated device makes on request, one at a time. What each one breaks stands
/// in the table that faults() returns; the enumerator is the id with underscores.
enum class Fault : std::uint8_t {
  none,  ///< the correct device
  // Rights
  remote_write_right_unchecked,
  remote_read_right_unchecked,
  read_local_write_unchecked,
  receive_local_write_unchecked,
  any_remote_right_suffices,
  remote_read_implies_write,
  local_write_implies_remote_write,
  read_sink_needs_remote_write,
  // Bounds
  remote_end_off_by_one,
  local_end_off_by_one,
  remote_start_off_by_one,
  local_start_off_by_one,
  remote_last_byte_refused,
  remote_bounds_wrap,
  local_bounds_wrap,
  remote_offset_truncated,
  local_offset_truncated,
  receive_bounds_unchecked,
  // Protection domains
  local_pd_unchecked,
  remote_pd_unchecked,
  receive_pd_unchecked,
  remote_pd_of_requester,
  // Keys
  stale_lkey_accepted,
  stale_rkey_accepted,
  key_byte_ignored,
  key_of_live_region,
  // Zero length
  zero_length_checked_as_one,
  zero_length_rkey_checked,
  // Bytes
  last_byte_lost,
  first_byte_repeated,
  byte_after_end_written,
  page_offset_repeated,
  first_packet_only,
  read_returns_zeros,
  refused_write_stored,
  nothing_moved,
  // Registration
  remote_write_alone_accepted,
  remote_atomic_alone_accepted,
  undefined_flag_accepted,
  optional_flag_refused,
  unmapped_range_accepted,
  registration_length_truncated,
  unaligned_range_refused,
  zero_based_ignored,
  reg_mr_without_errno,
  // Calls that end objects
  used_pd_deallocated,
  dealloc_pd_minus_one,
  dereg_mr_minus_one,
  // Completions and queue pairs
  local_error_as_qp_error,
  remote_access_error_as_operation_error,
  receiver_not_ready_as_retry,
  wrong_wr_id,
  requester_stays_rts,
  responder_stays_rts,
  failed_qp_transmits,
  // Receives
  receive_not_consumed,
  receive_not_flushed,
  received_length_of_buffer,
  long_message_truncated,
  connect_keeps_receives,
};

/// What the oracle is to say of a fault, as its annotation names it.
struct ExpectedFinding {
  std::string_view rule;       ///< id of the rule, or `<verb>.<outcome>` where there is none
  std::string_view condition;  ///< ids of what is broken, joined by '+'
};

/// One row of the table of faults.
struct FaultInfo {
  Fault fault;
  std::string_view id;       ///< kebab-case; as written on command lines
  std::string_view breaks;   ///< one sentence: what the faulty device does
  ExpectedFinding expected;  ///< the finding that says it best; empty if there must be none
  std::string_view why_allowed = {};  ///< why the pages leave it free; empty if they do not
};

/// All seeded faults, without Fault::none, in the order of the enumeration.
const std::vector<FaultInfo>& faults();

/// The fault with this id; nothing if there is none.
std::optional<Fault> fault_by_name(std::string_view id);

}  // namespace mrproof::impl
