#include "impl/watch/writer.hpp"

#include "impl/watch/guard.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#pragma GCC visibility push(hidden)
namespace mrproof::watch {
namespace {

constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, which not all headers have
/// What a copy of the maps may need.
constexpr std::size_t kMostMaps = std::size_t{16} << 20U;

/// A thread's place in its file. No file is held open: programs close those that they do not know.
struct Writer {
  Record* next = nullptr;  ///< the first one of the room that is free
  Record* end = nullptr;   ///< of the room
  Head* head = nullptr;    ///< mapped, with the room behind it
  pid_t tid = 0;
  bool busy = false;     ///< a signal handler that finds it so has interrupted append()
  bool stopped = false;  ///< there was no room, or no file; all that follows is lost
};

// A preloaded library is there when the program starts, so its threads have room for this.
[[gnu::tls_model("initial-exec")]] constinit thread_local Writer writer;

std::array<char, PATH_MAX> folder;  // empty: nothing is recorded
pthread_once_t started = PTHREAD_ONCE_INIT;
pthread_key_t thread_end;
std::atomic<pid_t> process;
std::atomic<Head*> first_head;  // of the process; stays mapped, for threads that have no file
std::atomic<std::uint64_t> lost_before, lost_before_since;  // there was one

using Path = std::array<char, PATH_MAX + 64>;

Path path_of(const char* name, pid_t number, pid_t tid) {
  Path path;
  std::snprintf(path.data(), path.size(), tid ? "%s/%s%d.%d" : "%s/%s%d", folder.data(), name,
                number, tid);
  return path;
}

/// What is done on the side must not show: neither in errno, nor by a thread that ends there since
/// it was cancelled.
class Aside {
 public:
  Aside() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_); }
  ~Aside() {
    pthread_setcancelstate(cancel_, nullptr);
    errno = errno_;
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  int errno_ = errno;
  int cancel_ = 0;
};

/// Beyond the limit a write would be answered by a signal.
bool may_reach(std::size_t size) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
         (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= size);
}

/// The head and the room, for which the disk has room: writing to them cannot fail any more. They
/// are mapped and unmapped by number, as others may watch the functions, and so do we.
Head* map_room(int file) {
  if (!may_reach(kOlder)) return nullptr;
  int error = 0;
  do {
    error = posix_fallocate(file, 0, kOlder);
  } while (error == EINTR);
  if (error != 0) return nullptr;
  const long head =
      syscall(SYS_mmap, nullptr, kOlder, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0L);
  if (head == -1) return nullptr;
  // Its pages at once cost a fraction of as many faults; older kernels do not know it.
  syscall(SYS_madvise, head, kOlder, kPopulateWrite);
  return reinterpret_cast<Head*>(head);
}

Record* room_of(Head* head) { return reinterpret_cast<Record*>(head + 1); }

/// Clears the room, whose records are among the older ones by now. Whoever reads along takes
/// nothing from it meanwhile.
void clear_room(Head& head, std::uint64_t kept) {
  std::atomic_ref mark(head.kept);
  mark.store(kept | 1U, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::memset(reinterpret_cast<char*>(room_of(&head)), 0, kRoom * sizeof(Record));
  mark.store(kept, std::memory_order_release);
}

/// Where the judge finds it.
void count_lost(Head& head, std::uint64_t events, std::uint64_t time) {
  std::atomic_ref since(head.lost_since);
  std::uint64_t known = since.load(std::memory_order_relaxed);
  while ((known == 0 || time < known) && !since.compare_exchange_weak(known, time)) {
  }
  std::atomic_ref(head.lost).fetch_add(events, std::memory_order_relaxed);
}

/// Opens the thread's file. One that is there was written before the program was replaced by exec,
/// or by a thread that had the same number: it is continued.
bool open_file(Writer& w, int file) {
  struct stat found {};
  if (fstat(file, &found) != 0) return false;
  w.head = map_room(file);
  if (!w.head) return false;
  w.next = room_of(w.head);
  w.end = w.next + kRoom;
  if (found.st_size == 0) {
    w.head->magic = kMagic;
    w.head->version = kVersion;
    w.head->pid = static_cast<std::uint32_t>(process.load());
    w.head->tid = static_cast<std::uint32_t>(w.tid);
  }
  std::atomic_ref(w.head->since).store(0, std::memory_order_release);  // of a thread before exec
  Head* none = nullptr;
  first_head.compare_exchange_strong(none, w.head);
  if (const std::uint64_t lost = lost_before.exchange(0); lost > 0)
    count_lost(*w.head, lost, lost_before_since.load());
  if ((w.head->kept & 1U) != 0) clear_room(*w.head, w.head->kept - 1);
  while (w.next != w.end && w.next->time != 0) ++w.next;
  return true;
}

/// Adds the records of the room to the older ones, and clears it.
bool keep_room(Writer& w, int file) {
  const auto* from = reinterpret_cast<const char*>(room_of(w.head));
  constexpr std::size_t kSize = kRoom * sizeof(Record);
  const std::size_t begin = kOlder + w.head->kept;
  if (!may_reach(begin + kSize)) return false;
  for (std::size_t done = 0; done < kSize;) {
    const ssize_t part = pwrite(file, from + done, kSize - done, static_cast<off_t>(begin + done));
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) {
      if (ftruncate(file, static_cast<off_t>(begin)) != 0) errno = 0;  // for others to use
      return false;
    }
    done += static_cast<std::size_t>(part);
  }
  clear_room(*w.head, w.head->kept + kSize);
  w.next = room_of(w.head);
  return true;
}

