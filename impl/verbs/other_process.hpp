// A second process, with what it has of a device for itself.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>

#include "impl/verbs/process.hpp"

namespace mrproof::impl {

/// A child process that carries out orders; they go there and answers come back through a pair of
/// sockets. It has to be made before this process opens the device: contexts do not survive
/// fork(2).
///
/// What becomes of the child becomes of this process, as if it had made the call itself: while an
/// order is carried out this process waits, however long, and whoever watches over it sees that;
/// and if the child is killed by a signal, or exits, so does this process. Where this process ends,
/// the child is killed (PR_SET_PDEATHSIG in prctl(2)).
class OtherProcess final : public Process {
 public:
  /// What the child does with the device; may throw.
  using Open = std::function<std::unique_ptr<Process>()>;

  /// Forks, and waits until the child has opened the device. Throws DeviceError if there can be no
  /// child, or what `open` throws there, as carry_out() does.
  explicit OtherProcess(const Open& open);
  /// Has the child let its objects go and exit, and waits for that.
  ~OtherProcess() override;

  /// A std::logic_error of the child's comes out as one, any other exception as DeviceError.
  Answer carry_out(const Order& order) override;
  [[nodiscard]] pid_t id() const { return child_; }

 private:
  Answer await_answer();

  pid_t child_ = -1;
  int socket_ = -1;
};

}  // namespace mrproof::impl
