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
  int error = context_.port().connector ? ECONNABORTED : make_directly(index);
  for (int i = 0; i < kAttempts && (error == ECONNABORTED || error == ETIMEDOUT); ++i)
    error = make_by_cm(index);
  return error;
}

/// The new ends take their places, or are gone.
void VerbsDevice::keep_ends(std::size_t index, bool keep) {
  for (std::uint32_t end = 0; end < 2; ++end) {
    const auto qp = static_cast<std::uint32_t>(2 * index + end);
    ask(qp, {.kind = keep ? Kind::keep_qp : Kind::drop_qp, .qp = qp});
  }
  if (keep) pairs_.at(index).there = {true, true};
}

/// One attempt. Returns ECONNABORTED where the connection was lost at once.
int VerbsDevice::make_by_cm(std::size_t index) {
  const PairSlot& slot = pairs_.at(index);
  const auto first = static_cast<std::uint32_t>(2 * index);
  const std::uint32_t second = model::peer_of(first);
  const PortAddress there = ask(second, {.kind = Kind::address}).port;
  int error =
      ask(first, {.kind = Kind::ask_by_cm, .pd = slot.pd[0], .qp = first, .peer_port = there})
          .error;
  if (error == 0)
    error = ask(second, {.kind = Kind::accept_by_cm, .pd = slot.pd[1], .qp = second}).error;
  for (const std::uint32_t qp : {first, second})
    if (error == 0) error = ask(qp, {.kind = Kind::join_by_cm, .qp = qp}).error;
  keep_ends(index, error == 0);
  if (error != 0) return error;
  // The end that asked for a connection of iWARP has to be the first to send (RFC 5044, 7.1.2).
  return reads_nothing(first) ? 0 : ECONNABORTED;
}

int VerbsDevice::make_directly(std::size_t index) {
  const PairSlot& slot = pairs_.at(index);
  int error = 0;
  for (std::uint32_t end = 0; end < 2; ++end) {
    const auto qp = static_cast<std::uint32_t>(2 * index + end);
    const Answer answer = ask(qp, {.kind = Kind::make_qp, .pd = slot.pd.at(end), .qp = qp});
    if (error == 0) error = answer.error;
  }
  if (error == 0) error = bring_up(index);
  keep_ends(index, error == 0);
  return error;
}

/// From RESET to RTS, both ends in step: neither sends before the other can receive. What each has
/// to know of the other is told here.
int VerbsDevice::bring_up(std::size_t index) {
  PairSlot& slot = pairs_.at(index);
  slot.psn = (slot.psn + kPsnStep) & kPsnMask;
  std::array<std::uint32_t, 2> numbers{};
  std::array<PortAddress, 2> ports{};
  for (const Stage stage : {Stage::init, Stage::rtr, Stage::rts})
    for (std::size_t end = 0; end < 2; ++end) {
      const auto qp = static_cast<std::uint32_t>(2 * index + end);
      const Answer answer = ask(qp, {.kind = Kind::advance,
                                     .qp = qp,
                                     .stage = stage,
                                     .peer = numbers.at(end ^ 1U),
                                     .peer_port = ports.at(end ^ 1U),
                                     .psn = slot.psn});
      if (answer.error != 0) return answer.error;
      numbers.at(end) = answer.qp_number;
      ports.at(end) = answer.port;
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
