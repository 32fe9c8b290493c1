// Re-registration in the simulated device: ibv_rereg_mr(3), and the vendor's experimental verb of
// that name.
#include <cerrno>

#include "impl/sim/sim_checks.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof::impl {
namespace {

using model::Plain;

/// A refusal with one of the page's codes, and the errno beside it.
void refused_with(model::Result<Plain>& result, std::uint32_t code, int error) {
  refused(result, static_cast<int>(code));
  result.reason = Plain::key(static_cast<std::uint32_t>(error));
}

}  // namespace

/// What libibverbs itself finds wrong, before it asks the driver.
bool SimDevice::input_error(const Call& call, const MemoryRegion& region) const {
  const std::uint32_t flags = bits(call.flags);
  const bool translation = (flags & model::kChangeTranslation) != 0;
  if (region.null || region.dma_buf) return true;
  const bool undefined = (flags & ~model::kChanges) != 0;
  if (flags == 0 || (undefined && !broken(Fault::rereg_flags_unchecked))) return true;
  if (translation && (call.address.value() == 0 || call.length.value() == 0)) return true;
  return bits(call.access) != 0 && (flags & model::kChangeAccess) == 0 &&
         !broken(Fault::rereg_access_without_flag_accepted);
}

/// What the region is to be after the command: what was asked for, and else what it was.
SimDevice::Registration SimDevice::changed(const Call& call, const MemoryRegion& region) const {
  const std::uint32_t flags = bits(call.flags);
  Registration wanted{region.pd, region.access, region.memory, region.length, region.base, false};
  if ((flags & model::kChangePd) != 0) wanted.pd = call.pd;
  if ((flags & model::kChangeAccess) != 0) wanted.access = bits(call.access);
  if ((flags & model::kChangeTranslation) == 0) {
    wanted.access &= ~model::kAllocateMr;
    wanted.access |= region.access & model::kAllocateMr;
    return wanted;
  }
  wanted.address = wanted.iova = call.address.value();
  wanted.length = call.length.value();
  wanted.allocate = experimental() && (flags & model::kChangeAccess) != 0 &&
                    (wanted.access & model::kAllocateMr) != 0;
  if (experimental()) {
    // A new translation is shared with nobody, and allocated only if that is asked for now.
    wanted.access &= ~model::kShared;
    if (!wanted.allocate) wanted.access &= ~model::kAllocateMr;
  }
  return wanted;
}

int SimDevice::support_refusal(std::uint32_t flags) const {
  std::uint32_t needed = 0;
  if ((flags & model::kChangeTranslation) != 0) needed |= model::kReregTranslation;
  if ((flags & model::kChangePd) != 0) needed |= model::kReregPd;
  if ((flags & model::kChangeAccess) != 0) needed |= model::kReregAccess;
  return offers(needed) ? 0 : EOPNOTSUPP;
}

/// Why the driver refuses the command; 0 if it does not.
int SimDevice::command_refusal(const Call& call, const MemoryRegion& region,
                               const Registration& wanted) const {
  const std::uint32_t flags = bits(call.flags);
  if (!region.usable) return EINVAL;
  if (const int error = support_refusal(flags)) return error;
  if (experimental()) {
    if (flags == 0 || (flags & ~model::kChanges) != 0) return EINVAL;
    if (region.null || region.dma_buf) return EINVAL;
    if (((region.access | wanted.access) & model::kPeerMemory) != 0) return EINVAL;
  }
  if (region.windows != 0) return EBUSY;
  return change_refusal(call, region, wanted);
}

/// The part of it that is about the new attributes.
int SimDevice::change_refusal(const Call& call, const MemoryRegion& region,
                              const Registration& wanted) const {
  const bool demands_local_write =
      (wanted.access & (model::kRemoteWrite | model::kRemoteAtomic)) != 0;
  if (broken(Fault::rereg_remote_write_alone_accepted) && demands_local_write &&
      (wanted.access & model::kLocalWrite) == 0)
    return 0;
  const bool translation = (bits(call.flags) & model::kChangeTranslation) != 0;
  if (translation && broken(Fault::rereg_unmapped_accepted)) return access_refusal(wanted.access);
  const bool pinning = ((region.access ^ wanted.access) & model::kOnDemand) != 0;
  // Pages of the same memory have to be found anew, as in a registration of its own.
  if (translation || (pinning && !region.hidden)) return registration_refusal(wanted);
  if (const int error = access_refusal(wanted.access)) return error;
  const bool gains_write = (wanted.access & ~region.access & model::kLocalWrite) != 0;
  if (!gains_write || region.on_demand || region.hidden) return 0;
  return memory_.still_writable(region.pins, region.memory, region.length) ? 0 : EFAULT;
}

