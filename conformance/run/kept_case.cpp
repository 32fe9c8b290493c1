#include "conformance/run/kept_case.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mrproof::conformance {

std::string guided_name(std::uint64_t number) { return fmt::format("guided/{:06}", number); }

std::string corpus_file(const KeptCase& kept) {
  return fmt::format("corpus/guided-{:06}.mrt", kept.number);
}

std::vector<std::string> first_reached(const KeptCase& kept) {
  std::vector<std::string> lines;
  for (const auto& f : kept.first.functions()) {
    const auto count = std::count(f.reached.begin(), f.reached.end(), true);
    if (count > 0)
      lines.push_back(fmt::format("{} {} {} of {}",
                                  f.file.empty() ? f.module : f.file.substr(f.file.rfind('/') + 1),
                                  f.name, count, f.reached.size()));
  }
  return lines;
}

}  // namespace mrproof::conformance
