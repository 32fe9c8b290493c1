// Bytes that may still arrive after the request that sent them has failed.
//
// A requester that stops half-way, at a fault of its own, has packets on their way that it has no
// completion for; on a busy machine they are taken in during later steps, until the connection is
// made anew (gap.partial_transfer).
#pragma once

#include <cstdint>
#include <vector>

#include "model/oracle/memory.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::model {

/// What failed requests may still store, by connection.
class InFlightWrites {
 public:
  /// A request of queue pair `qp` has failed, of which the transfer may have moved any byte;
  /// `before` is memory as it was.
  void expect(std::uint32_t qp, const Transfer<Plain>& transfer, const Memory& before);
  /// Whether one of them stores this value there.
  [[nodiscard]] bool explain(std::uint64_t address, std::byte value) const;
  /// The connection of queue pair `qp` was made anew: nothing of the old one arrives any more.
  void forget(std::uint32_t qp);

 private:
  struct Request {
    std::uint32_t qp;
    std::vector<ByteRun> stores;
  };
  std::vector<Request> requests_;
};

}  // namespace mrproof::model
