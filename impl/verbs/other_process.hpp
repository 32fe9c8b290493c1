// A second process, with what it has of a device for itself.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>

#include "impl/verbs/process.hpp"

namespace mrproof::impl {

/// A child process that carries out orders. A pair of sockets takes orders there and answers back.
/// It has to be made before this process opens the device: contexts do not survive fork(2).
///
/// This process shares the child's fate, as if it had made the call itself. While the child carries
/// out an order this process waits, however long, and its supervisor sees that. If the child is
/// killed by a signal, or exits, so does this process. If this process ends, the child is killed
/// (PR_SET_PDEATHSIG in prctl(2)).
class OtherProcess final : public Process {
 public:
  /// What the child does with the device; may throw.
  using Open = std::function<std::unique_ptr<Process>()>;

  /// Forks, and waits until the child has opened the device. Throws DeviceError if there can be no
  /// child, or what `open` throws there, as carry_out() does.
  explicit OtherProcess(const Open& open);
  /// Makes the child destroy its objects and exit, and waits for that.
  ~OtherProcess() override;

  /// A std::logic_error of the child is thrown here as one, any other exception as DeviceError.
  Answer carry_out(const Order& order) override;
  [[nodiscard]] pid_t id() const { return child_; }

 private:
  Answer await_answer();

  pid_t child_ = -1;
  int socket_ = -1;
};

}  // namespace mrproof::impl
