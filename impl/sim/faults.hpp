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
  // Windows: bounds, rights, owners
  window_bounds_unchecked,
  window_end_off_by_one,
  window_write_right_unchecked,
  window_read_right_unchecked,
  window_rights_of_region,
  window_pd_unchecked,
  window_qp_unchecked,
  zero_based_window_ignored,
  // Windows: keys
  rebound_window_key_works,
  invalidated_window_key_works,
  deallocated_window_key_works,
  window_key_byte_ignored,
  window_key_as_lkey,
  window_key_of_region,
  bind_keeps_key,
  // Windows: binding
  bind_range_wraps,
  bind_end_off_by_one,
  bind_bounds_unchecked,
  bind_without_bind_right,
  bind_without_local_write,
  bind_region_pd_unchecked,
  bind_qp_pd_unchecked,
  bind_rights_unchecked,
  bind_key_index_unchecked,
  bind_same_key_accepted,
  bound_type_two_rebound,
  zero_length_bind_keeps_window,
  zero_length_type_two_accepted,
  zero_based_type_one_accepted,
  type_two_bound_by_verb,
  type_one_bound_by_work_request,
  failed_qp_binds,
  // Windows: invalidation, and what ends them
  type_one_invalidated,
  other_qp_window_invalidated,
  region_invalidated,
  local_invalidate_lost,
  remote_invalidate_lost,
  remote_invalidate_key_unchecked,
  refused_invalidate_stores,
  dereg_with_bound_window,
  dealloc_mw_keeps_region_busy,
  windows_do_not_use_pd,
  // Re-registration
  rereg_old_key_works,
  rereg_pd_ignored,
  rereg_access_ignored,
  rereg_translation_ignored,
  rereg_length_kept,
  rereg_refusal_swallowed,
  rereg_command_error_as_input_error,
  rereg_input_error_ends_region,
  rereg_failure_blocks_dereg,
  rereg_remote_write_alone_accepted,
  rereg_unmapped_accepted,
  rereg_pd_without_flag,
  rereg_access_without_flag_accepted,
  rereg_flags_unchecked,
  rereg_old_pd_stays_busy,
  // Advice
  advise_pd_unchecked,
  advise_bounds_unchecked,
  advise_bounds_with_einval,
  advise_write_right_unchecked,
  advise_dead_key_accepted,
  advise_pinned_accepted,
  advise_unknown_accepted,
  advise_missing_pages_ignored,
  advise_clears_pages,
  advise_read_ends_write_right,
  // Atomic operations
  atomic_not_applied,
  atomic_returns_new_value,
  atomic_result_not_stored,
  atomic_result_byte_swapped,
  atomic_carry_lost,
  compare_ignored,
  atomic_misaligned_accepted,
  atomic_right_unchecked,
  atomic_local_write_unchecked,
  // Registration with another base; dma-buf; null regions
  iova_ignored,
  iova_page_offset_lost,
  iova_zero_not_zero_based,
  iova_wrap_accepted,
  reg_mr_ex_access_lost,
  dmabuf_flags_unchecked,
  dmabuf_range_unchecked,
  dmabuf_page_offset_unchecked,
  null_mr_writes_memory,
  null_mr_reads_memory,
  null_mr_exposed,
  // Pages: on demand, read-only, unmapped
  odp_unmapped_access_succeeds,
  odp_read_only_page_written,
  odp_stale_mapping,
  implicit_on_demand_refused,
  hugetlb_alone_accepted,
  read_only_memory_accepted,
  hole_in_range_accepted,
  store_reaches_new_page,
  // Immediate data
  immediate_leaves_receive,
  immediate_without_receive,
  immediate_write_not_stored,
  immediate_length_lost,
  // Several elements
  second_element_ignored,
  second_element_key_unchecked,
  gather_order_swapped,
  second_receive_element_lost,
  receive_length_of_first_element,
  // Queue pairs that are destroyed
  destroyed_qp_serves,
  destroy_qp_refused_with_windows,
  destroy_qp_keeps_pd_busy,
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
  std::string_view clause;   ///< id of the clause that it breaks (specs/clauses)
  std::string_view why_allowed = {};  ///< why the pages leave it free; empty if they do not
};

/// All seeded faults, without Fault::none, in the order of the enumeration.
const std::vector<FaultInfo>& faults();

/// The fault with this id; nothing if there is none.
std::optional<Fault> fault_by_name(std::string_view id);

}  // namespace mrproof::impl
