#include "impl/verbs/options.hpp"

#include <infiniband/verbs.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

/// The words, and what each asks for.
constexpr std::array<std::pair<std::string_view, bool VerbsOptions::*>, 5> kWords{
    {{"uverbs", &VerbsOptions::rereg_by_uverbs},
     {"fork", &VerbsOptions::fork_protection},
     {"two-processes", &VerbsOptions::two_processes},
     {"lossy", &VerbsOptions::lossy},
     {"huge", &VerbsOptions::huge_pages}}};

/// The number behind `name` in the word, if that is what the word is.
template <class Number>
std::optional<Number> number_of(std::string_view word, std::string_view name) {
  if (!word.starts_with(name)) return {};
  Number number{};
  const char* end = word.data() + word.size();
  const auto read = std::from_chars(word.data() + name.size(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

constexpr std::uint8_t kBriskTimeout = 12;
constexpr std::uint32_t kBriskLimit = 1'500;
constexpr std::uint8_t kLongestTimeout = 31;  // of ibv_modify_qp(3)
constexpr std::uint32_t kLongestWait = 86'400;

}  // namespace

void VerbsOptions::be_brisk() {
  brisk = true;
  if (transport.timeout == Transport{}.timeout) transport.timeout = kBriskTimeout;
  if (completion_limit_ms == VerbsOptions{}.completion_limit_ms) completion_limit_ms = kBriskLimit;
}

/// A device may take four times the timeout for each try.
std::uint64_t VerbsOptions::gives_up_ms() const {
  const std::uint64_t once = (4096ULL << transport.timeout) / 1'000'000;  // ns to ms
  return 4 * once * (transport.retry_count + 1U);
}

bool VerbsOptions::take(std::string_view words) {
  while (!words.empty()) {
    const auto end = std::min(words.find('+'), words.size());
    const std::string_view word = words.substr(0, end);
    const auto* found = std::find_if(kWords.begin(), kWords.end(),
                                     [&](const auto& known) { return known.first == word; });
    if (found != kWords.end())
      this->*found->second = true;
    else if (const auto port = number_of<std::uint8_t>(word, "port="))
      transport.port = *port;
    else if (const auto gid = number_of<std::uint8_t>(word, "gid="))
      transport.gid = *gid;
    else if (const auto timeout = number_of<std::uint8_t>(word, "ack-timeout=");
             timeout && *timeout != 0 && *timeout <= kLongestTimeout)
      transport.timeout = *timeout;
    else if (const auto seconds = number_of<std::uint32_t>(word, "wait=");
             seconds && *seconds != 0 && *seconds <= kLongestWait)
      completion_limit_ms = 1000 * *seconds;
    else
      return false;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return true;
}

std::string VerbsOptions::words() const {
  std::string all;
  for (const auto& [word, wanted] : kWords)
    if (this->*wanted) all += "+" + std::string(word);
  if (transport.port != Transport{}.port) all += "+port=" + std::to_string(transport.port);
  if (transport.gid) all += "+gid=" + std::to_string(*transport.gid);
  if (transport.timeout != (brisk ? kBriskTimeout : Transport{}.timeout))
    all += "+ack-timeout=" + std::to_string(transport.timeout);
  if (completion_limit_ms != (brisk ? kBriskLimit : VerbsOptions{}.completion_limit_ms))
    all += "+wait=" + std::to_string(completion_limit_ms / 1000);
  if (!host.empty()) all += "+two-hosts";
  if (!all.empty()) all.front() = '@';
  return all;
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

}  // namespace mrproof::impl
