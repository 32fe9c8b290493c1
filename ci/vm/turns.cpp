// Preloaded into a QEMU whose guest counts instructions: its first thread and the one that executes
// the guest take turns.
//
// The first thread skips the time in which the guest sleeps. It does not wait for what the other
// one has counted: where it looks while that one is about to sleep, some instructions count twice,
// and the guest's time and its random numbers are others from then on. Here each of the two goes on
// after a wait only when the other one waits. How this machine schedules them makes no difference.
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <string_view>

namespace {

pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
thread_local bool takes_turns = false;

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void begin() {
  takes_turns = true;
  pthread_mutex_lock(&turn);
}

[[gnu::constructor]] void begin_first() { begin(); }

}  // namespace

extern "C" {

int ppoll(pollfd* files, nfds_t count, const timespec* limit, const sigset_t* mask) {
  static auto* const real = next<decltype(ppoll)>("ppoll");
  if (!takes_turns) return real(files, count, limit, mask);
  pthread_mutex_unlock(&turn);
  const int ready = real(files, count, limit, mask);
  pthread_mutex_lock(&turn);
  return ready;
}

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  static auto* const real = next<decltype(pthread_cond_wait)>("pthread_cond_wait");
  if (!takes_turns) return real(condition, mutex);
  pthread_mutex_unlock(&turn);
  const int result = real(condition, mutex);
  // Who has one of the two may wait for the other.
  while (pthread_mutex_trylock(&turn) != 0) {
    pthread_mutex_unlock(mutex);
    pthread_mutex_lock(&turn);
    if (pthread_mutex_trylock(mutex) == 0) break;
    pthread_mutex_unlock(&turn);
    pthread_mutex_lock(mutex);
  }
  return result;
}

/// QEMU makes that third thread before all others.
int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  static auto* const real = next<decltype(pthread_create)>("pthread_create");
  static bool first = true;
  if (first) run = [](void*) -> void* { return pause(), nullptr; };
  first = false;
  return real(made, attributes, run, argument);
}

/// A thread names itself before anything else, with `-name debug-threads=on`.
int pthread_setname_np(pthread_t thread, const char* name) {
  static auto* const real = next<decltype(pthread_setname_np)>("pthread_setname_np");
  if (std::string_view(name).ends_with("/TCG")) begin();
  return real(thread, name);
}
}
