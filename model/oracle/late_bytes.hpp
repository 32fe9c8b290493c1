// Bytes that may still arrive: those of requests in flight, and of such that have failed.
//
// A requester that stops half-way, at a fault of its own, has packets on their way that it has no
// completion for; on a busy machine they are taken in during later steps, until the connection is
// made anew (gap.partial_transfer).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/oracle/memory.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::model {

/// What requests in flight, and such that have failed, may still store.
class LateBytes {
 public:
  /// A request of queue pair `qp` has failed, or is in flight with this label; its transfer may
  /// have moved any byte. `before` is memory as it was.
  void expect(std::uint32_t qp, const Transfer<Plain>& transfer, const Memory& before,
      std::uint8_t label = 0);
  /// Whether the request in flight of that label stores anything.
  [[nodiscard]] bool expects(std::uint8_t label) const;
  /// Puts back what was there before it: an atomic operation is made from that.
  void undo(std::uint8_t label, Memory& memory) const;
  /// It has failed: the label may be given to another one.
  void keep(std::uint8_t label);
  /// Nothing is stored any more by the request in flight of that label.
  void end(std::uint8_t label);
  /// How many of the first of these values one of them stores there.
  [[nodiscard]] std::size_t explain(
      std::uint64_t address, std::span<const std::byte> values) const;
  /// The connection of queue pair `qp` was made anew: nothing of the old one arrives any more.
  void forget(std::uint32_t qp);

 private:
  struct Request {
    std::uint32_t qp;
    std::uint8_t label;
    std::vector<ByteRun> stores, before;
  };
  std::vector<Request> requests_;
};

}  // namespace mrproof::model
