// Memory windows in the simulated device: ibv_alloc_mw(3), ibv_bind_mw(3), and the work requests of
// ibv_post_send(3) that bind and invalidate.
#include <cerrno>

#include "impl/sim/sim_checks.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof::impl {
namespace {

using model::Plain;
using model::Verb;

/// ibv_bind_mw(3): what mw_access_flags may hold.
constexpr std::uint32_t kWindowAccess =
    model::kRemoteWrite | model::kRemoteRead | model::kRemoteAtomic | model::kZeroBased;

}  // namespace

SimDevice::Handle& SimDevice::window_handle(std::uint32_t slot) {
  Handle& handle = windows_.at(slot);
  require(handle.live, "simulated device: no memory window in this slot");
  return handle;
}

void SimDevice::alloc_mw(const Call& call, Result& result) {
  Handle& handle = windows_.at(call.mw);
  require(!handle.live, "simulated device: alloc_mw into a slot that is taken");
  ProtectionDomain& pd = domain(call.pd);
  if (call.option != model::kTypeOne && call.option != model::kTypeTwo)
    return refused(result, EINVAL);
  const bool two = call.option == model::kTypeTwo;
  const bool offered =
      two ? offers(model::kMwType2A) || offers(model::kMwType2B) : offers(model::kMwType1);
  if (!offered) return refused(result, EOPNOTSUPP);
  MemoryWindow window;
  window.two = two;
  window.pd = call.pd;
  handle = {true, table_.insert(window)};
  if (!broken(Fault::windows_do_not_use_pd)) ++pd.users;
  result.rkey = Plain::key(table_.window(handle.entry).key);
}

void SimDevice::dealloc_mw(const Call& call) {
  Handle& handle = window_handle(call.mw);
  if (!broken(Fault::windows_do_not_use_pd)) --pds_.at(table_.window(handle.entry).pd).users;
  if (table_.window(handle.entry).two && broken(Fault::window_keeps_its_pd_busy))
    leave(model::Held::users);
  table_.erase_window(handle.entry);
  handle.live = false;
}

/// Both ways to bind a window; which one is right depends on its type (o10-37.2.34, o10-37.2.35).
void SimDevice::bind(const Call& call, Result& result) {
  const QueuePair& own = queue_pair(call.qp);
  const MemoryWindow& window = table_.window(window_handle(call.mw).entry);
  const bool posted = call.verb == Verb::post_bind_mw;
  const bool unchecked =
      broken(posted ? Fault::type_one_bound_by_work_request : Fault::type_two_bound_by_verb);
  if (window.two != posted && !unchecked) return refused(result, EINVAL);
  complete(call, execute_bind(call, own, result), result);
}

SimDevice::Outcome SimDevice::execute_bind(const Call& call, const QueuePair& own, Result& result) {
  if (own.state != QpState::rts && !broken(Fault::failed_qp_binds)) return Outcome::wr_flush_err;
  Handle& handle = window_handle(call.mw);
  const MemoryWindow& window = table_.window(handle.entry);
  const bool unbinds = call.length.value() == 0 && call.verb == Verb::bind_mw;
  // C10-72, for the queue pair.
  if (window.pd != own.pd && !broken(Fault::bind_qp_pd_unchecked)) return Outcome::mw_bind_err;
  const MemoryRegion& region = region_in(call.mr);
  // The same for the region, which ibv_bind_mw() in verbs.h asks whatever the length is.
  if (region.pd != window.pd && !broken(Fault::bind_region_pd_unchecked))
    return Outcome::mw_bind_err;
  if (region.null) return Outcome::mw_bind_err;
  if (unbinds) return unbind_type_one(handle, result);
  if (!may_bind(call, window, region)) return Outcome::mw_bind_err;

  Binding binding;
  binding.valid = true;
  binding.region = regions_.at(call.mr).entry;
  binding.qp = own.slot;
  binding.access = bits(call.access);
  binding.length = call.length.value();
  binding.memory = region.memory + (call.address.value() - region.first);
  const bool zero_based = (binding.access & model::kZeroBased) != 0;
  binding.first =
      zero_based && !broken(Fault::zero_based_window_ignored) ? 0 : call.address.value();
  if (call.verb == Verb::post_bind_mw)
    binding.key = bits(call.rkey);
  else
    binding.key = broken(Fault::bind_keeps_key) ? window.key : table_.next_key(handle.entry);
  table_.bind(handle.entry, binding);
  result.rkey = Plain::key(binding.key);
  return Outcome::ok;
}

