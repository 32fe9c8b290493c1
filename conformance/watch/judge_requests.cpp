// Work requests and their completions.
#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "conformance/watch/extract.hpp"
#include "conformance/watch/judge.hpp"
#include "conformance/watch/places.hpp"
#include "model/conditions/transfer.hpp"

namespace mrproof::watch {
namespace {

using model::Verb;

/// By enum ibv_wr_opcode.
constexpr std::array<Verb, 7> kOpcodes{Verb::rdma_write, Verb::rdma_write_with_imm, Verb::send,
    Verb::send, Verb::rdma_read, Verb::atomic_cmp_and_swp, Verb::atomic_fetch_and_add};

/// Whether the status is of a fault that the local side found, in the local memory.
bool is_local(std::uint32_t status) {
  return status == IBV_WC_LOC_LEN_ERR || status == IBV_WC_LOC_QP_OP_ERR ||
         status == IBV_WC_LOC_PROT_ERR || status == IBV_WC_LOC_ACCESS_ERR;
}
/// Whether the other end has told it.
bool is_remote_status(std::uint32_t status) {
  return status >= IBV_WC_REM_INV_REQ_ERR && status <= IBV_WC_REM_OP_ERR;
}

const Reason* find_reason(const std::vector<Reason>& reasons, auto&& meant) {
  const auto found = std::find_if(reasons.begin(), reasons.end(), meant);
  return found == reasons.end() ? nullptr : &*found;
}
bool not_of_key(const Reason& reason) { return !reason.of_key(); }

}  // namespace

void Judge::post(const Event& event) {
  End* end = find_end({event.pid, event.record.object});
  if (end == nullptr) return;
  const auto& words = event.record.words;
  Request request;
  request.id = words[0];
  request.tid = event.tid;
  request.time = event.record.time;
  request.caller = event.record.caller;
  request.judged = event.whole;
  for (const auto& part : event.parts)
    request.elements.push_back({Plain::key(low(part.words[2])), part.words[0], part.words[1]});
  const bool is_send = event.record.kind != Kind::post_recv;
  if (is_send && low(words[1]) == IBV_WR_BIND_MW) {
    take_bind(event, *end, request);
    request.signaled = end->signals_all || (high(words[1]) & IBV_SEND_SIGNALED) != 0;
  } else if (is_send) {
    const auto opcode = low(words[1]), flags = high(words[1]);
    const bool known = opcode < kOpcodes.size();
    request.judged = request.judged && (known || opcode == IBV_WR_SEND_WITH_INV ||
                                        opcode == IBV_WR_LOCAL_INV);
    request.verb = known                            ? kOpcodes.at(opcode)
                   : opcode == IBV_WR_SEND_WITH_INV ? Verb::send_with_inv
                                                    : Verb::local_inv;
    request.inlined = (flags & IBV_SEND_INLINE) != 0;
    request.signaled = end->signals_all || (flags & IBV_SEND_SIGNALED) != 0;
    request.remote = words[2];
    request.rkey = Plain::key(low(words[3]));
    if (request.verb == Verb::send) request.handle = words[2];
  }
  ++(request.judged ? counts_.judged : counts_.passed);
  // What is posted to a failed queue pair is flushed, whatever it is.
  if (request.judged && end->state != IBV_QPS_ERR) judge_post(event, *end, request);
  if (request.changes_windows()) end->world->begin_change(request);
  if (request.verb == Verb::send_with_inv)
    for (auto& [name, world] : worlds_) world->doubt_window(request.rkey);
  if (!extended_cqs_.contains({event.pid, is_send ? end->send_cq : end->receive_cq}))
    (is_send ? end->sends : end->receives).push_back(std::move(request));
}

/// Told at once is what no call that is not watched can make right. Of a receive, part may be used
/// (gap.receive_unused_bytes), and of a key, another one may have the number.
void Judge::judge_post(const Event& event, End& end, Request& request) {
  request.reasons = reasons_against(end, request, peer_of(end));
  if (request.verb == Verb::post_recv) return;
  judge_handle(event, end, request);
  if (const auto* reason = find_reason(request.reasons, not_of_key))
    return tell_reason(Whose::program, event, end, request, *reason);
  if (!request.inlined) tell_unmapped(event, end, request);
}

void Judge::tell_unmapped(const Event& event, const End& end, const Request& request) {
  const World& world = *end.world;
  for (const auto& element : request.elements) {
    const auto found = world.by_lkey.find(low(element.lkey.value()));
    if (found == world.by_lkey.end() || element.length.value() == 0) continue;
    const auto& region = world.state.regions.at(found->second);
    const Life& life = world.regions[found->second];
    const auto from = (region.memory + (element.address - region.first)).value();
    if (!life.live || life.unmapped_last == 0 || from > life.unmapped_last ||
        from + element.length.value() <= life.unmapped_first)
      continue;
    auto& finding = tell(Whose::program, event,
                         fmt::format("{}.memory_unmapped", request.name()),
                         request.description(),
                         "memory of the region was unmapped: what the device reads or writes is "
                         "not what the program sees there");
    if (finding.count > 1) return;
    finding.objects = {involved(
        fmt::format("lkey {:#x}", element.lkey.value()), life,
        fmt::format("lkey {:#x}: region [{:#x}, {:#x}], registered by {}, unmapped {}",
                    element.lkey.value(), region.first.value(), region.last.value(), origin(life),
                    life.unmapped_by.caller == 0
                        ? "unseen, by free() perhaps"
                        : "by " + place_of(life.pid, life.unmapped_by)))};
    finding.used = {from, from + element.length.value() - 1};
    finding.region = {region.memory.value(),
                      (region.memory + (region.last - region.first)).value()};
    finding.remedy = "deregister the region before its memory is unmapped";
    finding.clauses = "gap.memory_unmapped_later";
    return;
  }
}

/// The last requests that this thread has posted were not accepted.
void Judge::refused(const Event& event) {
  End* end = find_end({event.pid, event.record.object});
  if (end == nullptr) return;
  const bool of_sends = event.record.words[1] == 0;
  auto& queue = of_sends ? end->sends : end->receives;
  std::optional<Request> first;
  for (std::uint64_t i = 0; i < event.record.words[0]; ++i) {
    const auto last = std::find_if(queue.rbegin(), queue.rend(),
                                   [&](const Request& r) { return r.tid == event.tid; });
    if (last == queue.rend()) break;
    first = *last;
    if (first->changes_windows()) end->world->end_change(*first, false);
    queue.erase(std::next(last).base());
  }
  if (!first || !first->judged || find_reason(first->reasons, not_of_key) != nullptr) return;
  if (judge_room(event, *end, *first)) return;
  // A full queue refuses, too, and a key may be of a region that nobody was seen to make.
  const auto* dead = find_reason(first->reasons, [&](const Reason& r) {
    return !r.remote && end->world->by_lkey.contains(low(r.element.lkey.value()));
  });
  if (dead != nullptr && event.record.result == EINVAL)
    return tell_reason(Whose::program, event, *end, *first, *dead);
  const bool early = of_sends && end->state_known && end->state < IBV_QPS_RTS;
  if (!early || event.record.result != EINVAL) {
    ++counts_.unknown;
    return;
  }
  const auto& ready = model::qp_ready<Plain>;
  auto& finding = tell(Whose::program, event, fmt::format("post_send.{}", ready.id),
                       first->description() + ": refused",
                       fmt::format("it does not hold that {}", ready.sentence));
  if (finding.count > 1) return;
  finding.objects = {
      involved(end->name(), end->life, end->name() + ", created by " + origin(end->life))};
  finding.remedy = remedy_of(ready);
  finding.clauses = ready.clauses;
}

void Judge::completion(const Event& event) {
  const auto place =
      by_cq_.find({event.pid, event.record.object, low(event.record.words[2])});
  if (place == by_cq_.end()) return;
  ++counts_.judged;
  End& end = end_at(place->second);
  const auto status = low(event.record.words[1]);
  const auto find = [&](auto& queue) {
    return std::find_if(queue.begin(), queue.end(), [&](const Request& r) {
      return r.id == event.record.words[0] && (status != IBV_WC_SUCCESS || r.signaled);
    });
  };
  const bool may_send = end.send_cq == event.record.object;
  End* receiver = end.srq == 0 ? &end : find_end({event.pid, end.srq});
  const bool may_receive = end.receive_cq == event.record.object && receiver != nullptr;
  bool of_receive = !may_send;
  if (may_send && end.receive_cq == event.record.object) {
    // A failure does not tell what it is of.
    const bool sent = find(end.sends) != end.sends.end();
    const bool received = may_receive && find(receiver->receives) != receiver->receives.end();
    of_receive = status == IBV_WC_SUCCESS  ? (high(event.record.words[1]) & IBV_WC_RECV) != 0
                 : sent == received ? false
                                    : received;
    if (status != IBV_WC_SUCCESS && sent && received && status < IBV_WC_REM_INV_REQ_ERR) return;
  }
  if (of_receive && !may_receive) return;
  End& holder = of_receive ? *receiver : end;
  auto& queue = of_receive ? holder.receives : end.sends;
  const auto found = find(queue);
  if (found == queue.end()) return;
  const Request request = *found;
  // Those before it are over, too, but for those that other queue pairs have taken.
  const auto first = holder.is_srq ? found : queue.begin();
  for (auto it = first; it <= found; ++it)
    if (it->changes_windows()) end.world->end_change(*it, status == IBV_WC_SUCCESS);
  if (status != IBV_WC_SUCCESS) end.world->doubt_windows(end.slot);
  // Receives that a queue pair took with it when it ended are still there: it may be one of those.
  const bool is_clear = !holder.is_srq || std::none_of(found + 1, queue.end(), [&](const auto& r) {
    return r.id == request.id;
  });
  if (status == IBV_WC_SUCCESS && is_clear)
    for (auto it = first; it <= found; ++it) judge_kept(event, holder, *it);
  queue.erase(first, found + 1);
  if (!request.judged || !is_clear) return;
  if (status == IBV_WC_SUCCESS)
    judge_success(event, holder, request);
  else
    judge_failure(event, holder, request, status);
}

/// The provider has accepted what had to fail from the posting to the end.
void Judge::judge_success(const Event& event, End& end, const Request& request) {
  if (request.verb == Verb::post_recv) return;
  const End* peer = peer_of(end);
  const auto now = reasons_against(end, request, peer);
  const auto* reason = find_reason(request.reasons, [&](const Reason& before) {
    // Rights of a queue pair may have changed while the request was made.
    if (before.condition == &model::pair_accepts<Plain> &&
        (peer == nullptr || peer->modified >= request.time))
      return false;
    return !before.of_key() && find_reason(now, [&](const Reason& r) {
      return r.condition == before.condition;
    }) != nullptr;
  });
  if (reason != nullptr) tell_reason(Whose::provider, event, end, request, *reason);
}

void Judge::judge_failure(
    const Event& event, End& end, const Request& request, std::uint32_t status) {
  if (request.verb != Verb::post_recv && find_reason(request.reasons, not_of_key) != nullptr)
    return;  // that was told
  Event at_post = event;
  at_post.record.caller = request.caller;
  const World& world = *end.world;
  if (status == IBV_WC_WR_FLUSH_ERR) {
    // Some drivers tell a local failure so. A key that was taken back is wrong in any case.
    const auto* dead = find_reason(request.reasons, [&](const Reason& r) {
      return r.of_key() && !r.remote && world.by_lkey.contains(low(r.element.lkey.value()));
    });
    if (dead != nullptr) tell_reason(Whose::program, at_post, end, request, *dead);
    return;
  }
  const auto fits = [&](const Reason& reason) {
    // A message that is too long tells nothing of the receive's keys.
    if (request.verb == Verb::post_recv)
      return !reason.of_key() || (is_local(status) && status != IBV_WC_LOC_LEN_ERR);
    return reason.remote ? is_remote_status(status) : is_local(status);
  };
  if (const auto* reason = find_reason(request.reasons, fits))
    return tell_reason(Whose::program, at_post, end, request, *reason);
  const auto now = reasons_against(end, request, peer_of(end));
  if (const auto* reason = find_reason(now, fits))
    return tell_reason(Whose::program, at_post, end, request, *reason);
  ++counts_.unknown;
}

const End* Judge::peer_of(const End& end) const {
  if (!end.is_rc || !end.connected || end.peer_gid == Gid{}) return nullptr;
  const End* peer = nullptr;
  for (auto [it, last] = by_number_.equal_range(end.peer_number); it != last; ++it) {
    const End& other = end_at(it->second);
    if (!other.is_rc || !other.connected || other.peer_number != end.number ||
        other.gid != end.peer_gid || other.peer_gid != end.gid)
      continue;
    if (peer != nullptr) return nullptr;
    peer = &other;
  }
  return peer;
}

std::string Judge::place_of(std::uint32_t pid, const Site& site) const {
  std::string text = naming_(pid, site.caller);
  const char* between = ", called by ";
  for (const auto caller : stacks_[site.stack]) {
    const auto name = caller == 0 ? "" : naming_(pid, caller);
    if (name.empty() || name == "somewhere" || is_in_libc(name)) break;
    text += std::exchange(between, ", ") + name;
  }
  return text;
}

std::string Judge::origin(const Life& life) const {
  auto text = place_of(life.pid, life.made_by);
  if (life.changed_by.caller != 0)
    text += ", re-registered by " + place_of(life.pid, life.changed_by);
  return text;
}

Involved Judge::involved(std::string name, const Life& life, std::string history) const {
  return {std::move(name), std::move(history), life.made, life.ended};
}

void Judge::add_trace(Finding& finding, std::string trace) {
  if (trace.empty()) return;
  finding.trace = std::move(trace);
  finding.trace_file = fmt::format("provider-{}.mrt", ++traces_);
}

void Judge::add_region(Finding& finding, const World& world, const Reason& reason) const {
  const auto& keys = reason.remote ? world.by_rkey : world.by_lkey;
  const auto key = low(reason.element.lkey.value());
  const auto found = keys.find(key);
  const char* kind = reason.remote ? "rkey" : "lkey";
  auto name = fmt::format("{} {:#x}", kind, key);
  const auto& element = reason.element;
  if (const auto length = element.length.value(); length > 0)
    finding.used = {element.address.value(), (element.address + length - 1).value()};
  if (found == keys.end() && reason.remote && add_window(finding, world, reason)) return;
  if (found == keys.end()) {
    finding.objects.push_back({name, name + ": nobody was seen to make it"});
    return;
  }
  auto slot = found->second;
  for (std::uint32_t other = 0; key == 0 && other < world.regions.size(); ++other)
    if (const auto& r = world.state.regions.at(other);
        (r.live & (r.rkey == Plain::key(0)) & !r.empty & (r.first <= element.address) &
         (element.address <= r.last))
            .truth())
      slot = other;  // of those with this key, the one that is there
  const auto& region = world.state.regions.at(slot);
  const auto& life = world.regions[slot];
  auto text = fmt::format("{}: region [{:#x}, {:#x}], access {:#x}, registered by {}", name,
                          region.first.value(), region.last.value(), region.access.value(),
                          origin(life));
  if (!life.live && life.ended_by.caller != 0)
    text += ", deregistered by " + place_of(life.pid, life.ended_by);
  if (!region.empty.truth()) finding.region = {region.first.value(), region.last.value()};
  finding.objects.push_back(involved(std::move(name), life, std::move(text)));
}

/// Of a key that is a window's; false if there is none.
bool Judge::add_window(Finding& finding, const World& world, const Reason& reason) const {
  for (std::uint32_t slot = 0; slot < world.windows.size(); ++slot) {
    const auto& w = world.state.windows.at(slot);
    const Life& life = world.windows[slot].life;
    if ((w.rkey != reason.element.lkey).truth()) continue;
    auto name = fmt::format("rkey {:#x}", w.rkey.value());
    auto text = fmt::format("{}: window, allocated by {}", name, origin(life));
    if (w.bound.truth()) {
      text += fmt::format(", bound to [{:#x}, {:#x}], access {:#x}", w.first.value(),
                          w.last.value(), w.access.value());
      finding.region = {w.first.value(), w.last.value()};
    }
    if (!life.live) text += fmt::format(", deallocated by {}", place_of(life.pid, life.ended_by));
    finding.objects.push_back(involved(std::move(name), life, std::move(text)));
    return true;
  }
  return false;
}

Finding& Judge::tell(Whose whose, const Event& event, std::string name, std::string what,
                     std::string wrong) {
  const auto key = fmt::format("{} {} {} {}", static_cast<int>(whose), name, event.pid,
                               event.record.caller);
  const auto [found, is_new] = places_told_.try_emplace(key, findings_.size());
  if (is_new) {
    findings_.emplace_back();
    auto& finding = findings_.back();
    finding.whose = whose;
    finding.name = std::move(name);
    finding.what = std::move(what);
    finding.wrong = std::move(wrong);
    finding.pid = event.pid;
    finding.time = now_;
    finding.place = naming_(event.pid, event.record.caller);
  } else {
    ++findings_[found->second].count;
  }
  return findings_[found->second];
}

Finding& Judge::tell_broken(Whose whose, const Event& event, Verb verb, std::string what,
                            const model::PlainCondition& condition) {
  const auto name = model::kVerbNames.at(static_cast<std::size_t>(verb));
  auto& finding = tell(whose, event, fmt::format("{}.{}", name, condition.id), std::move(what),
                       fmt::format("it does not hold that {}", condition.sentence));
  finding.clauses = condition.clauses;
  if (whose == Whose::program) finding.remedy = remedy_of(condition);
  return finding;
}

void Judge::tell_reason(Whose whose, const Event& event, const End& end, const Request& request,
                        const Reason& reason) {
  auto& finding = tell(whose, event,
                       fmt::format("{}.{}", request.name(), reason.condition->id),
                       request.description() + (whose == Whose::provider ? ": succeeded" : ""),
                       fmt::format("it does not hold that {}", reason.condition->sentence));
  if (finding.count > 1) return;
  finding.clauses = reason.condition->clauses;
  if (whose == Whose::program) finding.remedy = remedy_of(*reason.condition);
  if (whose == Whose::provider)
    add_trace(finding, cut_out(end, request, peer_of(end), reason));
  const End* peer = reason.remote ? peer_of(end) : nullptr;
  add_region(finding, peer != nullptr ? *peer->world : *end.world, reason);
  finding.objects.push_back(
      involved(end.name(), end.life, end.name() + ", created by " + origin(end.life)));
}

}  // namespace mrproof::watch
