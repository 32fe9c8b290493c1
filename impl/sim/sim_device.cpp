#include "impl/sim/sim_device.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "impl/sim/sim_checks.hpp"
#include "model/trace/trace_form.hpp"

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
                      "': take one of the ids in impl/sim/faults_*.inc");
  return *fault;
}

/// A walk that asks for what no program could write down is to be found out here.
void check_elements(const model::Call<Plain>& call) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (model::has_elements(call.verb) &&
      (call.length.value() > kMost || call.second.length.value() > kMost))
    throw std::logic_error("a length does not fit into a scatter/gather element");
}

}  // namespace

SimDevice::SimDevice(const SimOptions& options)
    : fault_(fault_of(options)), options_(options), memory_(fault_), table_(fault_, memory_) {
  if (options.dialect == "linux-2006")
    dialect_ = Dialect::linux_2006;
  else if (options.dialect == "mlnx-exp")
    dialect_ = Dialect::mlnx_experimental;
  else if (options.dialect != "linux")
    throw DeviceError("the simulated device has no dialect '" + options.dialect +
                      "': take linux, linux-2006 or mlnx-exp");
}

Description SimDevice::description() const {
  const std::string firmware = options_.fault ? "fault " + *options_.fault : "no fault";
  std::string name = "sim0";
  if (options_.processes > 1) name += "@two-processes";
  if (options_.fork_protection) name += "@fork";
  return {name, "simulated", "none", "none", firmware};
}

model::Capabilities<Plain> SimDevice::capabilities() const {
  return {Plain::flags(options_.claimed), Plain::address(options_.max_message),
          Plain::flags(options_.features & kSimClaimable)};
}

std::span<const std::byte> SimDevice::buffer(std::size_t index) const {
  return memory_.bytes(index);
}

std::uint64_t SimDevice::reset(const model::Setup& setup) {
  left_ = {nothing_held(), std::exchange(leaves_, nothing_held())};
  in_flight_.clear();
  begun_.clear();
  table_.clear();
  regions_.clear();
  windows_.clear();
  pds_.clear();
  for (std::size_t slot = 0; slot < setup.pd.size(); ++slot)
    pds_.at(slot) = ProtectionDomain{setup.pd[slot], 0, setup.process[slot]};
  for (std::size_t slot = 0; slot < qps_.size(); ++slot) {
    qps_[slot] = QueuePair{};
    const std::uint32_t pd = setup.qp_pd[slot];
    if ((pd == model::Setup::kAbsent) != (setup.qp_pd[slot ^ 1U] == model::Setup::kAbsent))
      throw DeviceError("setup: a queue pair needs its peer: give both or neither");
    if (pd == model::Setup::kAbsent) continue;
    if (!pds_.at(pd).live)
      throw DeviceError("setup: a queue pair needs a live protection domain: give that as well");
    qps_[slot].live = true;
    qps_[slot].slot = static_cast<std::uint32_t>(slot);
    qps_[slot].pd = pd;
    ++pds_.at(pd).users;
  }
  memory_.restore();
  return 0;  // it measures nothing
}

Observation SimDevice::perform(const Call& call) {
  Observation observation;
  if (call.part == model::Part::completion) {
    if (model::is_overlapping(call))
      take_return(call, observation);
    else
      take_completion(call, observation.result);
    return observation;
  }
  check_elements(call);
  check_process(call);
  Result& result = observation.result;
  result.own_receive = Plain::small(Outcome::none);
  result.peer_receive = Plain::small(Outcome::none);
  if (model::is_overlapping(call)) {
    begun_.push_back({call, false, result});
    result.outcome = Outcome::none;
  } else {
    dispatch(call, result);
  }
  return observation;
}

