#include "impl/verbs/other_process.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>

#include "impl/verbs/reply.hpp"

namespace mrproof::impl {
namespace {

/// Whether a whole message was sent, or received.
template <class T>
bool tell(int socket, const T& message) {
  return send(socket, &message, sizeof message, MSG_NOSIGNAL) ==
         static_cast<ssize_t>(sizeof message);
}
template <class T>
bool hear(int socket, T& message) {
  ssize_t got = 0;
  do got = recv(socket, &message, sizeof message, 0);
  while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(sizeof message);
}

/// The child's life: until the other end of the socket is closed.
void serve(int socket, const OtherProcess::Open& open) {
  std::unique_ptr<Process> process;
  const Reply opened = reply_of([&] {
    process = open();
    return Answer{};
  });
  if (!tell(socket, opened)) return;
  Order order;
  while (process && hear(socket, order))
    if (!tell(socket, reply_of([&] { return process->carry_out(order); }))) return;
}

/// Ends this process as the child has ended.
[[noreturn]] void share_fate(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status)) {
    const int signal_number = WTERMSIG(status);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

[[noreturn]] void report(const char* what) {
  throw DeviceError(std::string("cannot have a second process: ") + what + ": " +
                    std::generic_category().message(errno));
}

}  // namespace

OtherProcess::OtherProcess(const Open& open) {
  std::array<int, 2> sockets{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    report("socketpair(2)");
  const pid_t parent = getpid();
  child_ = fork();
  if (child_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(sockets[0]);
    if (getppid() == parent) serve(sockets[1], open);
    _exit(0);  // what this process had before it was forked is the parent's to end
  }
  const int error = errno;
  close(sockets[1]);
  socket_ = sockets[0];
  if (child_ < 0) {
    close(socket_);
    errno = error;
    report("fork(2)");
  }
  try {
    await_answer();
  } catch (...) {
    close(socket_);
    waitpid(child_, nullptr, 0);
    throw;
  }
}

OtherProcess::~OtherProcess() {
  close(socket_);
  waitpid(child_, nullptr, 0);
}

Answer OtherProcess::carry_out(const Order& order) {
  if (!tell(socket_, order)) share_fate(child_);
  return await_answer();
}

Answer OtherProcess::await_answer() {
  Reply reply;
  if (!hear(socket_, reply)) share_fate(child_);
  return answer_of(reply, "in the second process");
}

}  // namespace mrproof::impl
