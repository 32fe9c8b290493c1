#include "impl/verbs/verbs_device.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "impl/verbs/identity.hpp"

namespace mrproof::impl {
namespace {

/// Removes what `release` lets go.
template <class T, class Release>
void retry(std::vector<T*>& stuck, Release release) {
  stuck.erase(
      std::remove_if(stuck.begin(), stuck.end(), [&](T* object) { return release(object) == 0; }),
      stuck.end());
}

void check(const Setup& setup) {
  for (std::size_t qp = 0; qp < setup.qp_pd.size(); ++qp) {
    const std::uint8_t pd = setup.qp_pd.at(qp);
    if ((pd == Setup::kAbsent) != (setup.qp_pd.at(qp ^ 1U) == Setup::kAbsent))
      throw DeviceError("the setup has qp" + std::to_string(qp) + " or its peer, not both");
    if (pd != Setup::kAbsent && (pd >= setup.pd.size() || !setup.pd.at(pd)))
      throw DeviceError("the setup has qp" + std::to_string(qp) + " in a domain that is not there");
  }
}

[[noreturn]] void report_setup(const char* what, int error) {
  throw DeviceError(std::string("cannot make ") + what + ": " +
                    std::generic_category().message(error) +
                    "; are other programs holding the device's resources?");
}

}  // namespace

bool VerbsOptions::take(std::string_view words) {
  while (!words.empty()) {
    const auto end = std::min(words.find('+'), words.size());
    const auto word = words.substr(0, end);
    if (word != "uverbs" && word != "fork") return false;
    (word == "fork" ? fork_protection : rereg_by_uverbs) = true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return true;
}

std::string VerbsOptions::words() const {
  std::string all;
  if (rereg_by_uverbs) all += "+uverbs";
  if (fork_protection) all += "+fork";
  if (!all.empty()) all.front() = '@';
  return all;
}

VerbsDevice::VerbsDevice(const std::string& name, const VerbsOptions& options)
    : options_(options), log_(options.watch_kernel_log), port_(open_port(name, options.transport)) {
  prctl(PR_SET_TIMERSLACK, 1UL);
  description_.device = name + options.words();
  description_.driver = driver_of(name);
  description_.kernel = kernel_release();
  description_.rdma_core = rdma_core_version();
  description_.firmware = port_.device.orig_attr.fw_ver;
}

VerbsDevice::~VerbsDevice() {
  const Setup nothing{};
  release_windows();
  release_regions();
  release_pairs(nothing);
  release_domains(nothing);
  // What is left the kernel releases when the device is closed, right after this.
}

model::Capabilities<model::Plain> VerbsDevice::capabilities() const {
  return {model::Plain::flags(port_.claimed()), model::Plain::address(port_.port.max_msg_sz),
          model::Plain::flags(port_.features())};
}

std::span<const std::byte> VerbsDevice::buffer(std::size_t index) const {
  return buffers_.bytes(index);
}

void VerbsDevice::reset(const Setup& setup) {
  check(setup);
  look_for_failed_pairs();
  empty_receives();  // while the regions that receives name are still there
  // Windows first: a region is not let go while one is bound to it, and some drivers take a minute
  // to destroy a queue pair through which one is bound.
  release_windows();
  release_regions();
  release_pairs(setup);
  release_domains(setup);
  make_domains(setup);
  make_pairs(setup);
  buffers_.restore();
}

void VerbsDevice::distrust() {
  // Not only connected anew: a late error of the old connection would reach the new one.
  for (PairSlot& slot : pairs_) slot.lost = slot.live();
}

/// A queue pair can have failed without a completion that says so; the next case must not inherit
/// it.
void VerbsDevice::look_for_failed_pairs() {
  for (PairSlot& slot : pairs_) {
    if (!slot.live() || slot.failed || slot.lost) continue;
    for (QpEnd& end : slot.pair.ends) slot.failed |= state_of(end) != model::QpState::rts;
  }
}

/// A receive that is still posted would meet the next case's first send. An empty message takes it
/// off in a tenth of the time that connecting anew takes.
void VerbsDevice::empty_receives() {
  for (PairSlot& slot : pairs_) {
    if (!slot.live() || slot.failed || slot.lost) continue;
    for (std::size_t index = 0; index < 2 && !slot.failed; ++index) {
      QpEnd& end = slot.pair.ends.at(index);
      if (end.receive_id != 0) slot.failed = !send_nothing(slot.pair.ends.at(index ^ 1U), end);
    }
  }
}

void VerbsDevice::release_windows() {
  retry(stuck_windows_, ibv_dealloc_mw);
  for (ibv_mw*& window : windows_) {
    if (window != nullptr && ibv_dealloc_mw(window) != 0) stuck_windows_.push_back(window);
    window = nullptr;
  }
}

void VerbsDevice::release_regions() {
  retry(stuck_regions_, ibv_dereg_mr);
  for (ibv_mr*& region : regions_) {
    if (region != nullptr && ibv_dereg_mr(region) != 0) stuck_regions_.push_back(region);
    region = nullptr;
  }
}

bool VerbsDevice::pair_stays(std::size_t index, const Setup& setup) const {
  const PairSlot& slot = pairs_.at(index);
  if (!slot.live() || slot.lost) return false;
  if ((slot.failed || slot.reset) && !options_.reuse_failed_pairs) return false;
  for (std::size_t end = 0; end < 2; ++end) {
    const std::uint8_t pd = setup.qp_pd.at(2 * index + end);
    if (pd == Setup::kAbsent || !pds_.at(pd).given) return false;
    if (slot.pair.ends.at(end).pd != pds_.at(pd).pd) return false;
  }
  return true;
}

void VerbsDevice::release_pairs(const Setup& setup) {
  for (std::size_t index = 0; index < pairs_.size(); ++index) {
    PairSlot& slot = pairs_.at(index);
    if (pair_stays(index, setup)) continue;
    if (slot.lost) slot = PairSlot{};
    release_queue_pairs(slot.pair);
    slot.failed = slot.reset = false;
  }
}

void VerbsDevice::release_domains(const Setup& setup) {
  retry(stuck_domains_, ibv_dealloc_pd);
  for (std::size_t index = 0; index < pds_.size(); ++index) {
    PdSlot& slot = pds_.at(index);
    if (slot.pd == nullptr || (slot.given && setup.pd.at(index))) continue;
    if (ibv_dealloc_pd(slot.pd) != 0) stuck_domains_.push_back(slot.pd);
    slot = PdSlot{};
  }
}

void VerbsDevice::make_domains(const Setup& setup) {
  for (std::size_t index = 0; index < pds_.size(); ++index) {
    PdSlot& slot = pds_.at(index);
    if (!setup.pd.at(index) || slot.pd != nullptr) continue;
    errno = 0;
    slot = {ibv_alloc_pd(port_.context.get()), true};
    if (slot.pd == nullptr) report_setup("the case's protection domains", errno);
  }
}

/// Makes a pair of which either end may send. Returns 0 or the errno of the refusal.
int VerbsDevice::make(Pair& pair, ibv_pd* first, ibv_pd* second) {
  const int error = make_pair(port_, first, second, pair);
  // The end that asked for a connection of iWARP has to be the first to send (RFC 5044, 7.1.2).
  if (error != 0 || !port_.connector) return error;
  return read_nothing(pair.ends[0]) ? 0 : ECONNABORTED;
}

void VerbsDevice::make_pairs(const Setup& setup) {
  for (std::size_t index = 0; index < pairs_.size(); ++index) {
    const std::uint8_t first = setup.qp_pd.at(2 * index);
    const std::uint8_t second = setup.qp_pd.at(2 * index + 1);
    PairSlot& slot = pairs_.at(index);
    if (first == Setup::kAbsent || (slot.live() && !slot.failed)) continue;
    if (!slot.live() || reconnect(port_, slot.pair) != 0) {
      const int error = make(slot.pair, pds_.at(first).pd, pds_.at(second).pd);
      if (error != 0) report_setup("the case's queue pairs", error);
    }
    slot.failed = slot.lost = slot.reset = false;
  }
}

void prepare_library(const VerbsOptions& options) {
  if (!options.fork_protection) return;
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const rlimit none{0, files.rlim_max};
  setrlimit(RLIMIT_NOFILE, &none);
  const int error = ibv_fork_init();
  const bool protects = ibv_is_fork_initialized() == IBV_FORK_ENABLED;
  setrlimit(RLIMIT_NOFILE, &files);
  if (error != 0 || !protects)
    throw DeviceError(
        "ibv_fork_init() protects nothing: " + std::generic_category().message(error) +
        "; it has to be the first call of libibverbs in its process");
}

std::unique_ptr<Device> open_verbs_device(const std::string& name, const VerbsOptions& options) {
  return std::make_unique<VerbsDevice>(name, options);
}

}  // namespace mrproof::impl
