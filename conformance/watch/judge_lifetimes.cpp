// What has to stay as it is until the completion of a request was polled: its regions, its memory,
// its address handle.
#include <fmt/format.h>
#include <infiniband/verbs.h>

#include <algorithm>

#include "conformance/watch/judge.hpp"
#include "conformance/watch/places.hpp"
#include "model/conditions/transfer.hpp"

namespace mrproof::watch {
namespace {

/// Of a request that is posted to that queue.
std::string clause_of(const Request& request) {
  return request.verb == model::Verb::post_recv ? "post_recv.buffer_reuse"
                                                : "post_send.buffer_reuse";
}

}  // namespace

void Judge::create_ah(const Event& event) {
  const auto domain = domains_.find({event.pid, event.record.words[0]});
  if (event.record.object == 0 || domain == domains_.end()) return;
  ++counts_.judged;
  World& world = *domain->second.world;
  handles_[{event.pid, event.record.object}] = {&world,
                                                static_cast<std::uint32_t>(world.handles.size())};
  world.handles.push_back(life_of(event));
}

/// Its place is kept until another one has the pointer: who uses it is told.
void Judge::destroy_ah(const Event& event) {
  const auto found = handles_.find({event.pid, event.record.object});
  if (found == handles_.end() || event.record.result != 0) return;
  ++counts_.judged;
  mark_ended(found->second.world->handles[found->second.slot], site_of(event));
}

const Life* Judge::handle_of(const End& end, const Request& request) const {
  const auto found = handles_.find({end.life.pid, request.handle});
  if (request.handle == 0 || found == handles_.end()) return nullptr;
  return &found->second.world->handles[found->second.slot];
}

void Judge::judge_handle(const Event& event, const End& end, const Request& request) {
  const Life* handle = handle_of(end, request);
  if (handle == nullptr || handle->live) return;
  auto& finding = tell(Whose::program, event, fmt::format("{}.address_handle_live", request.name()),
                       request.description(), "the address handle was destroyed before");
  tell_handle(finding, *handle);
}

void Judge::tell_handle(Finding& finding, const Life& handle) {
  if (finding.count > 1) return;
  finding.objects = {involved("address handle", handle,
                              fmt::format("address handle, created by {}, destroyed by {}",
                                          origin(handle), place_of(handle.pid, handle.ended_by)))};
  finding.clauses = "post_send.address_handles";
  finding.remedy = "destroy an address handle only after the completions of all that use it";
}

/// The program has seen that the request is over, and had taken back before what it needs.
void Judge::judge_kept(const Event& event, const End& end, const Request& request) {
  const auto is_early = [&](const Life& life) {
    return !life.live && life.ended >= request.time && life.ended_by.caller != 0;
  };
  const auto told = [&](const Life& life, std::string_view what, std::string wrong) -> Finding& {
    Event at_end = event;
    at_end.pid = life.pid;
    at_end.record.caller = life.ended_by.caller;
    return tell(Whose::program, at_end, fmt::format("{}.{}", request.name(), what),
                request.description(), std::move(wrong));
  };
  if (const Life* handle = handle_of(end, request); handle != nullptr && is_early(*handle))
    tell_handle(told(*handle, "address_handle_kept",
                     "the address handle was destroyed before the completion was polled"),
                *handle);
  const World& world = *end.world;
  for (const auto& element : request.elements) {
    const auto found = world.by_lkey.find(low(element.lkey.value()));
    if (request.inlined || found == world.by_lkey.end() || element.length.value() == 0) continue;
    const Life& life = world.regions[found->second];
    if (!is_early(life) || life.made > request.time) continue;
    auto& finding = told(life, "region_kept",
                         "the region was deregistered before the completion was polled: the "
                         "device may have used it later");
    if (finding.count > 1) return;
    add_region(finding, world, {&model::local_key_live<Plain>, false, element});
    finding.clauses = clause_of(request);
    finding.remedy = "deregister a region only after the completions of all that use it";
    return;
  }
}

/// The program has written to memory that a request uses.
void Judge::touched(const Event& event) {
  const End* end = find_end({event.pid, event.record.object});
  if (end == nullptr) return;
  ++counts_.judged;
  const auto& words = event.record.words;
  const auto& queue = words[2] == 0 ? end->sends : end->receives;
  const auto found =
      std::find_if(queue.begin(), queue.end(), [&](const Request& r) { return r.id == words[1]; });
  if (found == queue.end()) return;
  const bool is_stored_in = found->verb == model::Verb::post_recv ||
                            found->verb == model::Verb::rdma_read ||
                            found->verb == model::Verb::atomic_fetch_and_add ||
                            found->verb == model::Verb::atomic_cmp_and_swp;
  // Who has libc copy is meant, not libc. A place is told by what is behind the instruction.
  Event at = event;
  ++at.record.caller;
  if (!event.parts.empty() && is_in_libc(naming_(event.pid, at.record.caller)))
    at.record.caller = event.parts.front().words[0];
  auto& finding =
      tell(Whose::program, at, fmt::format("{}.memory_kept", found->name()), found->description(),
           fmt::format("the program writes to {:#x} before the completion was polled: {}", words[0],
                       is_stored_in ? "the device stores there meanwhile"
                                    : "what is sent may be the old or the new"));
  if (finding.count > 1) return;
  finding.used = {words[0], words[0]};
  finding.objects = {involved(
      end->name(), end->life,
      fmt::format("{}, the request posted by {}", end->name(), naming_(event.pid, found->caller)))};
  finding.clauses = clause_of(*found);
  finding.remedy = "use the memory of a request again only after its completion was polled";
}

}  // namespace mrproof::watch
