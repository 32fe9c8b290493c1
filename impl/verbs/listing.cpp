// The devices of libibverbs at a glance.
#include <vector>

#include "impl/verbs/identity.hpp"
#include "impl/verbs/verbs_device.hpp"

namespace mrproof::impl {
namespace {

/// What an opened device tells of itself, as far as it tells anything.
void inspect(ibv_device* device, DeviceListing& listing) {
  if (ibv_context* context = ibv_open_device(device); context != nullptr) {
    ibv_device_attr attributes{};
    if (ibv_query_device(context, &attributes) == 0) listing.firmware = attributes.fw_ver;
    ibv_port_attr port{};
    if (ibv_query_port(context, Transport{}.port, &port) == 0)
      listing.state = ibv_port_state_str(port.state);
    ibv_close_device(context);
  }
  try {
    open_port(device, Transport{});
  } catch (const DeviceError& error) {
    listing.unusable = error.what();
  }
}

}  // namespace

std::vector<DeviceListing> list_verbs_devices() {
  std::vector<DeviceListing> listings;
  int count = 0;
  ibv_device** list = ibv_get_device_list(&count);
  if (list == nullptr) return listings;  // ENOSYS where the kernel has no RDMA at all
  for (int index = 0; index < count; ++index) {
    DeviceListing listing;
    listing.name = ibv_get_device_name(list[index]);
    listing.driver = driver_of(listing.name);
    listing.node_type = ibv_node_type_str(list[index]->node_type);
    inspect(list[index], listing);
    listings.push_back(listing);
  }
  ibv_free_device_list(list);
  return listings;
}

}  // namespace mrproof::impl
