// Work requests that move bytes, and calls on queue pairs.
#include <algorithm>

#include "model/access.hpp"
#include "property-tests/walk/walk_calls.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

std::uint64_t room_of(const QueuePair<Plain>& qp) {
  return qp.elements[0].length.value() + qp.elements[1].length.value();
}

}  // namespace

std::optional<std::uint32_t> CallMaker::ready_qp() {
  return one_of(state_.qps, [&](const QueuePair<Plain>& qp, std::uint32_t slot) {
    return is_ready(qp) && is_ready(state_.qps.at(peer_of(slot)));
  });
}

/// Usually one that can transfer; now and then one of a pair that has failed: its own work requests
/// are flushed, its peer's go nowhere.
std::optional<std::uint32_t> CallMaker::posting_qp() {
  const auto failed = one_of(state_.qps, [&](const QueuePair<Plain>& qp, std::uint32_t slot) {
    return qp.live.truth() && !(is_ready(qp) && is_ready(state_.qps.at(peer_of(slot))));
  });
  // What goes nowhere costs seconds of retries on a real device.
  const unsigned permille = failed && is_ready(state_.qps.at(*failed)) ? unanswered_permille_ : 100;
  if (failed && random_.below(1000) < permille) return failed;
  return ready_qp();
}

void CallMaker::set_local(model::PlannedCall& step, const Side& near, std::uint64_t length) {
  step.lkey = near.key;
  step.call.address = Plain::address(near.address);
  // A region or window may be longer than the 32 bits of an element's length.
  step.call.length = Plain::address(std::min<std::uint64_t>(length, 0xffffffffU));
}

void CallMaker::set_remote(model::PlannedCall& step, const Side& far) {
  step.rkey = far.key;
  step.call.remote = Plain::address(far.address);
}

void CallMaker::add_second(model::PlannedCall& step, std::uint32_t qp, std::uint32_t right,
                           std::uint64_t room, bool wrong) {
  if (!random_.chance(18)) return;
  auto side = local_side(qp, right);
  const std::uint64_t used = step.call.length.value();
  if (!side || used >= room) return;
  std::uint64_t length = length_up_to(std::min(side->room(), room - used));
  if (random_.chance(5)) length = 0;
  if (wrong && random_.chance(60)) spoil(*side, length, qp, right);
  step.call.elements = 2;
  step.second = side->key;
  step.call.second.address = Plain::address(side->address);
  step.call.second.length = Plain::address(std::min(length, 0xffffffffU - used));
}

std::optional<model::PlannedCall> CallMaker::rdma(bool wrong) {
  const auto roll = random_.below(100);
  const bool read = roll < 40;
  const auto qp = posting_qp();
  if (!qp) return std::nullopt;
  const std::uint32_t peer = peer_of(*qp);
  const bool immediate = roll >= 75 && state_.qps.at(peer).posted.truth();
  model::PlannedCall step = call_of(read        ? Verb::rdma_read
                                    : immediate ? Verb::rdma_write_with_imm
                                                : Verb::rdma_write);
  if (roll >= 99) step.call.verb = Verb::rdma_write_with_imm;  // receive or not
  const std::uint32_t local_right = read ? kLocalWrite : 0U;
  const std::uint32_t remote_right = read ? kRemoteRead : kRemoteWrite;
  const auto local = local_side(*qp, local_right);
  const auto remote = remote_side(peer, remote_right);
  if (!local || !remote) return std::nullopt;
  Side near = *local;
  Side far = *remote;
  std::uint64_t length = length_up_to(std::min(near.room(), far.room()));
  if (wrong) {
    const auto which = random_.below(8);
    if (which < 3) spoil(near, length, *qp, local_right);
    if (which >= 3) spoil(far, length, peer, remote_right);
    if (which == 7) spoil(near, length, *qp, local_right);
  } else if (random_.chance(3)) {  // C9-88: a zero-length operation needs no valid remote side
    length = 0;
    if (random_.chance(60)) spoil_bounds(far, length);
    if (random_.chance(60))
      far.key = model::KeyName{model::KeyName::Kind::value, 0, 0, 0x7a7a7a7aU};
    length = 0;
  }
  step.call.qp = *qp;
  set_local(step, near, length);
  set_remote(step, far);
  if (length != 0) add_second(step, *qp, local_right, far.room(), wrong);
  return step;
}