/// Carries out the command.
void SimDevice::change(const Call& call, MemoryRegion& region, const Registration& wanted) {
  const std::uint32_t flags = bits(call.flags);
  const bool translation = (flags & model::kChangeTranslation) != 0;
  const MemoryRegion old = region;
  const bool keeps_pins =
      !translation && (old.hidden || ((old.access ^ wanted.access) & model::kOnDemand) == 0);
  region = region_of(wanted);
  region.live = true;
  region.key = old.key;
  region.old_key = old.old_key;
  if (!translation) {
    region.hidden = old.hidden;
    region.first = old.first;  // ZERO_BASED is about a translation: it counts when there is one
  }
  if (keeps_pins) region.pins = old.pins;
  if (broken(Fault::rereg_pd_ignored)) region.pd = old.pd;
  if (broken(Fault::rereg_pd_without_flag)) region.pd = call.pd;
  if (broken(Fault::rereg_access_ignored)) {
    region.access = old.access;
    region.on_demand = old.on_demand;
  }
  if (translation && broken(Fault::rereg_length_kept)) region.length = old.length;
  if (translation && broken(Fault::rereg_translation_ignored)) {
    region.first = old.first;
    region.length = old.length;
    region.memory = old.memory;
    region.pins = old.pins;
    region.base = old.base;
  }
  if (region.pd != old.pd) {
    if (!broken(Fault::rereg_old_pd_stays_busy)) --pds_.at(old.pd).users;
    ++pds_.at(region.pd).users;
  }
}

/// Whether a range cannot be kept from the child of a fork, or given back to it: there is no
/// memory, and madvise(2) says so. Where another region holds the range, too, there is nothing to
/// be done.
bool SimDevice::fork_advice_fails(std::uint32_t mr, std::uint64_t address,
                                  std::uint64_t length) const {
  if (memory_.mapped(address, length)) return false;
  for (std::size_t slot = 0; slot < regions_.size(); ++slot) {
    if (slot == mr || !regions_.at(slot).live) continue;
    const MemoryRegion& other = table_.region(regions_.at(slot).entry);
    const bool kept_from_child = !other.hidden && !other.on_demand;
    if (kept_from_child && inside(address - other.memory, length, other.length)) return false;
  }
  return true;
}

/// The driver refuses the command. The region may only be deregistered from now on.
void SimDevice::end_by_command(MemoryRegion& region, int error, bool fork_state_lost,
                               Result& result) {
  region.usable = false;
  if (broken(Fault::rereg_keeps_a_reference)) leave(model::Held::regions);
  if (experimental()) return refused(result, error);
  std::uint32_t code = fork_state_lost ? model::kErrCmdAndDoForkNew : model::kErrCmd;
  if (broken(Fault::rereg_command_error_as_input_error)) code = model::kErrInput;
  refused_with(result, code, error);
}

void SimDevice::rereg_mr(const Call& call, Result& result) {
  MemoryRegion& region = region_in(call.mr);
  const std::size_t entry = regions_.at(call.mr).entry;
  const std::uint32_t flags = bits(call.flags);
  if ((flags & model::kChangePd) != 0) domain(call.pd);

  if (!experimental() && input_error(call, region)) {
    refused_with(result, model::kErrInput, EINVAL);
    if (broken(Fault::rereg_input_error_ends_region)) region.usable = false;
    return;
  }
  const Registration wanted = changed(call, region);
  const bool translation = (flags & model::kChangeTranslation) != 0;
  const bool protects = options_.fork_protection && !experimental() && translation &&
                        !region.on_demand && !region.hidden;
  if (protects && fork_advice_fails(call.mr, wanted.address, wanted.length))
    return refused_with(result, model::kErrDontForkNew, ENOMEM);

  const int error = command_refusal(call, region, wanted);
  if (error != 0 && !broken(Fault::rereg_refusal_swallowed)) {
    const bool lost = protects && !memory_.mapped(wanted.address, wanted.length);
    return end_by_command(region, error, lost, result);
  }
  const bool old_lost =
      error == 0 && protects && fork_advice_fails(call.mr, region.memory, region.length);
  if (error == 0) change(call, region, wanted);
  if (error == 0 && translation) {
    region.old_key = region.key;
    region.key = table_.next_key(entry);
  }
  if (old_lost) refused_with(result, model::kErrDoForkOld, ENOMEM);
  result.lkey = result.rkey = Plain::key(region.key);
}

}  // namespace mrproof::impl