/// Has a free record at `next`, or ends the thread's recording.
[[gnu::noinline]] bool grow(Writer& w) {
  if (w.stopped) return false;
  const Aside aside;
  w.stopped = true;
  if (w.tid == 0) w.tid = static_cast<pid_t>(syscall(SYS_gettid));
  const Path path = path_of("events.", process.load(), w.tid);
  const int file = open(path.data(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) return false;
  if (!w.head) {
    pthread_setspecific(thread_end, &writer);
    w.stopped = !open_file(w, file);
  }
  if (w.head && w.next == w.end) w.stopped = !keep_room(w, file);
  close(file);
  return !w.stopped;
}

/// Lets the file go, without what was not needed of it. Later events open it again.
void end_thread(void*) {
  Writer& w = writer;
  const Aside aside;
  if (w.head) {
    std::atomic_ref(w.head->since).store(0, std::memory_order_release);
    const Path path = path_of("events.", process.load(), w.tid);
    const auto used = reinterpret_cast<char*>(w.next) - reinterpret_cast<char*>(w.head);
    if (w.head->kept == 0 && truncate(path.data(), used) != 0) errno = 0;
    if (w.head != first_head.load()) syscall(SYS_munmap, w.head, kOlder);
  }
  w = Writer{};
}

/// A child has files of its own. What is mapped of its parent's stays so, and is not written to.
void begin_child() {
  guard::end_all_in_child();
  process.store(getpid());
  first_head.store(nullptr);
  lost_before.store(0);
  lost_before_since.store(0);
  writer = Writer{};
}

void start() {
  const Aside aside;
  const char* name = std::getenv(kFolderVariable);
  if (!name || pthread_key_create(&thread_end, end_thread) != 0) return;
  process.store(getpid());
  if (pthread_atfork(nullptr, nullptr, begin_child) != 0) return;
  if (!realpath(name, folder.data())) folder[0] = '\0';
}

/// So early that the program has not changed its environment or its folder.
[[gnu::constructor]] void start_early() { pthread_once(&started, start); }

void lose(const Record& record) {
  Head* head = writer.head ? writer.head : first_head.load(std::memory_order_relaxed);
  if (head) return count_lost(*head, 1, record.time);
  std::uint64_t none = 0;
  lost_before_since.compare_exchange_strong(none, record.time);
  lost_before.fetch_add(1, std::memory_order_relaxed);
}

bool copy(int from, int to) {
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t size = read(from, part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return size == 0;
    for (ssize_t done = 0; done < size;) {
      const ssize_t written = write(to, part.data() + done, static_cast<std::size_t>(size - done));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return false;
      done += written;
    }
  }
}

}  // namespace

bool watching() {
  pthread_once(&started, start);
  return folder[0] != '\0';
}

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

Moment::Moment(bool wanted) {
  if (!wanted) return;
  Writer& w = writer;
  if (!w.head && !w.busy) {
    w.busy = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    grow(w);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    w.busy = false;
  }
  // Readers leave some milliseconds between the clock and what they take, more than it takes until
  // the mark is seen by other processors.
  if (w.head && w.head->since == 0) {
    marked_ = true;
    std::atomic_ref(w.head->since).store(1, std::memory_order_release);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  time_ = now();
  if (marked_) std::atomic_ref(w.head->since).store(time_, std::memory_order_release);
}

Moment::~Moment() {
  if (marked_ && writer.head)
    std::atomic_ref(writer.head->since).store(0, std::memory_order_release);
}

void append(const Record& record) {
  Writer& w = writer;
  if (w.busy) return lose(record);
  w.busy = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (w.next != w.end || grow(w)) {
    Record* slot = w.next++;
    constexpr std::size_t kTime = sizeof(record.time);
    std::memcpy(reinterpret_cast<char*>(slot) + kTime,
                reinterpret_cast<const char*>(&record) + kTime, sizeof(Record) - kTime);
    std::atomic_ref(slot->time).store(record.time, std::memory_order_release);
  } else {
    lose(record);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
  w.busy = false;
}

void copy_maps() {
  const Aside aside;
  if (!may_reach(kMostMaps)) return;
  const pid_t number = process.load();
  // Renamed when it is whole: what was copied before stays if this fails.
  const Path path = path_of("new.", number, static_cast<pid_t>(syscall(SYS_gettid)));
  const Path last = path_of(kMapsFile, number, 0);
  const int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  const int to = open(path.data(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  const bool copied = from >= 0 && to >= 0 && copy(from, to);
  if (from >= 0) close(from);
  if (to >= 0) close(to);
  if (!copied || rename(path.data(), last.data()) != 0) unlink(path.data());
}

}  // namespace mrproof::watch
#pragma GCC visibility pop
