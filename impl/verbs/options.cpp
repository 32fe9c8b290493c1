#include "impl/verbs/options.hpp"

#include <infiniband/verbs.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

/// The words, and what each asks for.
constexpr std::array<std::pair<std::string_view, bool VerbsOptions::*>, 4> kWords{
    {{"uverbs", &VerbsOptions::rereg_by_uverbs},
     {"fork", &VerbsOptions::fork_protection},
     {"two-processes", &VerbsOptions::two_processes},
     {"lossy", &VerbsOptions::lossy}}};

}  // namespace

bool VerbsOptions::take(std::string_view words) {
  while (!words.empty()) {
    const auto end = std::min(words.find('+'), words.size());
    const auto* found = std::find_if(kWords.begin(), kWords.end(), [&](const auto& word) {
      return word.first == words.substr(0, end);
    });
    if (found == kWords.end()) return false;
    this->*found->second = true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return true;
}

std::string VerbsOptions::words() const {
  std::string all;
  for (const auto& [word, wanted] : kWords)
    if (this->*wanted) all += "+" + std::string(word);
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
