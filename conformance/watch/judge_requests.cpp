// Work requests and their completions.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/watch/judge.hpp"
#include "model/conditions/transfer.hpp"

namespace mrproof::watch {
namespace {

using model::Verb;

std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); }

// enum ibv_wr_opcode, ibv_send_flags, ibv_wc_status, ibv_wc_opcode.
constexpr std::array<Verb, 7> kOpcodes{Verb::rdma_write, Verb::rdma_write_with_imm, Verb::send,
    Verb::send, Verb::rdma_read, Verb::atomic_cmp_and_swp, Verb::atomic_fetch_and_add};
constexpr std::uint32_t kSendWithInv = 9, kInline = 1U << 3U;
constexpr std::uint32_t kSuccess = 0, kFlushed = 5, kOfReceive = 1U << 7U;

bool is_certain(const std::vector<Reason>& reasons) {
  return std::any_of(reasons.begin(), reasons.end(), [](const auto& r) { return r.certain; });
}

std::string_view name_of(Verb verb) {
  return model::kVerbNames.at(static_cast<std::size_t>(verb));
}

std::string describe(const Request& request) {
  auto text = fmt::format("{} of {} bytes", name_of(request.verb), request.length().value());
  for (const auto& element : request.elements)
    text += fmt::format(", {:#x}+{} lkey {:#x}", element.address.value(), element.length.value(),
                        element.lkey.value());
  if (is_remote(request.verb))
    text += fmt::format(", remote {:#x} rkey {:#x}", request.remote.value(), request.rkey.value());
  return text;
}

}  // namespace

void Judge::post(const Event& event) {
  End* end = find_end({event.pid, event.record.object});
  if (end == nullptr) return;
  const auto& words = event.record.words;
  Request request;
  request.id = words[0];
  request.caller = event.record.caller;
  for (const auto& part : event.parts)
    request.elements.push_back({Plain::key(low(part.words[2])), part.words[0], part.words[1]});
  const bool is_send = event.record.kind == Kind::post_send;
  const auto opcode = low(words[1]);
  if (is_send && opcode != kSendWithInv && opcode >= kOpcodes.size()) {
    ++counts_.passed;
    return;
  }
  if (is_send) {
    request.verb = opcode == kSendWithInv ? Verb::send_with_inv : kOpcodes.at(opcode);
    request.inlined = (high(words[1]) & kInline) != 0;
    request.remote = words[2];
    request.rkey = Plain::key(low(words[3]));
  }
  judge_post(event, *end, request);
  (is_send ? end->sends : end->receives).push_back(std::move(request));
}

void Judge::judge_post(const Event& event, End& end, Request& request) {
  ++counts_.judged;
  auto reasons = reasons_against(end, request, peer_of(end));
  request.foretold = is_certain(reasons);
  if (!request.foretold) return;
  std::erase_if(reasons, [](const auto& r) { return !r.certain; });
  tell_reasons(Whose::program, event, end, request, reasons);
}

/// The last requests that were posted were not accepted.
void Judge::refused(const Event& event) {
  End* end = find_end({event.pid, event.record.object});
  if (end == nullptr) return;
  auto& queue = event.record.words[1] == 0 ? end->sends : end->receives;
  for (std::uint64_t i = 0; i < event.record.words[0] && !queue.empty(); ++i) {
    const bool early = end->state < 3 && event.record.words[1] == 0;
    if (i == 0 && early && !queue.back().foretold) {
      const auto& ready = model::qp_ready<Plain>;
      auto& finding = tell(Whose::program, event, fmt::format("post_send.{}", ready.id),
                           describe(queue.back()) + ": refused",
                           fmt::format("it does not hold that {}", ready.sentence));
      finding.objects = {"queue pair, created by " + origin(end->life)};
      finding.remedy = remedy_of(ready);
      finding.clauses = ready.clauses;
    } else if (!queue.back().foretold) {
      ++counts_.unknown;
    }
    queue.pop_back();
  }
}

/// The queue pair of a completion: by its number, of those that use the completion queue.
End* Judge::find_end(const Event& completion) {
  const auto number = low(completion.record.words[2]);
  for (const auto& [name, place] : ends_) {
    End& end = place.world->ends.at(place.slot);
    if (name.first == completion.pid && end.number == number &&
        (end.send_cq == completion.record.object || end.receive_cq == completion.record.object))
      return &end;
  }
  return nullptr;
}

