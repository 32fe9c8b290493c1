#include "conformance/run/environment.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "conformance/run/remote_peer.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {

namespace fs = std::filesystem;

Folder::Folder(const std::string& wanted) : path_(wanted) {
  std::error_code error;
  if (!wanted.empty()) {
    fs::create_directories(wanted, error);
    if (error || !fs::is_directory(wanted))
      throw model::ToolError(fmt::format("{}: cannot be made: {}; choose another --out", wanted,
                                         error ? error.message() : "it is no folder"));
    return;
  }
  std::string name = (fs::temp_directory_path() / "mrproof-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw model::ToolError(fmt::format("{}: no temporary folder can be made; set TMPDIR", name));
  path_ = name;
  temporary_ = true;
}

Folder::~Folder() {
  std::error_code ignored;
  if (temporary_) fs::remove_all(path_, ignored);
}

TestEnvironment::TestEnvironment(const Folder& folder, const MachineOptions& machine,
                                 const std::string& prefix)
    : file_(folder.file(prefix + "mrproof.channel")) {
  if (!machine.peer_host.empty()) start_remote_peer(machine.peer_host);
  try {
    channel_ = std::make_unique<Channel>(Channel::create(file_, kChannelSize));
    host_ = machine.target.empty()
                ? make_local_host(*channel_, file_)
                : make_virtual_host(*channel_, file_, folder.file(prefix + "console"), machine);
  } catch (...) {
    std::error_code ignored;
    fs::remove(file_, ignored);
    throw;
  }
}

TestEnvironment::~TestEnvironment() {
  host_.reset();  // it speaks through the channel while it ends
  std::error_code ignored;
  fs::remove(file_, ignored);
}

}  // namespace mrproof::conformance
