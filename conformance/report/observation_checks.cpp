#include "conformance/report/observation_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

#include "conformance/report/repro_names.hpp"
#include "conformance/report/repro_writer.hpp"
#include "model/conditions/advice.hpp"
#include "model/conditions/objects.hpp"
#include "model/conditions/registration.hpp"
#include "model/conditions/reregistration.hpp"
#include "model/conditions/transfer.hpp"
#include "model/conditions/windows.hpp"
#include "model/trace/notation.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

/// The state of the call's own queue pair before it, and of its peer.
const auto& own(const Evidence& e) { return e.state.qps.at(e.decisive().call.qp); }
const auto& peer(const Evidence& e) { return e.state.qps.at(peer_of(e.decisive().call.qp)); }

std::string c_state(const Plain::Small& state) {
  return "IBV_QPS_" + std::string(kQpStateNames.at(state.value()));
}

/// Whether somebody can reach the region by its remote key.
bool is_exposed(const Region<Plain>& r) {
  return (has_any<Plain>(r.access, kRemoteRights) & !r.null).truth();
}

/// A new region's keys differ from those of all regions, and a remote one's from those of windows.
std::string region_keys_differ(const Evidence& e) {
  const auto& c = e.decisive().call;
  const auto& state = e.state;
  const ReproNames names(e.trace);
  const bool asks_remote = has_any<Plain>(asked<Plain>(e.view()).access, kRemoteRights).truth() &&
                           c.verb != Verb::alloc_null_mr;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < state.regions.size(); ++i) {
    const auto& r = state.regions.at(i);
    if (!r.live.truth() || i == c.mr) continue;
    parts.push_back(fmt::format("{}->lkey != {}->lkey", names.mr(c.mr), names.mr(i)));
    if ((asks_remote || is_exposed(r)) && !r.null.truth() && c.verb != Verb::alloc_null_mr)
      parts.push_back(fmt::format("{}->rkey != {}->rkey", names.mr(c.mr), names.mr(i)));
  }
  for (std::size_t i = 0; asks_remote && i < state.windows.size(); ++i) {
    const auto& w = state.windows.at(i);
    if (w.live.truth() && !w.undefined.truth())
      parts.push_back(fmt::format("{}->rkey >> 8 != {}->rkey >> 8", names.mr(c.mr), names.mw(i)));
  }
  return all_in_c(parts);
}

/// A window's key differs from those of regions and of other windows: in more than the low byte
/// when it is made; when it is bound, from its own old one, too.
std::string window_keys_differ(const Evidence& e, bool bound) {
  const auto& c = e.decisive().call;
  // The key of such a bind is what the program itself puts into the window.
  if (c.verb == Verb::post_bind_mw) return "1";
  const auto& state = e.state;
  const ReproNames names(e.trace);
  const char* shift = bound ? "" : " >> 8";
  std::vector<std::string> parts;
  const auto differs = [&](const std::string& other) {
    parts.push_back(fmt::format("{}->rkey{} != {}{}", names.mw(c.mw), shift, other, shift));
  };
  for (std::size_t i = 0; i < state.regions.size(); ++i)
    if (state.regions.at(i).live.truth() && is_exposed(state.regions.at(i)))
      differs(names.mr(i) + "->rkey");
  for (std::size_t i = 0; i < state.windows.size(); ++i) {
    const auto& w = state.windows.at(i);
    if (!w.live.truth() || w.undefined.truth()) continue;
    differs(bound && i == c.mw ? "old_key" : names.mw(i) + "->rkey");
  }
  return all_in_c(parts);
}
std::string made_key_differs(const Evidence& e) { return window_keys_differ(e, false); }
std::string bound_key_differs(const Evidence& e) { return window_keys_differ(e, true); }

constexpr const char* kOutOfResources = "(errno == ENOMEM || errno == EAGAIN)";
constexpr const char* kAnErrno = "errno > 0 && errno < 4096";