std::optional<model::PlannedCall> CallMaker::atomic(bool wrong) {
  if (((state_.can.features.value() | state_.demonstrated_features.value()) & kAtomics) == 0)
    return std::nullopt;
  model::PlannedCall step =
      call_of(random_.chance(50) ? Verb::atomic_fetch_and_add : Verb::atomic_cmp_and_swp);
  const auto qp = posting_qp();
  if (!qp) return std::nullopt;
  const auto local = local_side(*qp, kLocalWrite);
  const auto remote = remote_side(peer_of(*qp), kRemoteAtomic);
  if (!local || !remote) return std::nullopt;
  Side near = *local;
  Side far = *remote;
  const auto align = [](Side& side) {
    const auto aligned = (side.address + 7) & ~std::uint64_t{7};
    if (aligned <= side.last) side.address = aligned;
    const auto below = (side.last - 7) & ~std::uint64_t{7};
    if (side.room() < 8 && side.last >= 7 && below >= side.first) side.address = below;
  };
  align(far);
  if (near.last - near.first >= 7) near.address = std::min(near.address, near.last - 7);
  std::uint64_t length = 8;
  if (wrong) {
    const auto which = random_.below(5);
    if (which == 0) far.address += random_.between(1, 7);
    const auto without = region_without(state_.qps.at(*qp).pd.value(), kLocalWrite);
    if (which == 1 && without && random_.chance(50))
      near = place(*without, model::KeyName::Kind::lkey);
    else if (which == 1)
      spoil(near, length, *qp, kLocalWrite);
    if (which == 2 || which == 3) spoil(far, length, peer_of(*qp), kRemoteAtomic);
    const auto plain = region_without(state_.qps.at(peer_of(*qp)).pd.value(), kRemoteAtomic);
    if (which == 4 && plain) {
      far = place(*plain, model::KeyName::Kind::rkey);
      align(far);
    }
  }
  step.call.qp = *qp;
  set_local(step, near, 8);
  set_remote(step, far);
  step.call.operand = Plain::address(random_.pick<std::uint64_t>({1, 0, ~std::uint64_t{0}}));
  // A compare that matches, more often than chance would have it.
  const auto found = std::find_if(state_.regions.begin(), state_.regions.end(),
                                  [&](const Region& r) { return r.live.truth(); });
  if (step.call.verb == Verb::atomic_cmp_and_swp && found != state_.regions.end())
    step.call.swap = Plain::address(random_.next());
  return step;
}

std::optional<model::PlannedCall> CallMaker::post_receive(bool wrong) {
  const auto qp = ready_qp();
  return qp ? receive_on(*qp, wrong) : std::nullopt;
}

std::optional<model::PlannedCall> CallMaker::receive_on(std::uint32_t qp, bool wrong) {
  const auto& own = state_.qps.at(qp);
  if (!is_ready(own) || own.posted.truth()) return std::nullopt;
  const auto local = local_side(qp, kLocalWrite);
  if (!local) return std::nullopt;
  Side side = *local;
  std::uint64_t length = length_up_to(side.room());
  const auto without = region_without(own.pd.value(), kLocalWrite);
  if (wrong && without && random_.chance(30)) {
    side = place(*without, model::KeyName::Kind::lkey);
    length = length_up_to(side.room());
  } else if (wrong) {
    spoil(side, length, qp, kLocalWrite);
  }
  model::PlannedCall step = call_of(Verb::post_recv);
  step.call.qp = qp;
  set_local(step, side, length);
  add_second(step, qp, kLocalWrite, 2 * model::kBufferSize, wrong);
  return step;
}

