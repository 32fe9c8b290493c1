#include "impl/verbs/port.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <system_error>
#include <vector>

#include "impl/device.hpp"
#include "model/access.hpp"

namespace mrproof::impl {
namespace {

/// ibv_get_device_list(3), freed at the end of the scope.
class DeviceList {
 public:
  DeviceList() : list_(ibv_get_device_list(&count_)) {}
  ~DeviceList() {
    if (list_ != nullptr) ibv_free_device_list(list_);
  }
  DeviceList(const DeviceList&) = delete;
  DeviceList& operator=(const DeviceList&) = delete;

  [[nodiscard]] ibv_device* find(const std::string& name) const {
    for (int index = 0; list_ != nullptr && index < count_; ++index)
      if (name == ibv_get_device_name(list_[index])) return list_[index];
    return nullptr;
  }
  [[nodiscard]] std::string names() const {
    std::string all;
    for (int index = 0; list_ != nullptr && index < count_; ++index)
      all.append(index == 0 ? "" : ", ").append(ibv_get_device_name(list_[index]));
    return all;
  }

 private:
  int count_ = 0;
  ibv_device** list_;
};

std::string error_text(int error) { return std::generic_category().message(error); }

[[noreturn]] void report_unknown(const std::string& name, const DeviceList& list) {
  struct stat ignored {};
  const bool in_kernel = !name.empty() && name.find('/') == std::string::npos &&
                         stat(("/sys/class/infiniband/" + name).c_str(), &ignored) == 0;
  if (in_kernel)
    throw DeviceError("the kernel has '" + name +
                      "', libibverbs does not: load ib_uverbs and "
                      "install its provider (Debian: ibverbs-providers)");
  const std::string present = list.names();
  if (present.empty())
    throw DeviceError("no RDMA device '" + name +
                      "'; present: none (load the device's driver and "
                      "ib_uverbs; 'rdma link' shows what the kernel has)");
  throw DeviceError("no RDMA device '" + name + "'; present: " + present);
}

[[noreturn]] void report_not_opened(ibv_device* device, int error) {
  const std::string file = std::string("/dev/infiniband/") + device->dev_name;
  const std::string name = ibv_get_device_name(device);
  // libibverbs goes on searching after EACCES and then reports ENOENT: ask the file itself.
  if (access(file.c_str(), R_OK | W_OK) != 0 && errno == EACCES) error = EACCES;
  if (error == EACCES || error == EPERM)
    throw DeviceError("no permission to open " + file + " of device '" + name +
                      "': run as root "
                      "or have read and write permission on the file granted (udev rule, group)");
  if (error == ENOENT || error == ENXIO || error == ENODEV)
    throw DeviceError("cannot open " + file + " of device '" + name + "': " + error_text(error) +
                      "; load ib_uverbs and have the device file made (udev)");
  throw DeviceError("cannot open device '" + name + "' by " + file + ": " + error_text(error) +
                    "; see the kernel log");
}

/// How well a GID serves for a connection from the port to itself; 0: not at all.
int preference(const ibv_gid_entry& entry, const Transport& transport) {
  static constexpr std::array<std::uint8_t, 12> kMappedIpv4{0, 0, 0, 0, 0,    0,
                                                            0, 0, 0, 0, 0xff, 0xff};
  static constexpr std::array<std::uint8_t, 16> kNone{};
  if (entry.port_num != transport.port) return 0;
  if (std::memcmp(entry.gid.raw, kNone.data(), kNone.size()) == 0) return 0;
  if (transport.gid) return entry.gid_index == *transport.gid ? 1 : 0;
  if (entry.gid_type != IBV_GID_TYPE_ROCE_V2) return 1;
  if (std::memcmp(entry.gid.raw, kMappedIpv4.data(), kMappedIpv4.size()) == 0) return 3;
  return 2;
}

[[noreturn]] void report_no_gid(const std::string& port, const std::vector<ibv_gid_entry>& table,
                                const Transport& transport) {
  if (!transport.gid)
    throw DeviceError(port +
                      " has no GID: give its network interface an IP address "
                      "(ip addr add 10.9.9.1/24 dev NETDEV)");
  std::string present;
  for (const ibv_gid_entry& entry : table)
    if (entry.port_num == transport.port) present += " " + std::to_string(entry.gid_index);
  throw DeviceError(port + " has no GID " + std::to_string(*transport.gid) +
                    "; there are:" + (present.empty() ? " none" : present));
}

/// The GID that is asked for, or the best one of the port. Throws DeviceError.
ibv_gid_entry choose_gid(ibv_context* context, const std::string& port,
                         const Transport& transport) {
  // All ports' valid entries come in one answer, which fails if they do not fit, and which the
  // kernel limits to 64 KiB.
  std::vector<ibv_gid_entry> table(1024);
  const ssize_t count = ibv_query_gid_table(context, table.data(), table.size(), 0);
  if (count < 0)
    throw DeviceError(std::string("device '") + ibv_get_device_name(context->device) +
                      "' does not tell its GIDs: " + error_text(static_cast<int>(-count)));
  table.resize(static_cast<std::size_t>(count));
  const auto best =
      std::max_element(table.begin(), table.end(), [&](const auto& one, const auto& other) {
        return preference(one, transport) < preference(other, transport);
      });
  if (best == table.end() || preference(*best, transport) == 0)
    report_no_gid(port, table, transport);
  return *best;
}

/// The context in which librdmacm makes the device's queue pairs.
std::unique_ptr<ibv_context, CloseDevice> context_of_cm(const std::string& name) {
  ibv_context* known = Connector::find_context(name);
  if (known == nullptr)
    throw DeviceError("device '" + name +
                      "' is iWARP, which connects only through the RDMA CM, and that does not know "
                      "it: load rdma_ucm");
  return {known, CloseDevice{false}};
}

bool has_windows(const ibv_device_attr& device) {
  constexpr unsigned kWindows =
      IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B;
  return (device.device_cap_flags & kWindows) != 0;
}

/// A bit of device_cap_flags and the model's name for it.
struct FeatureBit {
  unsigned device;
  std::uint32_t feature;
};

constexpr std::array kFeatureBits{
    FeatureBit{IBV_DEVICE_MEM_WINDOW, model::kMwType1},
    FeatureBit{IBV_DEVICE_MEM_WINDOW_TYPE_2A, model::kMwType2A},
    FeatureBit{IBV_DEVICE_MEM_WINDOW_TYPE_2B, model::kMwType2B},
    FeatureBit{IBV_DEVICE_MEM_MGT_EXTENSIONS, model::kMemoryExtensions},
};

}  // namespace

Port open_port(ibv_device* device, const Transport& transport) {
  const std::string name = ibv_get_device_name(device);
  Port opened;
  opened.transport = transport;
  errno = 0;
  opened.context.reset(ibv_open_device(device));
  if (!opened.context) report_not_opened(device, errno);
  const bool iwarp = device->transport_type == IBV_TRANSPORT_IWARP;
  if (iwarp) opened.context = context_of_cm(name);
  ibv_context* context = opened.context.get();

  if (const int error = ibv_query_device_ex(context, nullptr, &opened.device); error != 0)
    throw DeviceError("device '" + name + "' does not tell its attributes: " + error_text(error));
  if (transport.port == 0 || transport.port > opened.device.orig_attr.phys_port_cnt)
    throw DeviceError("device '" + name + "' has no port " + std::to_string(transport.port) +
                      ", but ports 1 to " + std::to_string(opened.device.orig_attr.phys_port_cnt));
  if (const int error = ibv_query_port(context, transport.port, &opened.port); error != 0)
    throw DeviceError("device '" + name + "' does not tell of its port " +
                      std::to_string(transport.port) + ": " + error_text(error));
  const std::string port = "port " + std::to_string(transport.port) + " of device '" + name + "'";
  if (opened.port.state != IBV_PORT_ACTIVE)
    throw DeviceError(port + " is not active but " + ibv_port_state_str(opened.port.state) +
                      ": bring its link up (ip link set NETDEV up)");
  if (iwarp && transport.gid)
    throw DeviceError("device '" + name + "' is iWARP, which uses no GID; leave out gid=");
  if (iwarp)
    opened.connector = std::make_unique<Connector>(context);
  else if (opened.port.link_layer == IBV_LINK_LAYER_ETHERNET || transport.gid)
    opened.gid = choose_gid(context, port, transport);
  return opened;
}

Port open_port(const std::string& name, const Transport& transport) {
  const DeviceList list;
  ibv_device* device = list.find(name);
  if (device == nullptr) report_unknown(name, list);
  return open_port(device, transport);
}

std::uint32_t Port::claimed() const {
  std::uint32_t flags = 0;
  const bool modelled = !connector;  // over iWARP they are not, see features()
  if (modelled && device.orig_attr.atomic_cap != IBV_ATOMIC_NONE) flags |= model::kRemoteAtomic;
  if (modelled && has_windows(device.orig_attr)) flags |= model::kMwBind;
  if ((device.odp_caps.general_caps & IBV_ODP_SUPPORT) != 0) flags |= model::kOnDemand;
  return flags;
}

namespace {

/// What the device, if it pages on demand, does not claim for it over RC.
std::uint32_t missing_on_demand(const ibv_odp_caps& caps) {
  constexpr std::array<FeatureBit, 5> kOperations{
      {{IBV_ODP_SUPPORT_SEND, model::kOnDemandNoSend},
       {IBV_ODP_SUPPORT_RECV, model::kOnDemandNoReceive},
       {IBV_ODP_SUPPORT_WRITE, model::kOnDemandNoWrite},
       {IBV_ODP_SUPPORT_READ, model::kOnDemandNoRead},
       {IBV_ODP_SUPPORT_ATOMIC, model::kOnDemandNoAtomic}}};
  std::uint32_t missing = 0;
  if ((caps.general_caps & IBV_ODP_SUPPORT) == 0) return missing;  // it has no such regions
  for (const FeatureBit& bit : kOperations)
    if ((caps.per_transport_caps.rc_odp_caps & bit.device) == 0) missing |= bit.feature;
  return missing;
}

}  // namespace

std::uint32_t Port::features() const {
  std::uint32_t found = 0;
  for (const FeatureBit& bit : kFeatureBits)
    if ((device.orig_attr.device_cap_flags & bit.device) != 0) found |= bit.feature;
  if ((device.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT) != 0)
    found |= model::kImplicitOnDemand;
  if (device.orig_attr.atomic_cap != IBV_ATOMIC_NONE) found |= model::kAtomics;
  found |= missing_on_demand(device.odp_caps);
  // What binds or invalidates over iWARP is not modelled, nor are its atomics (RFC 7306).
  constexpr std::uint32_t kModelled = model::kImplicitOnDemand | model::kOnDemandMissing;
  return connector ? (found & kModelled) | model::kIwarp : found;
}

PortAddress Port::address() const {
  PortAddress all;
  std::copy(std::begin(gid.gid.raw), std::end(gid.gid.raw), all.gid.begin());
  all.lid = port.lid;
  all.mtu = static_cast<std::uint8_t>(port.active_mtu);
  if (!connector) return all;
  all.ip = connector->address().sin_addr.s_addr;
  all.ip_port = connector->address().sin_port;
  return all;
}

unsigned Port::queue_pair_rights() const {
  unsigned rights = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  if (device.orig_attr.atomic_cap != IBV_ATOMIC_NONE) rights |= IBV_ACCESS_REMOTE_ATOMIC;
  if (has_windows(device.orig_attr)) rights |= IBV_ACCESS_MW_BIND;
  return rights;
}

}  // namespace mrproof::impl