/// ibv_alloc_mw(3): a type 1 window is invalidated by a bind of zero length; whatever else that
/// bind says, but for the PD, concerns nothing.
SimDevice::Outcome SimDevice::unbind_type_one(const Handle& handle, Result& result) {
  MemoryWindow& window = table_.window(handle.entry);
  if (broken(Fault::zero_length_bind_keeps_window)) {
    result.rkey = Plain::key(window.key);
    return Outcome::ok;
  }
  table_.unbind(handle.entry, Ending::rebound);
  window.key = table_.next_key(handle.entry);
  result.rkey = Plain::key(window.key);
  return Outcome::ok;
}

bool SimDevice::may_bind(const Call& call, const MemoryWindow& window,
                         const MemoryRegion& region) const {
  if (!region.usable) return false;
  if (call.verb == Verb::post_bind_mw && !key_can_be_taken(call, window)) return false;
  return region_allows(call, region) && rights_fit(call, window);
}

/// Whether a type 2 window may have the wanted key, and be bound now.
bool SimDevice::key_can_be_taken(const Call& call, const MemoryWindow& window) const {
  const std::uint32_t changed = bits(call.rkey) ^ window.key;
  const bool same_index = (changed & ProtectionTable::kIndexBits) == 0;
  if (!same_index && !broken(Fault::bind_key_index_unchecked)) return false;
  if (changed == 0 && !broken(Fault::bind_same_key_accepted)) return false;
  // o10-37.2.30: only from the free state. o10-37.2.40: zero length does not unbind it.
  if (window.bound.valid && !broken(Fault::bound_type_two_rebound)) return false;
  return call.length.value() != 0 || broken(Fault::zero_length_type_two_accepted);
}

bool SimDevice::region_allows(const Call& call, const MemoryRegion& region) const {
  const bool local_write = (region.access & model::kLocalWrite) != 0;
  const bool writing = (bits(call.access) & (model::kRemoteWrite | model::kRemoteAtomic)) != 0;
  // C10-73, C10-74, C10-75
  if ((region.access & model::kMwBind) == 0 && !broken(Fault::bind_without_bind_right))
    return false;
  if (writing && !local_write && !broken(Fault::bind_without_local_write)) return false;
  const std::uint64_t first = call.address.value();
  const std::uint64_t length = call.length.value();
  const std::uint64_t from = first - region.first;
  if (inside(from, length, region.length)) return true;
  if (broken(Fault::bind_range_wraps))
    return first >= region.first && first + length <= region.first + region.length;
  if (broken(Fault::bind_end_off_by_one)) return inside(from, length, region.length + 1);
  return broken(Fault::bind_bounds_unchecked);
}

bool SimDevice::rights_fit(const Call& call, const MemoryWindow& window) const {
  const std::uint32_t access = bits(call.access);
  const bool zero_based = (access & model::kZeroBased) != 0;
  if ((access & ~kWindowAccess) != 0 && !broken(Fault::bind_rights_unchecked)) return false;
  // ibv_bind_mw(3): atomic access "if supported".
  if ((access & model::kRemoteAtomic & ~options_.claimed) != 0) return false;
  // o10-36.2.2: no zero-based type 1 window.
  return !zero_based || window.two || broken(Fault::zero_based_type_one_accepted);
}

void SimDevice::local_inv(const Call& call, Result& result) {
  const QueuePair& own = queue_pair(call.qp);
  if (!offers(model::kMemoryExtensions)) return refused(result, EOPNOTSUPP);
  if (own.state != QpState::rts && !broken(Fault::failed_qp_binds))
    return complete(call, Outcome::wr_flush_err, result);
  const std::uint32_t key = bits(call.rkey);
  const auto region = table_.region_with(key);
  // o10-37.2.13: regions made by the register verbs cannot be invalidated.
  if (region && broken(Fault::region_invalidated)) {
    table_.region(*region).usable = false;
    return complete(call, Outcome::ok, result);
  }
  const auto window = invalidable(key, own);
  if (!window) return complete(call, Outcome::mw_bind_err, result);
  if (!broken(Fault::local_invalidate_lost)) table_.unbind(*window, Ending::invalidated);
  complete(call, Outcome::ok, result);
}

/// The window that this QP may invalidate by the key: a bound one of type 2 (o10-37.2.26), of its
/// protection domain, bound through it.
std::optional<std::size_t> SimDevice::invalidable(std::uint32_t key, const QueuePair& qp) const {
  const auto entry = table_.window_with(key);
  if (!entry) return std::nullopt;
  const MemoryWindow& window = table_.window(*entry);
  if (!window.bound.valid || window.pd != qp.pd) return std::nullopt;
  if (!window.two && !broken(Fault::type_one_invalidated)) return std::nullopt;
  const bool own = window.bound.qp == qp.slot || broken(Fault::other_qp_window_invalidated);
  return own || !window.two ? entry : std::nullopt;
}

}  // namespace mrproof::impl
