// Requests that are more than their queue pair was created for.
#include <fmt/format.h>

#include "conformance/watch/judge.hpp"

namespace mrproof::watch {

/// Whether the request that was refused is more than what the queue pair was created for.
bool Judge::judge_room(const Event& event, const End& end, const Request& request) {
  if (end.is_srq) return false;
  const bool receives = request.verb == model::Verb::post_recv;
  const auto under_way = (receives ? end.receives : end.sends).size();
  const std::uint64_t room = receives ? end.most.receives : end.most.sends;
  const std::uint64_t elements = receives ? end.most.receive_elements : end.most.send_elements;
  const auto told = [&](std::string_view what, std::string wrong, const char* remedy) {
    auto& finding = tell(Whose::program, event, fmt::format("{}.{}", request.name(), what),
                         request.description() + ": refused", std::move(wrong));
    finding.remedy = remedy;
    if (finding.count == 1)
      finding.objects = {
          involved(end.name(), end.life, end.name() + ", created by " + origin(end.life))};
    return true;
  };
  if (request.inlined && request.length().value() > end.most.inlined)
    return told("inline_fits",
                fmt::format("the queue pair takes {} bytes of inline data", end.most.inlined),
                "ask for more in cap.max_inline_data of ibv_create_qp(), or leave out "
                "IBV_SEND_INLINE");
  if (elements != 0 && request.elements.size() > elements)
    return told("elements_fit", fmt::format("the queue pair takes {} elements", elements),
                "ask for more in cap.max_send_sge or max_recv_sge of ibv_create_qp()");
  if (room != 0 && under_way >= room)
    return told(
        "queue_has_room",
        fmt::format("the queue has room for {} requests, and of {} no completion was polled", room,
                    under_way),
        "poll the completions before more is posted; of requests that are not signaled, "
        "room comes with the completion of a later one that is");
  return false;
}

}  // namespace mrproof::watch
