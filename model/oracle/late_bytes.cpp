#include "model/oracle/late_bytes.hpp"

#include <algorithm>

#include "model/call.hpp"

namespace mrproof::model {

void LateBytes::expect(
    std::uint32_t qp, const Transfer<Plain>& transfer, const Memory& before, std::uint8_t label) {
  Request request{qp, label, {}, {}};
  std::vector<Piece<Plain>> pieces(transfer.to.begin(), transfer.to.end());
  if (transfer.motion != Motion::copy) pieces.push_back(transfer.from[0]);
  for (const auto& piece : pieces) {
    if (piece.outside_buffers.truth()) continue;
    ByteRun run{piece.at.value(), {}}, old{piece.at.value(), {}};
    for (std::uint64_t i = 0; i < piece.length.value(); ++i) {
      // A region paged on demand may be longer than the memory behind it.
      if (!Memory::contains(run.address + i, 1)) break;
      const auto value = before.moved(transfer, run.address + i);
      if (!value) break;
      run.bytes.push_back(*value);
      old.bytes.push_back(before.at(run.address + i));
    }
    if (run.bytes.empty()) continue;
    request.stores.push_back(std::move(run));
    request.before.push_back(std::move(old));
  }
  if (!request.stores.empty()) requests_.push_back(std::move(request));
}

bool LateBytes::explain(std::uint64_t address, std::byte value) const {
  const auto stores = [&](const ByteRun& run) {
    const std::uint64_t offset = address - run.address;
    return offset < run.bytes.size() && run.bytes[offset] == value;
  };
  return std::any_of(requests_.begin(), requests_.end(), [&](const Request& request) {
    return std::any_of(request.stores.begin(), request.stores.end(), stores);
  });
}

bool LateBytes::expects(std::uint8_t label) const {
  return std::any_of(requests_.begin(), requests_.end(),
      [&](const Request& request) { return request.label == label; });
}

void LateBytes::undo(std::uint8_t label, Memory& memory) const {
  for (const auto& request : requests_)
    for (const auto& run : request.before)
      for (std::size_t i = 0; request.label == label && i < run.bytes.size(); ++i)
        memory.store(run.address + i, run.bytes[i]);
}

void LateBytes::keep(std::uint8_t label) {
  for (auto& request : requests_)
    if (request.label == label) request.label = 0;
}

void LateBytes::end(std::uint8_t label) {
  std::erase_if(requests_, [&](const Request& request) { return request.label == label; });
}

void LateBytes::forget(std::uint32_t qp) {
  std::erase_if(requests_,
      [&](const Request& request) { return request.qp == qp || request.qp == peer_of(qp); });
}

}  // namespace mrproof::model
