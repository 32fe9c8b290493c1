#include "impl/verbs/verbs_device.hpp"

#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "impl/verbs/identity.hpp"
#include "impl/verbs/other_process.hpp"

namespace mrproof::impl {
namespace {

void check(const model::Setup& setup) {
  for (std::size_t qp = 0; qp < setup.qp_pd.size(); ++qp) {
    const std::uint32_t pd = setup.qp_pd.at(qp);
    if ((pd == model::Setup::kAbsent) != (setup.qp_pd.at(qp ^ 1U) == model::Setup::kAbsent))
      throw DeviceError("the setup has qp" + std::to_string(qp) + " or its peer, not both");
    if (pd != model::Setup::kAbsent && (pd >= setup.pd.size() || !setup.pd.at(pd)))
      throw DeviceError("the setup has qp" + std::to_string(qp) + " in a domain that is not there");
  }
}

Buffers::Kind kind_of(const VerbsOptions& options) {
  const bool shared = options.two_processes || !options.host.empty();
  if (shared && options.huge_pages)
    throw DeviceError("two processes, or hosts, share pages of a file: leave out 'huge'");
  if (shared) return Buffers::Kind::shared;
  return options.huge_pages ? Buffers::Kind::huge : Buffers::Kind::own;
}

[[noreturn]] void report_setup(const char* what, int error) {
  throw DeviceError(std::string("cannot make ") + what + ": " +
                    std::generic_category().message(error) +
                    "; are other programs holding the device's resources?");
}

}  // namespace

VerbsDevice::VerbsDevice(const std::string& name, const VerbsOptions& options)
    : options_(options),
      buffers_(kind_of(options)),
      other_(make_other(name)),
      context_(name, options, buffers_),
      log_(options.watch_kernel_log),
      processes_{&context_, &context_} {
  if (other_) processes_[1] = other_.get();
  describe(name);
  static_cast<void>(capabilities());  // two hosts may have nothing in common
}

std::unique_ptr<Process> VerbsDevice::make_other(const std::string& name) {
  if (!options_.host.empty()) {
    auto far = std::make_unique<FarHost>(options_, buffers_);
    far_ = far.get();
    return far;
  }
  if (!options_.two_processes) return nullptr;
  return std::make_unique<OtherProcess>(
      [&] { return std::make_unique<Context>(name, options_, buffers_); });
}

/// Of two hosts, what differs is told of both.
void VerbsDevice::describe(const std::string& name) {
  description_.device = name + options_.words();
  description_.driver = driver_of(name);
  description_.kernel = kernel_release();
  description_.rdma_core = rdma_core_version();
  description_.firmware = context_.port().device.orig_attr.fw_ver;
  if (far_ == nullptr) return;
  two_devices_ = far_->which() != device_identity(name);
  const Description there = far_->description();
  for (const auto part : {&Description::driver, &Description::kernel, &Description::rdma_core,
                          &Description::firmware})
    if (description_.*part != there.*part) description_.*part += ", peer " + there.*part;
}

model::Capabilities<model::Plain> VerbsDevice::capabilities() const {
  const model::Capabilities<model::Plain> here = {
      model::Plain::flags(context_.port().claimed()),
      model::Plain::address(context_.port().port.max_msg_sz),
      model::Plain::flags(context_.port().features())};
  return far_ == nullptr ? here : far_->common(here);
}

std::span<const std::byte> VerbsDevice::buffer(std::size_t index) const {
  if (index == as_seen_.first && !as_seen_.second.empty()) return as_seen_.second;
  return buffers_.bytes(index);
}

std::uint64_t VerbsDevice::reset(const model::Setup& setup) {
  using Clock = std::chrono::steady_clock;
  check(setup);
  const Clock::time_point start = Clock::now();
  land();
  as_seen_.second.clear();
  look_for_failed_pairs();
  empty_receives();  // while the regions that receives name are still there
  // Windows first, since some drivers take a minute to destroy a queue pair through which one is
  // bound.
  release_objects();
  release_pairs(setup);
  release_domains(setup);
  const Clock::time_point gone = Clock::now();
  const auto held = see_what_is_left();
  const auto looking = Clock::now() - gone;
  slot_process_ = setup.process;
  const bool domains = make_domains(setup);
  const bool pairs = make_pairs(setup);
  const auto inside = Clock::now() - start - looking;
  for (std::size_t process = 0; process < processes(); ++process) {
    const bool known = held.at(process) && !domains && !pairs;
    before_.at(process) = known ? *held.at(process) : held_by(process);
  }
  if (other_) other_->carry_out({.kind = Kind::map_pages});
  buffers_.restore();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(inside).count());
}

void VerbsDevice::mark_suspect() {
  suspect_ = true;
  // Not only connected anew: a late error of the old connection would reach the new one.
  for (PairSlot& slot : pairs_) slot.lost = slot.live();
}

/// Has the process that has the queue pair do it.
Answer VerbsDevice::ask(std::uint32_t qp, const Order& order) {
  return processes_.at(pairs_.at(qp / 2U).process.at(qp & 1U))->carry_out(order);
}

/// The kernels' warnings since this was called last.
std::string VerbsDevice::warnings() {
  std::string all = log_.take();
  if (far_ == nullptr) return all;
  if (std::string there = far_->take_warnings(); !there.empty())
    all += (all.empty() ? "" : "\n") + there;
  return all;
}