/// Of calls that overlap the one with the shortest delay comes first, and behind what it follows.
void SimDevice::make_begun() {
  const auto followed_by = [&](const Posted& one) {
    return std::find_if(begun_.begin(), begun_.end(), [&](const Posted& other) {
      return other.call.label == one.call.follows;
    });
  };
  std::map<std::uint8_t, std::uint64_t> moment;  // by label; what is followed has begun before
  for (const Posted& begun : begun_)
    moment[begun.call.label] = moment[begun.call.follows] + begun.call.delay;
  std::stable_sort(begun_.begin(), begun_.end(), [&](const Posted& a, const Posted& b) {
    return moment[a.call.label] < moment[b.call.label];
  });
  for (Posted& begun : begun_) {
    begun.made = true;
    if (begun.call.follows != 0 && followed_by(begun)->result.outcome != Outcome::ok) {
      begun.result.outcome = Outcome::none;
      continue;
    }
    dispatch(begun.call, begun.result);
    if (begun_.size() == 1) return;
    Result& first = begun_.front().result;
    const bool both_register =
        &begun != &begun_.front() && model::makes_region(begun.call.verb) &&
        model::makes_region(begun_.front().call.verb) && first.outcome == Outcome::ok;
    if (both_register && begun.result.outcome == Outcome::ok &&
        broken(Fault::overlapping_registrations_share_keys))
      begun.result = first;
    if (begun.call.verb == Verb::dealloc_mw && broken(Fault::overlapping_deallocation_refused))
      refused(begun.result, EBUSY);
  }
}

void SimDevice::take_return(const Call& call, Observation& seen) {
  if (!begun_.empty() && !begun_.front().made) make_begun();
  const auto found = std::find_if(begun_.begin(), begun_.end(),
                                  [&](const Posted& b) { return b.call.label == call.label; });
  require(found != begun_.end(), "simulated device: no call of this label has begun");
  seen.result = found->result;
  begun_.erase(found);
}

/// No program can make a call that names objects of two processes.
void SimDevice::check_process(const Call& call) {
  const auto same = [&](std::uint32_t one, std::uint32_t other) {
    require(pds_.at(one).process == pds_.at(other).process,
            "simulated device: the call names objects of both processes");
  };
  switch (call.verb) {
    case Verb::rereg_mr:
      if ((bits(call.flags) & model::kChangePd) != 0) same(region_in(call.mr).pd, call.pd);
      return;
    case Verb::reg_shared_mr: return same(region_in(call.source).pd, call.pd);
    case Verb::bind_mw:
    case Verb::post_bind_mw:
      same(queue_pair(call.qp).pd, region_in(call.mr).pd);
      return same(queue_pair(call.qp).pd, table_.window(window_handle(call.mw).entry).pd);
    default: return;
  }
}

void SimDevice::dispatch(const Call& call, Result& result) {
  if (dispatch_memory(call, result) || dispatch_work_request(call, result)) return;
  switch (call.verb) {
    case Verb::alloc_pd: return alloc_pd(call);
    case Verb::dealloc_pd: return dealloc_pd(call, result);
    case Verb::query_qp:
      result.qp_state = Plain::small(queue_pair(call.qp).state);
      result.rights = Plain::flags(
          model::kRightsTold |
          (broken(Fault::same_pair_rights_told) ? model::kPairRights : queue_pair(call.qp).access));
      return;
    case Verb::modify_qp:
      if (!offers(model::kModifyRights)) return refused(result, EINVAL);
      if (!broken(Fault::pair_rights_never_change)) queue_pair(call.qp).access = bits(call.access);
      return;
    case Verb::connect: return connect(call, result);
    case Verb::destroy_qp: return destroy_qp(call, result);
    case Verb::fill: return fill(call);
    case Verb::protect:
      return memory_.protect(call.address.value(), call.length.value(),
                             static_cast<model::Protection>(call.option));
    default: throw std::logic_error("simulated device: no such verb");
  }
}

/// Verbs about regions and windows. Returns whether it was one.
bool SimDevice::dispatch_memory(const Call& call, Result& result) {
  switch (call.verb) {
    case Verb::reg_mr:
    case Verb::reg_mr_iova:
    case Verb::reg_mr_ex: return reg_mr(call, result), true;
    case Verb::reg_dmabuf_mr: return reg_dmabuf_mr(call, result), true;
    case Verb::alloc_null_mr: return alloc_null_mr(call, result), true;
    case Verb::reg_shared_mr: return reg_shared_mr(call, result), true;
    case Verb::rereg_mr: return rereg_mr(call, result), true;
    case Verb::dereg_mr: return dereg_mr(call, result), true;
    case Verb::advise_mr: return advise_mr(call, result), true;
    case Verb::alloc_mw: return alloc_mw(call, result), true;
    case Verb::dealloc_mw: return dealloc_mw(call), true;
    default: return false;
  }
}

