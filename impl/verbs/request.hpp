// A work request made from a call, and what its completions have to show.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>

#include "model/call.hpp"

namespace mrproof::impl {

/// What the completion of a successful receive has to show (ibv_poll_cq(3)).
struct Delivery {
  ibv_wc_opcode opcode = IBV_WC_RECV;
  unsigned flags = 0;       ///< IBV_WC_WITH_IMM, IBV_WC_WITH_INV or neither
  std::uint32_t value = 0;  ///< with a flag: the immediate data as sent, or the invalidated key

  [[nodiscard]] bool matches(const ibv_wc& completion) const;
};

/// A signaled work request of a send queue. Not to be copied: it points into itself.
struct Request {
  /// From a call for which model::is_transfer() holds. Those that bind windows lack what names
  /// objects: ibv_send_wr::bind_mw is left to the caller. Throws std::logic_error as elements_of().
  Request(const model::Call<model::Plain>& call, std::uint64_t id);
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() = default;

  ibv_send_wr work{};
  std::array<ibv_sge, 2> elements{};
  ibv_wc_opcode completion;  ///< of the completion of a success
  bool delivers;             ///< whether success consumes a receive of the peer
  Delivery delivery;
};

/// The status as the model names it.
model::Outcome outcome_of(ibv_wc_status status);

}  // namespace mrproof::impl