/// A queue pair can have failed without a completion that says so; the next case must not inherit
/// it.
void VerbsDevice::look_for_failed_pairs() {
  for (std::uint32_t qp = 0; qp < model::Plain::kQps; ++qp) {
    PairSlot& slot = pair_of(qp);
    if (!slot.live() || slot.failed || slot.lost) continue;
    slot.failed = ask(qp, {.kind = Kind::state, .qp = qp}).state != model::QpState::rts;
  }
}

/// A receive that is still posted would meet the next case's first send. An empty message takes it
/// off in a tenth of the time that connecting anew takes.
void VerbsDevice::empty_receives() {
  for (std::uint32_t qp = 0; qp < model::Plain::kQps; ++qp) {
    PairSlot& slot = pair_of(qp);
    if (!slot.live() || slot.failed || slot.lost) continue;
    if (ask(qp, {.kind = Kind::has_receive, .qp = qp}).done) slot.failed = !deliver_nothing(qp);
  }
}

void VerbsDevice::release_objects() {
  context_.carry_out({.kind = Kind::release_objects});
  if (other_) other_->carry_out({.kind = Kind::release_objects});
}

model::Holdings VerbsDevice::held_by(std::size_t process) {
  return processes_.at(process)->carry_out({.kind = Kind::count_held}).held;
}

/// Tells of the first process for which something is left. The kernel may take a moment to let go.
/// What each one holds, as far as that was counted.
std::array<std::optional<model::Holdings>, 2> VerbsDevice::see_what_is_left() {
  constexpr int kPatience = 100;
  std::array<std::optional<model::Holdings>, 2> held;
  left_ = {};
  if (std::exchange(suspect_, false)) return held;
  for (std::size_t process = 0; process < processes(); ++process) {
    left_ = {before_.at(process), held_by(process), static_cast<std::uint8_t>(process)};
    for (int i = 0; i < kPatience; ++i) {
      if (model::left_behind(left_.before, left_.after).empty()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      left_.after = held_by(process);
    }
    held.at(process) = left_.after;
    if (!model::left_behind(left_.before, left_.after).empty()) break;
  }
  return held;
}

/// What a grace period has to pass for is gathered for 5 s (KFREE_DRAIN_JIFFIES in rcu/tree.c);
/// connections of iWARP stay for a minute when they are closed (TCP_TIMEWAIT_LEN).
KernelCaches VerbsDevice::kernel_caches() const {
  const bool streams = model::has<model::Plain>(capabilities().features, model::kIwarp).truth();
  return impl::kernel_caches(std::chrono::seconds(streams ? 70 : 8));
}

bool VerbsDevice::pair_stays(std::size_t index, const model::Setup& setup) const {
  const PairSlot& slot = pairs_.at(index);
  if (!slot.live() || slot.lost) return false;
  if ((slot.failed || slot.reset) && !options_.reuse_failed_pairs) return false;
  for (std::size_t end = 0; end < 2; ++end) {
    const std::uint32_t pd = setup.qp_pd.at(2 * index + end);
    if (pd == model::Setup::kAbsent || !pds_.at(pd).given || slot.pd.at(end) != pd) return false;
    if (slot.process.at(end) != setup.process.at(pd)) return false;
  }
  return true;
}

void VerbsDevice::release_pairs(const model::Setup& setup) {
  for (std::uint32_t first = 0; first < model::Plain::kQps; first += 2) {
    PairSlot& slot = pair_of(first);
    if (pair_stays(first / 2U, setup)) continue;
    for (const std::uint32_t qp : {first, model::peer_of(first)})
      ask(qp, {.kind = Kind::release_qp, .qp = qp, .wholly = slot.lost});
    slot.there = {};
    slot.failed = slot.lost = slot.reset = false;
  }
}

void VerbsDevice::release_domains(const model::Setup& setup) {
  for (std::uint32_t pd = 0; pd < pds_.size(); ++pd) {
    PdSlot& slot = pds_.at(pd);
    if (!slot.live) continue;
    const bool wanted = pd < setup.pd.size() && setup.pd.at(pd);
    if (slot.given && wanted && slot.process == setup.process.at(pd)) continue;
    processes_.at(slot.process)->carry_out({.kind = Kind::release_pd, .pd = pd});
    slot = PdSlot{};
  }
}

bool VerbsDevice::make_domains(const model::Setup& setup) {
  bool made_one = false;
  for (std::uint32_t pd = 0; pd < setup.pd.size(); ++pd) {
    PdSlot& slot = pds_.at(pd);
    if (!setup.pd.at(pd) || slot.live) continue;
    const std::uint8_t process = setup.process.at(pd);
    const Answer made = processes_.at(process)->carry_out({.kind = Kind::give_pd, .pd = pd});
    if (made.error != 0) report_setup("the case's protection domains", made.error);
    slot = {true, true, process};
    made_one = true;
  }
  return made_one;
}

bool VerbsDevice::make_pairs(const model::Setup& setup) {
  bool made_one = false;
  for (std::size_t index = 0; index < pairs_.size(); ++index) {
    const std::uint32_t first = setup.qp_pd.at(2 * index);
    const std::uint32_t second = setup.qp_pd.at(2 * index + 1);
    PairSlot& slot = pairs_.at(index);
    if (first == model::Setup::kAbsent || (slot.live() && !slot.failed)) continue;
    if (!slot.live() || reconnect(index) != 0) {
      const int error = make(index, first, second);
      if (error != 0) report_setup("the case's queue pairs", error);
      made_one = true;
    }
    slot.failed = slot.lost = slot.reset = false;
  }
  return made_one;
}

std::unique_ptr<Device> open_verbs_device(const std::string& name, const VerbsOptions& options) {
  return std::make_unique<VerbsDevice>(name, options);
}

}  // namespace mrproof::impl