const ObservationCheck kChecks[] = {
    // Of a return value, or of errno.
    {&errno_value<Plain>, kAnErrno},
    {&errno_set<Plain>, kAnErrno},
    {&errno_of_resources<Plain>, kOutOfResources},
    {&reason_of_resources<Plain>, kOutOfResources},
    {&says_not_supported<Plain>, "(errno == EOPNOTSUPP || errno == ENOSYS)"},
    {&says_fault<Plain>, "errno == EFAULT"},
    {&says_invalid<Plain>, "errno == EINVAL"},
    {&says_not_permitted<Plain>, "errno == EPERM"},
    {&says_no_entry<Plain>, "errno == ENOENT"},
    {&code_input<Plain>, "code == IBV_REREG_MR_ERR_INPUT"},
    {&code_dont_fork_new<Plain>, "code == IBV_REREG_MR_ERR_DONT_FORK_NEW"},
    {&code_do_fork_old<Plain>, "code == IBV_REREG_MR_ERR_DO_FORK_OLD"},
    {&code_cmd<Plain>, "code == IBV_REREG_MR_ERR_CMD"},
    {&code_cmd_and_do_fork_new<Plain>, "code == IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW"},
    // Of completions.
    {&completion_matches<Plain>, "matches"},
    {&own_receive_stays<Plain>, "own_strays == 0"},
    {&own_receive_flushed<Plain>, nullptr,
     [](const Evidence& e) -> std::string {
       return own(e).posted.truth() ? "own_received == IBV_WC_WR_FLUSH_ERR" : "own_strays == 0";
     }},
    {&peer_receive_stays<Plain>, "strays == 0"},
    {&peer_receive_fails<Plain>, nullptr,
     [](const Evidence& e) -> std::string {
       return peer(e).posted.truth() ? "received != IBV_WC_SUCCESS" : "strays == 0";
     }},
    {&receive_succeeds<Plain>, "received == IBV_WC_SUCCESS"},
    {&received_length<Plain>, nullptr,
     [](const Evidence& e) {
       return fmt::format("wc.byte_len == {}", e.view().message().value());
     }},
    {&receive_reports_length<Plain>, "received == IBV_WC_LOC_LEN_ERR"},
    {&receive_reports_protection<Plain>, "received == IBV_WC_LOC_PROT_ERR"},
    // Of queue pairs.
    {&qp_state_true<Plain>, nullptr,
     [](const Evidence& e) { return "attr.qp_state == " + c_state(own(e).state); }},
    {&pair_rights_true<Plain>, nullptr,
     [](const Evidence& e) {
       const bool atomics = has<Plain>(e.trace.can.features, kAtomics).truth();
       const auto known = atomics ? kPairRights : kPairRights & ~kRemoteAtomic;
       const auto access = static_cast<std::uint32_t>(own(e).access.value());
       return fmt::format("(attr.qp_access_flags & ({})) == ({})", c_access(known),
                          c_access(access & known));
     }},
    {&qp_state_ended<Plain>, "attr.qp_state != IBV_QPS_RTS && attr.qp_state != IBV_QPS_ERR"},
    {&requester_stays<Plain>, nullptr,
     [](const Evidence& e) { return "own_state == " + c_state(own(e).state); }},
    {&responder_stays<Plain>, nullptr,
     [](const Evidence& e) { return "peer_state == " + c_state(peer(e).state); }},
    {&requester_fails<Plain>, "own_state == IBV_QPS_ERR"},
    {&responder_fails<Plain>, "peer_state == IBV_QPS_ERR"},
    // Of keys.
    {&keys_distinct<Plain>, nullptr, region_keys_differ},
    {&window_key_distinct<Plain>, nullptr, made_key_differs},
    {&bind_key_right<Plain>, nullptr, bound_key_differs},
};

}  // namespace

std::span<const ObservationCheck> observation_checks() { return kChecks; }

std::string all_in_c(const std::vector<std::string>& parts) {
  return parts.empty() ? "1" : fmt::format("{}", fmt::join(parts, " && "));
}

std::string any_in_c(const std::vector<std::string>& parts) {
  return parts.empty() ? "0" : fmt::format("{}", fmt::join(parts, " || "));
}

std::string in_c(const PlainCondition& condition, const Evidence& evidence) {
  const auto* found =
      std::find_if(std::begin(kChecks), std::end(kChecks),
                   [&](const ObservationCheck& check) { return check.condition == &condition; });
  assert(found != std::end(kChecks));
  return found->in_c != nullptr ? found->in_c : found->of(evidence);
}

}  // namespace mrproof::conformance
