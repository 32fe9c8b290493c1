// Calls that look at what another call has just done.
#include <algorithm>

#include "model/access.hpp"
#include "property-tests/walk/walk_calls.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

/// The access flag that an RDMA read or write needs.
constexpr std::uint32_t right_of(bool read) { return read ? kRemoteRead : kRemoteWrite; }

}  // namespace

/// An RDMA operation that `responder` serves, good on the requester's side.
std::optional<model::PlannedCall> CallMaker::reach(std::uint32_t responder, bool read,
                                                   const Side& far, std::uint64_t length) {
  const std::uint32_t requester = peer_of(responder);
  if (!is_ready(state_.qps.at(requester)) || !is_ready(state_.qps.at(responder)))
    return std::nullopt;
  const auto near = local_side(requester, read ? kLocalWrite : 0U);
  if (!near) return std::nullopt;
  model::PlannedCall step = call_of(read ? Verb::rdma_read : Verb::rdma_write);
  step.call.qp = requester;
  set_local(step, *near, std::min<std::uint64_t>({near->room(), length, model::kLastBufferSize}));
  set_remote(step, far);
  return step;
}

std::optional<std::uint32_t> CallMaker::responder_of(const Window& window, bool right_one) {
  return one_of(state_.qps, [&](const QueuePair<Plain>& qp, std::uint32_t slot) {
    const bool in_pd = qp.pd.value() == window.pd.value();
    const bool its_own = in_pd && (!window.two.truth() || window.qp.value() == slot);
    // Of the wrong ones, those that are wrong in one respect.
    const bool only_just = window.two.truth() ? in_pd : true;
    return (right_one ? its_own : !its_own && only_just) && is_ready(qp) &&
           is_ready(state_.qps.at(peer_of(slot)));
  });
}

std::optional<model::PlannedCall> CallMaker::use_window(std::uint32_t slot, bool wrong) {
  const Window& window = state_.windows.at(slot);
  if (!usable(window)) return std::nullopt;
  const auto grants = [&](bool read) { return (window.access.value() & right_of(read)) != 0; };
  Side far = place_window(slot);
  std::uint64_t length = random_.chance(50) ? far.room() : length_up_to(far.room());
  bool read = grants(true) && (!grants(false) || random_.chance(50));
  bool right_one = true;
  switch (wrong ? random_.below(5) : 5) {
    case 0:
    case 1:  // what it does not grant, if there is such, or by whom it does not
      read = random_.chance(50);
      if (grants(read)) read = !read;
      right_one = !grants(read);
      break;
    case 2: length = far.room() + 1; break;
    case 3:
      far.address = far.first - 1;
      length = random_.pick<std::uint64_t>({1, 2, far.last - far.first + 1});
      break;
    case 4: right_one = false; break;
    default:
      if (!grants(read)) return std::nullopt;
  }
  const auto responder = responder_of(window, right_one);
  return responder ? reach(*responder, read, far, length) : std::nullopt;
}

std::optional<model::PlannedCall> CallMaker::ask_of(std::uint32_t qp) {
  if (random_.chance(30))
    if (auto step = atomic(false)) return step;
  const bool read = random_.chance(40);
  const auto far = remote_side(qp, right_of(read));
  if (!far) return std::nullopt;
  auto step = reach(qp, read, *far, length_up_to(far->room()));
  if (step && !read && state_.qps.at(qp).posted.truth())
    step->call.verb = Verb::rdma_write_with_imm;
  return step;
}

std::optional<model::PlannedCall> CallMaker::use_null(std::uint32_t slot, bool wrong) {
  const Region& null = state_.regions.at(slot);
  const auto responder = one_of(state_.qps, [&](const QueuePair<Plain>& qp, std::uint32_t end) {
    const auto peer = peer_of(end);
    const auto user = wrong ? qp.pd : state_.qps.at(peer).pd;
    return user.value() == null.pd.value() && is_ready(qp) && is_ready(state_.qps.at(peer));
  });
  if (!null.live.truth() || !responder) return std::nullopt;
  const bool read = random_.chance(50);
  if (wrong) {
    const Side far =
        place(slot, random_.chance(50) ? model::KeyName::Kind::lkey : model::KeyName::Kind::rkey);
    return reach(*responder, read, far, length_up_to(far.room()));
  }
  const auto far = remote_side(*responder, right_of(read));
  if (!far) return std::nullopt;
  auto step = reach(*responder, read, *far, length_up_to(far->room()));
  if (step) set_local(*step, place(slot, model::KeyName::Kind::lkey), step->call.length.value());
  return step;
}

