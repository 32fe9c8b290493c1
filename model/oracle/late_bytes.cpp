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
    const std::uint64_t address = piece.at.value();
    // A region paged on demand may be longer than the memory behind it.
    std::vector<std::byte> stored(std::min(piece.length.value(), Memory::room(address)));
    std::size_t known = 0;
    while (known < stored.size()) {
      const auto more =
          before.moved(transfer, address + known, std::span(stored).subspan(known));
      if (more == 0) break;
      known += more;
    }
    if (known == 0) continue;
    stored.resize(known);
    const auto old = before.bytes(address, known);
    request.stores.push_back({address, std::move(stored)});
    request.before.push_back({address, {old.begin(), old.end()}});
  }
  if (!request.stores.empty()) requests_.push_back(std::move(request));
}

std::size_t LateBytes::explain(
    std::uint64_t address, std::span<const std::byte> values) const {
  std::size_t most = 0;
  for (const auto& request : requests_)
    for (const auto& run : request.stores) {
      const std::uint64_t offset = address - run.address;
      if (offset >= run.bytes.size()) continue;
      const auto stored = std::span(run.bytes).subspan(offset);
      const auto differ = std::mismatch(stored.begin(), stored.end(), values.begin(), values.end());
      most = std::max(most, static_cast<std::size_t>(differ.first - stored.begin()));
    }
  return most;
}

bool LateBytes::expects(std::uint8_t label) const {
  return std::any_of(requests_.begin(), requests_.end(),
      [&](const Request& request) { return request.label == label; });
}

void LateBytes::undo(std::uint8_t label, Memory& memory) const {
  for (const auto& request : requests_)
    for (const auto& run : request.before)
      if (request.label == label) memory.store(run.address, run.bytes);
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
