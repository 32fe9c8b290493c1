#include <array>
#include <string_view>

#include "conformance/watch/finding.hpp"

namespace mrproof::watch {
namespace {

struct Remedy {
  std::string_view condition, text;
};
// By the names of the model's conditions.
constexpr std::array<Remedy, 21> kRemedies{{
    {"local_key_live",
     "take the lkey of a region that is registered; deregister it only after the completion"},
    {"local_same_pd", "register the memory in the PD of the queue pair"},
    {"local_write_right",
     "register with IBV_ACCESS_LOCAL_WRITE what receives, reads and atomic operations are to store "
     "in"},
    {"local_in_bounds", "keep address and length of the element inside the registered range"},
    {"remote_key_live",
     "let the other end keep its region until it knows that nobody uses it any more"},
    {"remote_same_pd", "let the other end register the memory in the PD of its queue pair"},
    {"remote_right", "let the other end register with the right that the operation needs"},
    {"pair_accepts",
     "set the right in qp_access_flags of ibv_modify_qp() at the end that serves the request"},
    {"remote_in_bounds", "keep remote address and length inside what the other end registered"},
    {"qp_ready", "take the queue pair to RTS before anything is posted to its send queue"},
    {"remote_write_has_local_write",
     "add IBV_ACCESS_LOCAL_WRITE to IBV_ACCESS_REMOTE_WRITE and IBV_ACCESS_REMOTE_ATOMIC"},
    {"changes_known", "set no flags but IBV_REREG_MR_CHANGE_TRANSLATION, _PD and _ACCESS"},
    {"window_type_fits",
     "bind type 1 windows by ibv_bind_mw(), type 2 windows by a request IBV_WR_BIND_MW"},
    {"bind_region_same_pd", "allocate the window in the PD of the region"},
    {"bind_qp_same_pd", "bind the window through a queue pair of its PD"},
    {"bind_right", "register the region with IBV_ACCESS_MW_BIND"},
    {"bind_has_local_write",
     "register the region with IBV_ACCESS_LOCAL_WRITE if the window lets others write"},
    {"bind_in_bounds", "keep the window inside the region"},
    {"bind_not_empty", "invalidate a type 2 window by IBV_WR_LOCAL_INV; do not bind it to nothing"},
    {"no_bound_window", "invalidate or deallocate the windows on the region first"},
    {"pd_unused", "destroy regions, windows and queue pairs of the PD first"},
}};

}  // namespace

std::string remedy_of(const model::PlainCondition& condition) {
  for (const auto& [id, text] : kRemedies)
    if (id == condition.id) return std::string(text);
  return {};
}

}  // namespace mrproof::watch
