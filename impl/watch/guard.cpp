#include "impl/watch/guard.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "impl/watch/call.hpp"
#include "impl/watch/guard_faults.hpp"
#include "impl/watch/pointer_table.hpp"

#pragma GCC visibility push(hidden)
namespace mrproof::watch::guard {
namespace {

using Address = std::uintptr_t;

/// One element of a request, or a request without one. The pages are [first, end).
struct Entry {
  Queue queue;
  std::uint64_t id, sequence;
  Address first, end;
  bool used;
};

struct Extent {
  Address memory;
  std::uint64_t iova, length;
};

constexpr std::size_t kMostEntries = 16384;
constexpr std::size_t kMostRegions = 8192;

std::array<Entry, kMostEntries> entries;
std::size_t entries_end;  // none is used from there on
std::uint64_t last_sequence;
PointerTable<Extent, kMostRegions> regions;  // by lkey
std::atomic_flag locked;
[[gnu::tls_model("initial-exec")]] constinit thread_local int in_provider = 0;

/// No signal handler of the program runs in a thread that has the lock.
class Lock {
 public:
  Lock() {
    sigset_t all;
    sigfillset(&all);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old_, _NSIG / 8);
    while (locked.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Lock() {
    locked.clear(std::memory_order_release);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old_, nullptr, _NSIG / 8);
    errno = errno_;
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int errno_ = errno;
  sigset_t old_{};
};

Address page_size() { return static_cast<Address>(sysconf(_SC_PAGESIZE)); }
Address page_of(Address address) { return address & ~(page_size() - 1); }

const void* name_of(std::uint32_t lkey) {
  return reinterpret_cast<const void*>((static_cast<std::uintptr_t>(lkey) << 6U) + 64);
}

bool protect(Address first, Address end, int how) {
  return syscall(SYS_mprotect, first, end - first, how) == 0;
}

/// Reads /proc/self/maps line by line; a line is longer than its part that is looked at.
class Maps {
 public:
  Maps() : file_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~Maps() {
    if (file_ >= 0) close(file_);
  }
  Maps(const Maps&) = delete;
  Maps& operator=(const Maps&) = delete;

  /// The next mapping and its rights, "rw-"; false behind the last one.
  bool next(Address& first, Address& end, std::array<char, 3>& rights) {
    first = number();
    end = number();
    for (char& right : rights) right = take();
    while (!ended_ && take() != '\n') {
    }
    return !ended_;
  }

 private:
  char take() {
    if (at_ == size_) {
      size_ = file_ < 0 ? 0 : read(file_, part_.data(), part_.size());
      at_ = 0;
      ended_ = size_ <= 0;
      if (ended_) return size_ = 0, '\n';
    }
    return part_[static_cast<std::size_t>(at_++)];
  }
  /// In base 16, with the character behind it.
  Address number() {
    Address value = 0;
    for (char c = take();; c = take())
      if (c >= '0' && c <= '9')
        value = value * 16 + static_cast<Address>(c - '0');
      else if (c >= 'a' && c <= 'f')
        value = value * 16 + static_cast<Address>(c - 'a' + 10);
      else
        return value;
  }