/// Verbs that post a work request. Returns whether it was one.
bool SimDevice::dispatch_work_request(const Call& call, Result& result) {
  switch (call.verb) {
    case Verb::post_recv: return post_recv(call, result), true;
    case Verb::bind_mw:
    case Verb::post_bind_mw: return bind(call, result), true;
    case Verb::local_inv: return local_inv(call, result), true;
    default:
      if (!model::is_transfer(call.verb)) return false;
      if (call.part == model::Part::posted) return post(call, result), true;
      return transfer(call, result), true;
  }
}

SimDevice::ProtectionDomain& SimDevice::domain(std::uint32_t slot) {
  ProtectionDomain& pd = pds_.at(slot);
  require(pd.live, "simulated device: no protection domain in this slot");
  return pd;
}

void SimDevice::alloc_pd(const Call& call) {
  ProtectionDomain& pd = pds_.at(call.pd);
  require(!pd.live, "simulated device: alloc_pd into a slot that is taken");
  pd.live = true;
}

void SimDevice::dealloc_pd(const Call& call, Result& result) {
  ProtectionDomain& pd = domain(call.pd);
  if (pd.users != 0 && !broken(Fault::used_pd_deallocated))
    return refused(result, broken(Fault::dealloc_pd_minus_one) ? -1 : EBUSY);
  pd.live = false;
  for (QueuePair& qp : qps_)  // none are left unless a fault let the call through
    if (qp.live && qp.pd == call.pd) end_queue_pair(qp);
}

void SimDevice::connect(const Call& call, Result& result) {
  queue_pair(model::peer_of(call.qp));  // both ends are needed before anything changes
  const auto gone = std::erase_if(
      in_flight_, [&](const Posted& posted) { return model::abandons(call, posted.call); });
  if (gone != 0 && broken(Fault::connect_refused_in_flight)) return refused(result, EINVAL);
  for (const std::uint32_t slot : {call.qp, model::peer_of(call.qp)}) {
    QueuePair& qp = queue_pair(slot);
    qp.state = QpState::rts;
    if (!broken(Fault::connect_keeps_pair_rights)) qp.access = model::kPairRights;
    table_.unbind_all(slot);
    if (!broken(Fault::connect_keeps_receives)) qp.receive.reset();
  }
}

void SimDevice::destroy_qp(const Call& call, Result& result) {
  QueuePair& qp = queue_pair(call.qp);
  // o10-2.2.5: windows that are bound through it are no obstacle.
  const bool obstacle = broken(Fault::destroy_qp_refused_with_windows) && table_.binds(call.qp);
  if (obstacle) return refused(result, EBUSY);
  end_queue_pair(qp);
  QueuePair& peer = in_slot(qps_, model::peer_of(call.qp));
  if (offers(model::kIwarp) && peer.live) to_error(peer);  // the connection ends with either end
}

void SimDevice::end_queue_pair(QueuePair& qp) {
  table_.unbind_all(qp.slot);
  if (!broken(Fault::destroy_qp_keeps_pd_busy)) --pds_.at(qp.pd).users;
  qp.live = false;
  qp.receive.reset();
}

void SimDevice::fill(const Call& call) {
  require(memory_.writable(call.address.value(), call.length.value()),
          "simulated device: fill outside of memory that is mapped and writable");
  Buffers::fill(call.address.value(), call.length.value(), call.seed);
}

SimDevice::QueuePair& SimDevice::queue_pair(std::uint32_t slot) {
  QueuePair& qp = in_slot(qps_, slot);
  require(qp.live, "simulated device: no queue pair in this slot");
  return qp;
}

}  // namespace mrproof::impl
