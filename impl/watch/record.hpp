// What the watching library writes and the judge reads: one file for each thread of the watched
// program, FOLDER/events.PID.TID: a Head, room for Records in pages that the program has mapped,
// and behind it the older Records, to which the room's are added whenever it is full. So the pages
// that are written to stay the same, and need no fault, and no room on the disk, at each event.
//
// A thread alone writes to its file, without a lock and without a system call but when the room is
// full; what is written stays if the program is killed. Records of all threads are
// put in order by their times. A file of no bytes is of a thread whose events were all lost; the
// first one of the process that has a head counts them. After
// exec, and for a thread with the number of one that has ended, a file is continued.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mrproof::watch {

/// What happened. Objects are named by their pointers in the program: one that is freed and made
/// again is another object, which the order of the records tells.
enum class Kind : std::uint16_t {
  none,         ///< not written yet: the file ends here for now
  open_device,  ///< object: ibv_context; words: the device's name, 64 bytes
  close_device,
  alloc_pd,    ///< object: ibv_pd; words: context
  dealloc_pd,  ///< result: 0 or an errno
  /// object: ibv_mr; words: pd, address, length, iova, lkey | rkey << 32, access. A region that
  /// could not be registered has object 0 and the errno.
  reg_mr,
  /// It has returned. object: ibv_mr; result: what ibv_rereg_mr(3) says; words: flags, pd, address,
  /// length, lkey | rkey << 32 as they are now, access
  rereg_mr,
  dereg_mr,
  create_cq,  ///< object: ibv_cq
  destroy_cq,
  /// object: ibv_qp; words: pd, queue pair number, ibv_qp_type | sq_sig_all << 8 | max_recv_sge <<
  /// 32, send CQ, receive CQ, max_inline_data | max_send_sge << 32, srq or 0, max_send_wr |
  /// max_recv_wr << 32
  create_qp,
  /// words: attr_mask, qp_state | qp_access_flags << 32, dest_qp_num, the GIDs of the other end and
  /// of this one (two words each, as they are in memory), time at the end. What the mask leaves out
  /// is 0, and so are both GIDs where the path has none.
  modify_qp,
  destroy_qp,
  alloc_mw,  ///< object: ibv_mw; words: pd, rkey, type
  dealloc_mw,
  /// ibv_bind_mw(), written before the provider sees it. object: ibv_qp; words: as those of a
  /// request IBV_WR_BIND_MW
  bind_mw,
  /// It has returned. object: ibv_mw; words: the rkey that the window now has, or is to have
  bound,
  create_srq,  ///< object: ibv_srq; words: pd
  destroy_srq,
  create_ah,   ///< object: ibv_ah; words: pd
  destroy_ah,  ///< result: 0 or an errno
  /// A work request of a send queue, whose elements but the first follow. object: ibv_qp; words:
  /// wr_id, opcode | send_flags << 32, remote address (of a datagram: ibv_ah), rkey (or the key to
  /// invalidate), compare_add, swap, the first element's address, and its length | lkey << 32.
  /// IBV_WR_BIND_MW has no elements; words: wr_id, opcode | send_flags << 32, ibv_mw, ibv_mr or 0,
  /// address, length, access | rkey << 32. What the opcode does not use is 0. It is written before
  /// the provider sees the request.
  post_send,
  /// A receive, likewise. object: ibv_qp or ibv_srq; words: wr_id; the last two are the first
  /// element
  post_recv,
  element,  ///< object: as that of the request; words: address, length, lkey
  /// The provider refused the last requests that this thread posted to the object; result: why;
  /// words: how many, at the end of the list; 0 if they were sends, 1 if receives
  refused,
  /// object: ibv_cq; words: wr_id, status | opcode << 32, queue pair number. The opcode is 0 unless
  /// the status is IBV_WC_SUCCESS.
  completion,
  unmap,  ///< munmap, or what it does to memory that was there; words: address, length
  /// Memory of a request under way was written to (guard.hpp). object: ibv_qp or ibv_srq; words:
  /// address, wr_id, 0 if it is a send, 1 if a receive
  touched,
  exit,  ///< the program ends by itself; destructors of libraries may still make calls
  /// Behind a call that makes, changes or ends an object, whose `parts` is 1 then. words: where its
  /// caller was called from, and so on, outwards, as far as that can be told; 0 behind the last
  stack,
  passed,  ///< a call that is passed through and not looked at; object; words: a Passed
};

/// Calls that are counted and not looked at.
enum class Passed : std::uint64_t {
  extended_queue_pair,  ///< a create_qp came before: what ibv_wr_*() posts on it is not seen
  extended_cq,          ///< a create_cq came before: what ibv_start_poll() finds is not seen
  other                 ///< what is posted and polled in this context is not seen
};

/// One event, or a part of one.
struct Record {
  /// CLOCK_MONOTONIC in ns: when a call that makes an object, or that looks for completions, has
  /// returned; when any other call began. Written last: 0 means that the rest is not there yet.
  std::uint64_t time;
  Kind kind;
  std::uint16_t parts;   ///< elements of a request; 1: a stack follows
  std::int32_t result;   ///< of the call: 0 or an errno
  std::uint64_t object;  ///< 0: none
  std::uint64_t caller;  ///< where in the program the call was made
  std::array<std::uint64_t, 8> words;
};
static_assert(sizeof(Record) == 96);

/// The first 96 bytes of a file.
struct Head {
  std::array<char, 8> magic;
  std::uint32_t version;
  std::uint32_t pid, tid;
  std::uint32_t reserved;
  std::uint64_t lost;  ///< events that could not be written, as the disk was full
  /// The earliest time of one of them, or of one that a thread without a file has lost: what
  /// happened from then on cannot be judged.
  std::uint64_t lost_since;
  /// What the thread is just about to write is not earlier than this; 1: it is to read the clock
  /// next; 0: nothing is to be written. Whoever reads along takes nothing later than that.
  std::uint64_t since;
  /// Bytes of older records behind the room. Bit 0: they hold what is in the room, too, which is
  /// being cleared.
  std::uint64_t kept;
  std::array<std::uint64_t, 5> unused;
};
static_assert(sizeof(Head) == sizeof(Record));

/// Records of the room.
inline constexpr std::size_t kRoom = 2047;
/// Where the older records begin; whole pages of up to 64 KiB.
inline constexpr std::size_t kOlder = sizeof(Head) + kRoom * sizeof(Record);
static_assert(kOlder % 65536 == 0);

inline constexpr std::array<char, 8> kMagic{'m', 'r', 'p', 'w', 'a', 't', 'c', 'h'};
inline constexpr std::uint32_t kVersion = 6;

/// Environment of the watched program: the folder, which is there and empty.
inline constexpr const char* kFolderVariable = "MRPROOF_WATCH";
/// It is set if memory of requests is guarded.
inline constexpr const char* kGuardVariable = "MRPROOF_WATCH_GUARD";
/// In the folder: /proc/PID/maps as it was when the program last opened a device, and at its exit;
/// `caller` means a place in one of these files.
inline constexpr const char* kMapsFile = "maps.";  // PID

}  // namespace mrproof::watch