  int file_;
  std::array<char, 4096> part_{};
  ssize_t at_ = 0, size_ = 0;
  bool ended_ = false;
};

/// Whether all of it can be read and written, and not executed.
bool is_data(Address first, Address end) {
  Maps maps;
  Address begin = 0, last = 0;
  for (std::array<char, 3> rights{}; first < end && maps.next(begin, last, rights);) {
    if (last <= first) continue;
    if (begin > first || memcmp(rights.data(), "rw-", rights.size()) != 0) return false;
    first = last;
  }
  return first >= end;
}

/// Gives back what no other entry has, too.
void give_back(Address first, Address end) {
  while (first < end) {
    Address covered = first, next = end;
    for (std::size_t i = 0; i < entries_end; ++i) {
      const Entry& e = entries[i];
      if (!e.used || e.first >= e.end) continue;
      if (e.first <= first && first < e.end) covered = std::max(covered, e.end);
      if (e.first > first) next = std::min(next, e.first);
    }
    if (covered == first) {
      protect(first, next, PROT_READ | PROT_WRITE);
      covered = next;
    }
    first = covered;
  }
}

/// `surely`: the memory is what it was when the request was posted. Else it may be another one's
/// by now: what is not read-only is left alone.
void release(Entry& e, bool surely) {
  e.used = false;
  if (e.first >= e.end) return;
  if (surely) return give_back(e.first, e.end);
  Maps maps;
  Address first = 0, end = 0;
  for (std::array<char, 3> rights{}; maps.next(first, end, rights);)
    if (memcmp(rights.data(), "r--", rights.size()) == 0)
      give_back(std::max(first, e.first), std::min(end, e.end));
}

void release_if(bool surely, auto&& is_over) {
  for (std::size_t i = 0; i < entries_end; ++i)
    if (entries[i].used && is_over(entries[i])) release(entries[i], surely);
  while (entries_end > 0 && !entries[entries_end - 1].used) --entries_end;
}

/// Null if there is no place left.
Entry* add(const Queue& queue, std::uint64_t id) {
  std::size_t i = 0;
  if (entries_end < kMostEntries)
    i = entries_end++;
  else
    while (i < kMostEntries && entries[i].used) ++i;
  if (i == kMostEntries) return nullptr;
  entries[i] = {queue, id, last_sequence, 0, 0, true};
  return &entries[i];
}

/// The whole pages of the element; none if its memory may not be what it seems.
void guard_element(Entry& e, const ibv_sge& element) {
  const Extent* extent = regions.find(name_of(element.lkey));
  if (!extent) return;
  const std::uint64_t offset = element.addr - extent->iova;
  if (offset > extent->length || element.length > extent->length - offset) return;
  const Address from = extent->memory + offset;
  const Address first = page_of(from + page_size() - 1), end = page_of(from + element.length);
  if (first >= end) return;
  if (protect(first, end, PROT_READ)) {
    e.first = first;
    e.end = end;
    return;
  }
  if (errno != ENOMEM) return;
  protect(first, end, PROT_READ | PROT_WRITE);
  const Moment moment;  // it was freed, perhaps, which nobody sees
  append({moment.time(), Kind::unmap, 0, 0, 0, 0, {first, end - first}});
}

}  // namespace

bool wanted() {
  static std::atomic<int> answer{-1};
  int known = answer.load(std::memory_order_relaxed);
  if (known < 0) {
    known = watching() && std::getenv(kGuardVariable) ? 1 : 0;
    answer.store(known, std::memory_order_relaxed);
  }
  return known != 0;
}

Provider::Provider() { ++in_provider; }
Provider::~Provider() { --in_provider; }

void before_region(const void* address, std::size_t length) {
  if (wanted()) forget(word(address), length);
}

void add_region(const ibv_mr* region, std::uint64_t iova, unsigned access) {
  if (!wanted() || !region || !region->addr || region->length == 0) return;
  const Lock lock;
  watch_faults();
  const Address first = word(region->addr);
  constexpr unsigned kOther = IBV_ACCESS_ON_DEMAND | IBV_ACCESS_ZERO_BASED;
  if ((access & kOther) != 0 || !is_data(first, first + region->length)) return;
  Extent* extent = regions.take(name_of(region->lkey));
  if (!extent) return;
  *extent = {first, iova, region->length};
  regions.publish(extent, name_of(region->lkey));
}

void end_region(const ibv_mr* region) {
  if (!wanted() || !region) return;
  const Lock lock;
  Extent* extent = regions.find(name_of(region->lkey));
  if (!extent) return;
  const Address first = extent->memory, end = first + extent->length;
  regions.remove(extent);
  release_if(false, [&](const Entry& e) { return e.first < end && first < e.end; });
}

Queue sends_of(const ibv_qp* qp) { return {qp->context, qp, qp->qp_num, false, false}; }
Queue receives_of(const ibv_qp* qp) { return {qp->context, qp, qp->qp_num, true, false}; }
Queue receives_of(const ibv_srq* queue) { return {queue->context, queue, 0, true, true}; }

void begin(const Queue& queue, std::uint64_t id, const ibv_sge* elements, int count) {
  if (!wanted()) return;
  const Lock lock;
  ++last_sequence;
  Entry* e = add(queue, id);
  for (int i = 0; e && i < count; ++i) {
    if (i != 0) e = add(queue, id);
    if (e) guard_element(*e, elements[i]);
  }
}

void completed(const ibv_context* context, std::uint32_t number, std::uint64_t id,
               ibv_wc_status status, bool of_receive) {
  if (!wanted()) return;
  const Lock lock;
  const auto is_here = [&](const Entry& e) {
    return e.queue.context == context && !e.queue.shared && e.queue.number == number &&
           (status != IBV_WC_SUCCESS || e.queue.receives == of_receive);
  };
  // Without a place for it, or with its number given twice, all that may be over is.
  std::uint64_t over = 0;
  for (std::size_t i = 0; i < entries_end; ++i)
    if (entries[i].used && is_here(entries[i]) && entries[i].id == id)
      over = std::max(over, entries[i].sequence);
  const bool all = over == 0 || status != IBV_WC_SUCCESS;
  release_if(true, [&](const Entry& e) {
    if (e.queue.shared)
      return e.queue.context == context && e.id == id && (of_receive || status != IBV_WC_SUCCESS);
    return is_here(e) && (all || e.sequence <= over);
  });
}

void end_queue(const void* object) {
  if (!wanted()) return;
  const Lock lock;
  release_if(false, [&](const Entry& e) { return e.queue.object == object || e.queue.shared; });
}

void forget(Address address, std::size_t length) {
  if (!wanted()) return;
  const Lock lock;
  release_if(false, [&](const Entry& e) { return e.first < address + length && address < e.end; });
}

void end_all() {
  if (!wanted()) return;
  const Lock lock;
  release_if(false, [](const Entry&) { return true; });
}

void end_all_in_child() {
  locked.clear();  // another thread of the parent may have had it
  end_all();
}

bool touch(Address address, const void* place) {
  Queue queue{};
  std::uint64_t id = 0;
  {
    const Lock lock;
    const auto end = entries.begin() + static_cast<std::ptrdiff_t>(entries_end);
    const auto found = std::find_if(entries.begin(), end, [&](const Entry& e) {
      return e.used && e.first <= address && address < e.end;
    });
    if (found == end) return false;
    queue = found->queue;
    id = found->id;
    protect(found->first, found->end, PROT_READ | PROT_WRITE);
    found->first = found->end = 0;  // told once; the request is still under way
  }
  if (in_provider != 0 || within_call()) return true;
  const Moment moment;
  append_with_stack({moment.time(),
                     Kind::touched,
                     0,
                     0,
                     word(queue.object),
                     word(place),
                     {address, id, queue.receives ? 1U : 0U}});
  return true;
}

}  // namespace mrproof::watch::guard
#pragma GCC visibility pop
