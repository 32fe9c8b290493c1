#include "conformance/watch/world.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/conditions/transfer.hpp"

namespace mrproof::watch {
namespace {

using model::PlainCondition;
using model::PlainView;

using Conditions = std::array<const PlainCondition*, 4>;
constexpr Conditions kLocal{&model::local_key_live<Plain>, &model::local_same_pd<Plain>,
    &model::local_write_right<Plain>, &model::local_in_bounds<Plain>};
constexpr std::array<const PlainCondition*, 5> kRemote{&model::remote_key_live<Plain>,
    &model::remote_same_pd<Plain>, &model::remote_right<Plain>, &model::pair_accepts<Plain>,
    &model::remote_in_bounds<Plain>};

/// The conditions that do not hold. Of a key that nobody has nothing else is said.
void ask(const auto& conditions, const PlainView& view, Reason reason,
         std::vector<Reason>& reasons) {
  for (const PlainCondition* condition : conditions) {
    if (condition->holds(view).truth()) continue;
    reason.condition = condition;
    reasons.push_back(reason);
    if (reason.of_key()) return;
  }
}

}  // namespace

World::World() {
  // Nothing is known of what the device claims, and of the program's memory but that it is there.
  state.defined = model::kDefinedAccess;
  state.can.claimed = model::kFeatureFlags;
  state.can.max_message = ~std::uint64_t{0};
  state.can.features = model::kAtomics;
  state.buffers[0].last = ~std::uint64_t{0};
}

bool Reason::of_key() const {
  return condition == kLocal.front() || condition == kRemote.front();
}

Plain::Address Request::length() const {
  Plain::Address all = 0;
  for (const auto& element : elements) all = all + element.length;
  return all;
}

std::string End::name() const {
  return is_srq ? "shared receive queue" : fmt::format("queue pair {:#x}", number);
}

std::vector<Reason> reasons_against(const End& end, const Request& request, const End* peer) {
  static const model::Result<Plain> nothing;
  std::vector<Reason> reasons;
  model::Call<Plain> call;
  call.verb = request.verb;
  for (const auto& element : request.elements) {
    if (request.inlined || !request.judged) break;
    call.qp = end.slot;
    call.lkey = element.lkey;
    call.address = element.address;
    call.length = element.length;
    ask(kLocal, {end.world->state, call, nothing}, {nullptr, false, element}, reasons);
  }
  // Whether it is the PD of the shared queue or of the queue pair that counts is not written.
  if (end.is_srq)
    std::erase_if(reasons, [](const Reason& r) { return r.condition == kLocal[1]; });
  if (peer == nullptr || !is_remote(request.verb) || peer->world->has_windows) return reasons;
  call.qp = peer->slot + 1;
  call.length = request.length();
  call.rkey = request.rkey;
  call.remote = request.remote;
  ask(kRemote, {peer->world->state, call, nothing},
      {nullptr, true, {request.rkey, request.remote, call.length}}, reasons);
  return reasons;
}

std::vector<const PlainCondition*> broken_by(const World& world, const model::Call<Plain>& call) {
  const model::Result<Plain> success;
  const auto& rule = *model::linux_rulebook().rules(call.verb, model::Outcome::ok).front();
  const PlainView view{world.state, call, success};
  std::vector<const PlainCondition*> broken;
  for (const auto& term : rule.requires_all)
    if (term.condition->about == model::About::situation &&
        term.condition->holds(view).truth() != term.holds)
      broken.push_back(term.condition);
  return broken;
}

}  // namespace mrproof::watch
