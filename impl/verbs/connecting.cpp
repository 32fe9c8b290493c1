// How the verbs device connects pairs, whichever processes their ends are in.
#include <cerrno>

#include "impl/verbs/verbs_device.hpp"

namespace mrproof::impl {
namespace {

/// Between the packet sequence numbers of two connections, and how many there are (24 bits).
constexpr std::uint32_t kPsnStep = 1U << 16U;
constexpr std::uint32_t kPsnMask = (1U << 24U) - 1;
/// How often a connection is tried that is lost before it was used: on a busy machine the timer of
/// iWARP's handshake runs out.
constexpr int kAttempts = 5;

}  // namespace

/// Makes a pair of which either end may send, in these domains. Returns 0, or the errno of the
/// refusal; what was live of the pair is unchanged then.
int VerbsDevice::make(std::size_t index, std::uint32_t first_pd, std::uint32_t second_pd) {
  PairSlot& slot = pairs_.at(index);
  slot.pd = {first_pd, second_pd};
  slot.process = {slot_process_.at(first_pd), slot_process_.at(second_pd)};
  if (!context_.port().connector) {
    const int error = make_directly(index);
    if (error == 0) slot.there = {true, true};
    return error;
  }
  int error = ECONNABORTED;
  for (int i = 0; i < kAttempts && (error == ECONNABORTED || error == ETIMEDOUT); ++i)
    error = make_by_cm(index);
  return error;
}

/// One attempt. Returns ECONNABORTED where the connection was lost at once.
int VerbsDevice::make_by_cm(std::size_t index) {
  PairSlot& slot = pairs_.at(index);
  const auto first = static_cast<std::uint32_t>(2 * index);
  const Answer answer = context_.carry_out(
      {.kind = Kind::connect_by_cm, .pd = slot.pd[0], .other_pd = slot.pd[1], .qp = first});
  if (answer.error != 0) return answer.error;
  slot.there = {true, true};
  // The end that asked for a connection of iWARP has to be the first to send (RFC 5044, 7.1.2).
  return reads_nothing(first) ? 0 : ECONNABORTED;
}

int VerbsDevice::make_directly(std::size_t index) {
  const PairSlot& slot = pairs_.at(index);
  int error = 0;
  const auto each_end = [&](Kind kind) {
    for (std::uint32_t end = 0; end < 2; ++end) {
      const auto qp = static_cast<std::uint32_t>(2 * index + end);
      const Answer answer = ask(qp, {.kind = kind, .pd = slot.pd.at(end), .qp = qp});
      if (error == 0) error = answer.error;
    }
  };
  each_end(Kind::make_qp);
  if (error == 0) error = bring_up(index);
  each_end(error == 0 ? Kind::keep_qp : Kind::drop_qp);
  return error;
}

/// From RESET to RTS, both ends in step: neither sends before the other can receive. What each has
/// to know of the other, the number of its queue pair, is told here; the port is one.
int VerbsDevice::bring_up(std::size_t index) {
  PairSlot& slot = pairs_.at(index);
  slot.psn = (slot.psn + kPsnStep) & kPsnMask;
  std::array<std::uint32_t, 2> numbers{};
  for (const Stage stage : {Stage::init, Stage::rtr, Stage::rts})
    for (std::size_t end = 0; end < 2; ++end) {
      const auto qp = static_cast<std::uint32_t>(2 * index + end);
      const Answer answer = ask(qp, {.kind = Kind::advance,
                                     .qp = qp,
                                     .stage = stage,
                                     .peer = numbers.at(end ^ 1U),
                                     .psn = slot.psn});
      if (answer.error != 0) return answer.error;
      numbers.at(end) = answer.qp_number;
    }
  return 0;
}

/// Takes both ends through RESET to RTS again; their queues are empty then. Returns 0 or the errno
/// of the transition that was refused; then the pair is of no use any more.
int VerbsDevice::reconnect(std::size_t index) {
  // Both ends first, so that nothing of the old connection reaches the new one.
  for (std::size_t end = 0; end < 2; ++end) {
    const auto qp = static_cast<std::uint32_t>(2 * index + end);
    const Answer answer = ask(qp, {.kind = Kind::advance, .qp = qp, .stage = Stage::reset});
    if (answer.error != 0) return answer.error;
  }
  return bring_up(index);
}

/// Whether a read of no bytes succeeds.
bool VerbsDevice::reads_nothing(std::uint32_t qp) {
  return ask(qp, {.kind = Kind::read_nothing, .qp = qp}).done;
}

}  // namespace mrproof::impl