void Judge::completion(const Event& event) {
  End* end = find_end(event);
  if (end == nullptr) return;
  ++counts_.judged;
  const auto status = low(event.record.words[1]);
  const auto opcode = high(event.record.words[1]);
  const auto find = [&](auto& queue) {
    return std::find_if(queue.begin(), queue.end(),
                        [&](const Request& r) { return r.id == event.record.words[0]; });
  };
  // A failure does not tell what it is of.
  bool of_receive = end->send_cq != event.record.object;
  if (!of_receive && end->receive_cq == event.record.object)
    of_receive = status == kSuccess ? (opcode & kOfReceive) != 0
                                    : find(end->sends) == end->sends.end();
  auto& queue = of_receive ? end->receives : end->sends;
  const auto found = find(queue);
  if (found == queue.end()) return;
  const Request request = *found;
  queue.erase(queue.begin(), found + 1);  // those before it are over, too
  if (status != kFlushed) judge_end(event, *end, request, status == kSuccess);
}

void Judge::judge_end(const Event& event, End& end, const Request& request, bool succeeded) {
  const auto reasons = reasons_against(end, request, peer_of(end));
  if (succeeded) {
    // What had no reason to succeed from its posting to its end. A receive may have been filled in
    // part only (gap.receive_unused_bytes).
    if (request.foretold && request.verb != Verb::post_recv && is_certain(reasons))
      tell_reasons(Whose::provider, event, end, request, reasons);
    return;
  }
  if (request.foretold) return;
  if (reasons.empty()) {
    ++counts_.unknown;
    return;
  }
  Event at_post = event;
  at_post.record.caller = request.caller;
  tell_reasons(Whose::program, at_post, end, request, reasons);
}

const End* Judge::peer_of(const End& end) const {
  if (!end.is_rc || !end.connected) return nullptr;
  const End* peer = nullptr;
  for (const auto& [name, place] : ends_) {
    const End& other = place.world->ends.at(place.slot);
    if (!other.is_rc || !other.connected || other.number != end.peer_number ||
        other.peer_number != end.number)
      continue;
    if (peer != nullptr) return nullptr;
    peer = &other;
  }
  return peer;
}

std::string Judge::origin(const Life& life) const { return naming_(life.pid, life.made_by); }

std::string Judge::history(const World& world, const Reason& reason) const {
  const auto& keys = reason.remote ? world.by_rkey : world.by_lkey;
  const auto key = low(reason.element.lkey.value());
  const auto found = keys.find(key);
  const char* kind = reason.remote ? "rkey" : "lkey";
  if (found == keys.end()) return fmt::format("{} {:#x}: nobody was seen to make it", kind, key);
  const auto& region = world.state.regions.at(found->second);
  const auto& life = world.regions[found->second];
  auto text = fmt::format("{} {:#x}: region [{:#x}, {:#x}], access {:#x}, registered by {}", kind,
                          key, region.first.value(), region.last.value(), region.access.value(),
                          origin(life));
  if (!life.live) text += fmt::format(", deregistered by {}", naming_(life.pid, life.ended_by));
  return text;
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
    finding.caller = event.record.caller;
  } else {
    ++findings_[found->second].count;
  }
  return findings_[found->second];
}

void Judge::tell_reasons(Whose whose, const Event& event, const End& end, const Request& request,
                         const std::vector<Reason>& reasons) {
  const auto& first = reasons.front();
  auto& finding = tell(whose, event,
                       fmt::format("{}.{}", name_of(request.verb), first.condition->id),
                       describe(request) + (whose == Whose::provider ? ": succeeded" : ""),
                       fmt::format("it does not hold that {}", first.condition->sentence));
  if (finding.count > 1) return;
  finding.clauses = first.condition->clauses;
  if (whose == Whose::program) finding.remedy = remedy_of(*first.condition);
  const End* peer = first.remote ? peer_of(end) : nullptr;
  finding.objects = {history(peer != nullptr ? *peer->world : *end.world, first),
      fmt::format("queue pair {:#x}, created by {}", end.number, origin(end.life))};
}

}  // namespace mrproof::watch