std::optional<model::PlannedCall> CallMaker::send(bool wrong) {
  const auto qp = posting_qp();
  if (!qp) return std::nullopt;
  // Sending to nobody is legal to try, and costs the pair.
  const bool failed = state_.qps.at(*qp).state.value() == static_cast<unsigned>(QpState::err);
  if (!state_.qps.at(peer_of(*qp)).posted.truth() && !failed && !random_.chance(3))
    return std::nullopt;
  return send_from(*qp, wrong);
}

std::optional<model::PlannedCall> CallMaker::send_from(std::uint32_t qp, bool wrong) {
  const auto& peer = state_.qps.at(peer_of(qp));
  const auto local = local_side(qp, 0);
  if (!local) return std::nullopt;
  Side side = *local;
  const std::uint64_t room = room_of(peer);
  std::uint64_t length = length_up_to(std::min(side.room(), room));
  model::PlannedCall step = call_of(Verb::send);
  const auto window = one_of(state_.windows, [&](const Window& w) {
    return usable(w) && w.two.truth() && w.qp.value() == peer_of(qp);
  });
  const bool extended = ((state_.can.features.value() | state_.demonstrated_features.value()) &
                         (kMemoryExtensions | kMwType2A | kMwType2B)) != 0;
  if (extended && (window ? random_.chance(60) : wrong && random_.chance(20))) {
    step.call.verb = Verb::send_with_inv;
    step.rkey = {model::KeyName::Kind::window_rkey, window.value_or(0), 0, 0};
    if (wrong && random_.chance(70)) {
      std::uint64_t ignored = 1;
      Side key{step.rkey, 0, 0, 8};
      spoil(key, ignored, peer_of(qp), kRemoteRead);
      step.rkey = key.key;
      wrong = false;
    }
  }
  if (wrong && random_.chance(50))
    length = std::min(side.room(), room + 1);
  else if (wrong)
    spoil(side, length, qp, 0);
  if (random_.chance(4)) length = 0;
  step.call.qp = qp;
  set_local(step, side, length);
  add_second(step, qp, 0, room + (wrong ? 1 : 0), wrong);
  return step;
}

std::optional<model::PlannedCall> CallMaker::query() {
  model::PlannedCall step = call_of(Verb::query_qp);
  const auto qp = one_of(state_.qps, [](const auto& q) { return q.live.truth(); });
  if (!qp) return std::nullopt;
  step.call.qp = *qp;
  return step;
}

std::optional<model::PlannedCall> CallMaker::change_rights() {
  model::PlannedCall step = call_of(Verb::modify_qp);
  const auto qp = ready_qp();
  if (!qp) return std::nullopt;
  step.call.qp = *qp;
  const bool atomics = (state_.can.features.value() & kAtomics) != 0;
  std::uint32_t rights = 0;
  for (const std::uint32_t right : {kRemoteWrite, kRemoteRead, kRemoteAtomic})
    if ((atomics || right != kRemoteAtomic) && random_.chance(50)) rights |= right;
  step.call.access = Plain::flags(rights);
  return step;
}

std::optional<model::PlannedCall> CallMaker::destroy_qp() {
  // The first pair stays, so that the case goes on. One with windows is worth more.
  model::PlannedCall step = call_of(Verb::destroy_qp);
  const auto window = one_of(state_.windows, [](const Window& w) {
    return usable(w) && w.two.truth() && w.qp.value() >= 2;
  });
  if (!window && random_.chance(60)) return std::nullopt;
  step.call.qp = random_.pick<std::uint32_t>({2, 3});
  if (window) step.call.qp = static_cast<std::uint32_t>(state_.windows.at(*window).qp.value());
  if (!state_.qps.at(step.call.qp).live.truth()) return std::nullopt;
  return step;
}

std::optional<model::PlannedCall> CallMaker::reconnect() {
  for (std::uint32_t i = 0; i < Plain::kQps; ++i) {
    const auto& qp = state_.qps.at(i);
    if (!qp.live.truth() || !state_.qps.at(peer_of(i)).live.truth() || is_ready(qp)) continue;
    model::PlannedCall step = call_of(Verb::connect);
    step.call.qp = i;
    return step;
  }
  return std::nullopt;
}

}  // namespace mrproof::property_tests
