#include "conformance/watch/suppressions.hpp"

#include <algorithm>

#include "conformance/run/list_lines.hpp"

namespace mrproof::watch {

Suppressions::Suppressions(const std::string& file)
    : Suppressions(conformance::text_of_list(file), file) {}

Suppressions::Suppressions(const std::string& text, const std::string& file) {
  conformance::each_line(text, file, "NAME,program@PLACE or NAME,provider", [&](const auto& line) {
    const auto at = line.status.find('@');
    const auto whose = line.status.substr(0, at);
    if (whose != "program" && whose != "provider")
      line.fail("the status is neither program nor provider");
    if (line.name.empty()) line.fail("the name is missing");
    if (at + 1 == line.status.size()) line.fail("the place is empty");
    all_.push_back({line.name, whose == "program" ? Whose::program : Whose::provider,
                    at == std::string::npos ? "" : line.status.substr(at + 1), line.reason});
  });
}

const std::string* Suppressions::reason(const Finding& finding) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const Suppression& s) {
    return s.whose == finding.whose && conformance::fits(s.name, finding.name) &&
           (s.place.empty() || conformance::fits(s.place, finding.place));
  });
  return found == all_.end() ? nullptr : &found->reason;
}

}  // namespace mrproof::watch
