#include "impl/verbs/identity.hpp"

#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <sys/utsname.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "impl/verbs/rdma_netlink.hpp"

namespace mrproof::impl {
namespace {

struct DriverName {
  std::uint32_t id;
  std::string_view name;
};

/// Names of enum rdma_driver_id, of drivers whose devices have no driver link in sysfs or share a
/// parent with a network driver.
constexpr std::array kDriverNames{
    DriverName{RDMA_DRIVER_MLX5, "mlx5"},       DriverName{RDMA_DRIVER_MLX4, "mlx4"},
    DriverName{RDMA_DRIVER_CXGB4, "cxgb4"},     DriverName{RDMA_DRIVER_MTHCA, "mthca"},
    DriverName{RDMA_DRIVER_BNXT_RE, "bnxt_re"}, DriverName{RDMA_DRIVER_OCRDMA, "ocrdma"},
    DriverName{RDMA_DRIVER_IRDMA, "irdma"},     DriverName{RDMA_DRIVER_VMW_PVRDMA, "vmw_pvrdma"},
    DriverName{RDMA_DRIVER_QEDR, "qedr"},       DriverName{RDMA_DRIVER_HNS, "hns"},
    DriverName{RDMA_DRIVER_USNIC, "usnic"},     DriverName{RDMA_DRIVER_RXE, "rxe"},
    DriverName{RDMA_DRIVER_HFI1, "hfi1"},       DriverName{RDMA_DRIVER_QIB, "qib"},
    DriverName{RDMA_DRIVER_EFA, "efa"},         DriverName{RDMA_DRIVER_SIW, "siw"},
    DriverName{RDMA_DRIVER_ERDMA, "erdma"},
};

}  // namespace

std::string driver_of(const std::string& device) {
  std::error_code error;
  const auto link = std::filesystem::read_symlink(
      std::filesystem::path("/sys/class/infiniband") / device / "device" / "driver", error);
  if (!error) return link.filename();
  const std::optional<std::uint32_t> id = uverbs_driver_id(device);
  if (!id) return "unknown";
  for (const DriverName& driver : kDriverNames)
    if (driver.id == *id) return std::string(driver.name);
  return "unknown";
}

std::string version_in_name(const std::string& file) {
  // libibverbs.so.ABI.PRIVATE.MAJOR.MINOR (rdma-core's rdma_library() rule).
  constexpr std::string_view kStem = "libibverbs.so.";
  if (file.rfind(kStem, 0) != 0) return "unknown";
  std::size_t at = kStem.size();
  for (int skipped = 0; skipped < 2; ++skipped) {
    at = file.find('.', at);
    if (at == file.npos) return "unknown";
    ++at;
  }
  return file.substr(at);
}

std::string rdma_core_version() {
  Dl_info where{};
  // The address of a function of the library tells which file it was loaded from.
  if (dladdr(reinterpret_cast<void*>(&ibv_get_device_list), &where) == 0) return "unknown";
  std::error_code error;
  const auto file = std::filesystem::canonical(where.dli_fname, error);
  return error ? "unknown" : version_in_name(file.filename());
}

std::string kernel_release() {
  utsname system{};
  return uname(&system) == 0 ? system.release : "unknown";
}

std::string device_identity(const std::string& device) {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(in, boot);
  return boot + " " + device;
}

}  // namespace mrproof::impl