std::optional<model::PlannedCall> CallMaker::invalidate_from_afar(std::uint32_t slot) {
  const Window& window = state_.windows.at(slot);
  if (!usable(window) || !window.two.truth()) return std::nullopt;
  const auto receiver = static_cast<std::uint32_t>(window.qp.value());
  return state_.qps.at(receiver).posted.truth() ? send_to(receiver) : receive_on(receiver, false);
}

std::optional<model::PlannedCall> CallMaker::use_revoked_locally(const model::KeyName& key) {
  const Region& region = state_.regions.at(key.slot);
  const auto responder = one_of(state_.qps, [&](const QueuePair<Plain>& qp, std::uint32_t slot) {
    const auto requester = peer_of(slot);
    return state_.qps.at(requester).pd.value() == region.pd.value() && is_ready(qp) &&
           is_ready(state_.qps.at(requester));
  });
  if (!responder) return std::nullopt;
  const auto far = remote_side(*responder, kRemoteWrite);
  if (!far) return std::nullopt;
  auto step = reach(*responder, false, *far, std::min<std::uint64_t>(far->room(), 8));
  if (!step) return std::nullopt;
  const bool dead = key.kind == model::KeyName::Kind::rkey;
  const std::uint64_t first = region.first.value();
  const model::KeyName local{dead ? model::KeyName::Kind::lkey : model::KeyName::Kind::old_lkey,
                             key.slot, 0, 0};
  set_local(*step, Side{local, first, first, region.last.value()}, 1);
  return step;
}

std::optional<model::PlannedCall> CallMaker::use_revoked(const model::KeyName& key) {
  const bool of_region =
      key.kind == model::KeyName::Kind::rkey || key.kind == model::KeyName::Kind::old_rkey;
  if (of_region && random_.chance(30)) return use_revoked_locally(key);
  const auto& region = state_.regions.at(key.slot);
  const auto& window = state_.windows.at(key.slot % Plain::kWindows);
  const auto access = of_region ? region.access.value() : window.access.value();
  const auto first = of_region ? region.first.value() : window.first.value();
  const auto last = of_region ? region.last.value() : window.last.value();
  const bool read = (access & kRemoteRead) != 0;
  if ((!read && (access & kRemoteWrite) == 0) || last < first ||
      last - first >= model::kLastBufferSize)
    return std::nullopt;
  Window holder = window;
  if (of_region) {
    holder = Window{};
    holder.pd = region.pd;
  }
  const auto responder = responder_of(holder, true);
  if (!responder) return std::nullopt;
  return reach(*responder, read, Side{key, first, first, last},
               std::min<std::uint64_t>(last - first + 1, 8));
}

std::optional<model::PlannedCall> CallMaker::bind_again(std::uint32_t slot, bool wrong) {
  const Window& window = state_.windows.at(slot);
  if (!window.live.truth() || window.undefined.truth() || window.bound.truth()) return std::nullopt;
  return bind_window(slot, wrong);
}

std::optional<model::PlannedCall> CallMaker::deregister_behind(std::uint32_t slot) {
  model::PlannedCall step = call_of(Verb::dereg_mr);
  step.call.mr = static_cast<std::uint32_t>(state_.windows.at(slot).region.value());
  if (!state_.regions.at(step.call.mr).live.truth()) return std::nullopt;
  return step;
}

std::optional<model::PlannedCall> CallMaker::send_to(std::uint32_t receiver) {
  const std::uint32_t sender = peer_of(receiver);
  if (!state_.qps.at(receiver).posted.truth() || !is_ready(state_.qps.at(receiver)) ||
      !is_ready(state_.qps.at(sender)))
    return std::nullopt;
  return send_from(sender, false);
}

}  // namespace mrproof::property_tests
