// ibv_advise_mr(3) in the simulated device. Advice is never needed: pages of ON_DEMAND regions are
// looked up at each access. So all there is to do is to refuse what the page says is wrong.
#include <cerrno>

#include "impl/sim/sim_checks.hpp"
#include "impl/sim/sim_device.hpp"

namespace mrproof::impl {

void SimDevice::advise_mr(const Call& call, Result& result) {
  domain(call.pd);
  if (!offers(model::kAdviseMr)) return refused(result, EOPNOTSUPP);
  if ((bits(call.flags) & ~model::kAdviseFlush) != 0) return refused(result, EINVAL);
  const bool known = call.option <= model::kPrefetchNoFault;
  if (!known && !broken(Fault::advise_unknown_accepted)) return refused(result, ENOTSUP);
  const Elements elements = elements_of(call);
  for (std::size_t i = 0; i < call.elements; ++i)
    if (const int error = advice_refusal(call, elements.at(i))) return refused(result, error);
  for (std::size_t i = 0; i < call.elements; ++i) follow_wrongly(call, elements.at(i));
}

int SimDevice::advice_refusal(const Call& call, const ScatterElement& element) const {
  // EINVAL: "The requested address doesn't belong to a MR, but a MW or something."
  if (table_.window_with(element.lkey)) return EINVAL;
  const auto entry = table_.region_with(element.lkey);
  if (!entry) return broken(Fault::advise_dead_key_accepted) ? 0 : EFAULT;
  const MemoryRegion& region = table_.region(*entry);
  // EPERM: "Referencing a valid lkey outside the caller's security scope."
  if (region.pd != call.pd && !broken(Fault::advise_pd_unchecked)) return EPERM;
  if (!region.on_demand) return broken(Fault::advise_pinned_accepted) ? 0 : EINVAL;
  const bool read_only = (region.access & model::kLocalWrite) == 0;
  if (call.option == model::kPrefetchWrite && read_only &&
      !broken(Fault::advise_write_right_unchecked))
    return EPERM;
  return advice_range_refusal(call, region, element);
}

int SimDevice::advice_range_refusal(const Call& call, const MemoryRegion& region,
                                    const ScatterElement& element) const {
  if (element.length == 0) return 0;
  const std::uint64_t from = element.address - region.first;
  if (!inside(from, element.length, region.length)) {
    if (broken(Fault::advise_bounds_unchecked)) return 0;
    return broken(Fault::advise_bounds_with_einval) ? EINVAL : EFAULT;
  }
  // Best effort, unless the caller waits for the pages.
  const bool waits = (bits(call.flags) & model::kAdviseFlush) != 0;
  if (!waits || call.option == model::kPrefetchNoFault || region.hidden) return 0;
  if ((region.access & model::kHugetlb) != 0) return EFAULT;
  const std::uint64_t memory = region.memory + from;
  const bool there = call.option == model::kPrefetchWrite ? memory_.writable(memory, element.length)
                                                          : memory_.mapped(memory, element.length);
  return there || broken(Fault::advise_missing_pages_ignored) ? 0 : EFAULT;
}

/// What faulty devices do beyond nothing.
void SimDevice::follow_wrongly(const Call& call, const ScatterElement& element) {
  const auto entry = table_.region_with(element.lkey);
  if (!entry) return;
  MemoryRegion& region = table_.region(*entry);
  if (broken(Fault::advise_clears_pages) && call.option == model::kPrefetchWrite)
    memory_.clear({region.memory + (element.address - region.first), element.length});
  if (broken(Fault::advise_read_ends_write_right) && call.option == model::kPrefetch)
    region.access &= ~(model::kLocalWrite | model::kRemoteWrite | model::kRemoteAtomic);
}

}  // namespace mrproof::impl
