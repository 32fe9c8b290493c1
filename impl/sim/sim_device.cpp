#include "impl/sim/sim_device.hpp"

#include <cerrno>
#include <stdexcept>

#include "impl/sim/memory.hpp"

namespace mrproof::impl {
namespace {

using model::Plain;
using model::Verb;

/// A fault by its id; none without an id.
Fault fault_of(const SimOptions& options) {
  if (!options.fault) return Fault::none;
  const std::optional<Fault> fault = fault_by_name(*options.fault);
  if (!fault)
    throw DeviceError("the simulated device has no fault '" + *options.fault +
                      "': take one of the ids in impl/sim/faults.cpp");
  return *fault;
}

/// Guards against mistakes of the harness, which must not pass for behaviour of a device.
void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

/// The object in a slot.
template <class Slots>
auto& in_slot(Slots& slots, std::size_t slot) {
  require(slot < slots.size(), "simulated device: no such slot");
  return slots[slot];
}

void refused(model::Result<Plain>& result, int error) {
  result.outcome = model::Outcome::refused;
  result.error = Plain::key(static_cast<std::uint32_t>(error));
}

}  // namespace

SimDevice::SimDevice(const SimOptions& options)
    : fault_(fault_of(options)), options_(options), table_(fault_) {}

Description SimDevice::description() const {
  const std::string firmware = options_.fault ? "fault " + *options_.fault : "no fault";
  return {"sim0", "simulated", "none", "none", firmware};
}

model::Capabilities<Plain> SimDevice::capabilities() const {
  return {Plain::flags(options_.claimed), Plain::address(options_.max_message)};
}

std::span<const std::byte> SimDevice::buffer(std::size_t index) const {
  return buffers_.bytes(index);
}

void SimDevice::reset(const model::Setup& setup) {
  table_.clear();
  regions_.fill(RegionHandle{});
  for (std::size_t slot = 0; slot < pds_.size(); ++slot)
    pds_[slot] = ProtectionDomain{setup.pd[slot], 0};
  for (std::size_t slot = 0; slot < qps_.size(); ++slot) {
    qps_[slot] = QueuePair{};
    const std::uint8_t pd = setup.qp_pd[slot];
    if ((pd == model::Setup::kAbsent) != (setup.qp_pd[slot ^ 1U] == model::Setup::kAbsent))
      throw DeviceError("setup: a queue pair needs its peer: give both or neither");
    if (pd == model::Setup::kAbsent) continue;
    if (pd >= pds_.size() || !pds_[pd].live)
      throw DeviceError("setup: a queue pair needs a live protection domain: give that as well");
    qps_[slot].live = true;
    qps_[slot].pd = pd;
    ++pds_[pd].users;
  }
  buffers_.restore();
}

Observation SimDevice::perform(const Call& call) {
  Observation observation;
  Result& result = observation.result;
  result.own_receive = model::as_small<Plain>(Outcome::none);
  result.peer_receive = model::as_small<Plain>(Outcome::none);
  dispatch(call, result);
  return observation;
}

void SimDevice::dispatch(const Call& call, Result& result) {
  switch (call.verb) {
    case Verb::alloc_pd:
      return alloc_pd(call);
    case Verb::dealloc_pd:
      return dealloc_pd(call, result);
    case Verb::reg_mr:
      return reg_mr(call, result);
    case Verb::dereg_mr:
      return dereg_mr(call, result);
    case Verb::post_recv:
      return post_recv(call, result);
    case Verb::send:
    case Verb::rdma_write:
    case Verb::rdma_read:
      return transfer(call, result);
    case Verb::query_qp:
      result.qp_state = model::as_small<Plain>(queue_pair(call.qp).state);
      return;
    case Verb::connect:
      return connect(call);
    case Verb::fill:
      require(call.length.value() <= mapped_from(call.address.value()),
              "simulated device: fill outside the buffers");
      return Buffers::fill(call.address.value(), call.length.value(), call.seed);
  }
  throw std::logic_error("simulated device: no such verb");
}

void SimDevice::alloc_pd(const Call& call) {
  ProtectionDomain& pd = in_slot(pds_, call.pd);
  require(!pd.live, "simulated device: alloc_pd into a slot that is taken");
  pd.live = true;
}

void SimDevice::dealloc_pd(const Call& call, Result& result) {
  ProtectionDomain& pd = in_slot(pds_, call.pd);
  require(pd.live, "simulated device: dealloc_pd of a slot that holds none");
  if (pd.users != 0 && !broken(Fault::used_pd_deallocated))
    return refused(result, broken(Fault::dealloc_pd_minus_one) ? -1 : EBUSY);
  pd.live = false;
}

int SimDevice::access_refusal(std::uint32_t access) const {
  // IB_UVERBS_ACCESS_OPTIONAL_RANGE: who does not know such a bit ignores it.
  const std::uint32_t mandatory = access & ~model::kOptionalRange;
  if (mandatory != access && broken(Fault::optional_flag_refused)) return EINVAL;
  const bool undefined = (mandatory & ~model::kDefinedAccess) != 0;
  if (undefined && !broken(Fault::undefined_flag_accepted)) return EINVAL;
  if ((mandatory & model::kFeatureFlags & ~options_.claimed) != 0) return EOPNOTSUPP;
  // ibv_reg_mr(3): with either of them LOCAL_WRITE must be set, too.
  std::uint32_t demanding = model::kRemoteWrite | model::kRemoteAtomic;
  if (broken(Fault::remote_write_alone_accepted)) demanding = model::kRemoteAtomic;
  if (broken(Fault::remote_atomic_alone_accepted)) demanding = model::kRemoteWrite;
  if ((mandatory & demanding) != 0 && (mandatory & model::kLocalWrite) == 0) return EINVAL;
  return 0;
}

int SimDevice::range_refusal(const Call& call, std::uint64_t length) const {
  const std::uint64_t address = call.address.value();
  if (length == 0) return EINVAL;
  if (broken(Fault::unaligned_range_refused) && address % model::kPageSize != 0) return EINVAL;
  const bool mapped = length <= mapped_from(address);
  return mapped || broken(Fault::unmapped_range_accepted) ? 0 : EFAULT;
}

void SimDevice::reg_mr(const Call& call, Result& result) {
  RegionHandle& handle = in_slot(regions_, call.mr);
  ProtectionDomain& pd = in_slot(pds_, call.pd);
  require(!handle.live, "simulated device: reg_mr into a slot that is taken");
  require(pd.live, "simulated device: reg_mr in a protection domain that is not live");

  const auto access = static_cast<std::uint32_t>(call.access.value());
  std::uint64_t length = call.length.value();
  if (broken(Fault::registration_length_truncated)) length = static_cast<std::uint32_t>(length);
  int error = access_refusal(access);
  if (error == 0) error = range_refusal(call, length);
  if (error != 0) return refused(result, broken(Fault::reg_mr_without_errno) ? 0 : error);

  MemoryRegion region;
  region.pd = call.pd;
  region.access = access;
  region.length = length;
  region.memory = call.address.value();
  const bool zero_based = (access & model::kZeroBased) != 0 && !broken(Fault::zero_based_ignored);
  region.first = zero_based ? 0 : region.memory;
  handle = RegionHandle{true, table_.insert(region), call.pd};
  ++pd.users;
  result.lkey = result.rkey = Plain::key(table_.region(handle.entry).key);
}

void SimDevice::dereg_mr(const Call& call, Result& result) {
  RegionHandle& handle = in_slot(regions_, call.mr);
  require(handle.live, "simulated device: dereg_mr of a slot that holds none");
  if (broken(Fault::dereg_mr_minus_one)) return refused(result, -1);
  table_.erase(handle.entry);
  --pds_[handle.pd].users;
  handle.live = false;
}

void SimDevice::connect(const Call& call) {
  for (const std::uint8_t slot : {call.qp, model::peer_of(call.qp)}) {
    QueuePair& qp = queue_pair(slot);
    qp.state = QpState::rts;
    if (!broken(Fault::connect_keeps_receives)) qp.receive.reset();
  }
}

SimDevice::QueuePair& SimDevice::queue_pair(std::uint8_t slot) {
  QueuePair& qp = in_slot(qps_, slot);
  require(qp.live, "simulated device: no queue pair in this slot");
  return qp;
}

}  // namespace mrproof::impl
