// The other end of the connections on another host, where `mrproof peer` runs.
#pragma once

#include <memory>
#include <string>

#include "impl/buffers.hpp"
#include "impl/device.hpp"
#include "impl/verbs/host_messages.hpp"
#include "impl/verbs/memory_twin.hpp"
#include "impl/verbs/options.hpp"
#include "impl/verbs/process.hpp"
#include "impl/verbs/stream.hpp"

namespace mrproof::impl {

/// A process on another host (peer.hpp) that carries out orders, as OtherProcess is one on this
/// host. The buffers of both hosts hold the same bytes before and after each order.
///
/// If the peer is killed by a signal of its own, so is this process. If it cannot be reached, or
/// does not answer for Stream::kSilence seconds, its host's kernel included, carry_out() throws
/// DeviceError: nothing can be said of the call then.
class FarHost final : public Process {
 public:
  /// Connects, and waits until the peer has opened its device. The options' `host` says where it
  /// is, and the variable MRPROOF_PEER_SECRET has the secret. `buffers` are shared, and outlive it.
  /// Throws DeviceError where there is no peer, it is of another build, the secret is another one,
  /// or the device cannot be opened there.
  FarHost(const VerbsOptions& options, const Buffers& buffers);
  Answer carry_out(const Order& order) override;

  /// Who is tested there.
  [[nodiscard]] Description description() const;
  /// device_identity() of it: a peer may be on this host, and use the same device.
  [[nodiscard]] std::string which() const { return welcome_.which.string(); }
  /// What the device there can, of what `here` can: what both do.
  [[nodiscard]] model::Capabilities<model::Plain> common(
      const model::Capabilities<model::Plain>& here) const;
  /// The warnings of the kernel there since this was called last, one a line.
  std::string take_warnings();

 private:
  [[noreturn]] void report_lost(int error) const;

  std::string host_;
  Stream stream_;
  Welcome welcome_;
  MemoryTwin twin_;
  std::string warnings_;
};

}  // namespace mrproof::impl
