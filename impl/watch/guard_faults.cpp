#include "impl/watch/guard_faults.hpp"

#include <dlfcn.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <csignal>

#include "impl/watch/call.hpp"

namespace {

constinit mrproof::watch::Real<decltype(sigaction)> real_sigaction{"sigaction"};
constinit mrproof::watch::Real<decltype(signal)> real_signal{"signal"};
constinit mrproof::watch::Real<decltype(sigprocmask)> real_sigprocmask{"sigprocmask"};
constinit mrproof::watch::Real<decltype(pthread_sigmask)> real_pthread_sigmask{"pthread_sigmask"};

std::atomic<bool> handling;
struct sigaction others;  // what the program has asked for SIGSEGV

const void* place_of(const ucontext_t& context) {
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(context.uc_mcontext.pc);
#else
  return nullptr;
#endif
}

/// As if we were not there.
void leave_to_program(int number, siginfo_t* info, void* context) {
  if ((others.sa_flags & SA_SIGINFO) != 0) return others.sa_sigaction(number, info, context);
  if (others.sa_handler != SIG_DFL && others.sa_handler != SIG_IGN)
    return others.sa_handler(number);
  handling.store(false);
  real_sigaction.get()(SIGSEGV, &others, nullptr);  // and the same fault again
}

void on_fault(int number, siginfo_t* info, void* context) {
  [[gnu::tls_model("initial-exec")]] static constinit thread_local void* last = nullptr;
  const int kept = errno;
  if (info->si_code == SEGV_ACCERR) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const bool ours =
        mrproof::watch::guard::touch(address, place_of(*static_cast<ucontext_t*>(context)));
    // Another thread may have been faster: then it goes well the second time.
    const bool again = !ours && last != info->si_addr;
    last = ours ? nullptr : info->si_addr;
    errno = kept;
    if (ours || again) return;
  }
  leave_to_program(number, info, context);
}

/// The program gets what it asked for.
int change_others(const struct sigaction* wanted, struct sigaction* old) {
  if (old) *old = others;
  if (wanted) others = *wanted;
  return 0;
}

/// A fault that is blocked ends the program.
const sigset_t* without_faults(int how, const sigset_t* set, sigset_t& changed) {
  if (!set || how == SIG_UNBLOCK || !handling.load(std::memory_order_relaxed)) return set;
  changed = *set;
  sigdelset(&changed, SIGSEGV);
  return &changed;
}

}  // namespace

#pragma GCC visibility push(hidden)
namespace mrproof::watch::guard {

void watch_faults() {
  if (handling.exchange(true)) return;
  struct sigaction ours {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigfillset(&ours.sa_mask);
  real_sigaction.get()(SIGSEGV, &ours, &others);
}

}  // namespace mrproof::watch::guard
#pragma GCC visibility pop

#pragma GCC visibility push(default)
extern "C" {

int sigaction(int number, const struct sigaction* wanted, struct sigaction* old) noexcept {
  if (number == SIGSEGV && handling.load()) return change_others(wanted, old);
  return real_sigaction.get()(number, wanted, old);
}

sighandler_t signal(int number, sighandler_t handler) noexcept {
  if (number != SIGSEGV || !handling.load()) return real_signal.get()(number, handler);
  struct sigaction wanted {
  }, old{};
  wanted.sa_handler = handler;
  wanted.sa_flags = SA_RESTART;
  change_others(&wanted, &old);
  return old.sa_handler;
}

int sigprocmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  sigset_t changed;
  return real_sigprocmask.get()(how, without_faults(how, set, changed), old);
}

int pthread_sigmask(int how, const sigset_t* set, sigset_t* old) noexcept {
  sigset_t changed;
  return real_pthread_sigmask.get()(how, without_faults(how, set, changed), old);
}

}  // extern "C"
#pragma GCC visibility pop
