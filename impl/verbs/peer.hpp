// This host as the other end of somebody's connections: what `mrproof peer` does.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "impl/buffers.hpp"
#include "impl/verbs/host_messages.hpp"
#include "impl/verbs/options.hpp"
#include "impl/verbs/process.hpp"

namespace mrproof::impl {

struct PeerOptions;

/// Opens the device in the child process, and says what it is. Throws DeviceError.
std::unique_ptr<Process> open_at_peer(const PeerOptions& wanted, Buffers& buffers,
                                      Welcome& welcome);

/// What a peer offers, to whom.
struct PeerOptions {
  std::string device;  ///< as libibverbs names it; empty: the only one
  VerbsOptions
      options;  ///< how it is used; a run says whether briskly, and whether packets are lost
  std::string address;                          ///< where to listen; empty: on all addresses
  std::uint16_t port = 0;                       ///< 0: any that is free
  std::string secret;                           ///< whoever has it may use the device
  decltype(&open_at_peer) open = open_at_peer;  ///< tests have another one
};

/// Listens, and carries out the orders of one process at a time (FarHost), each in a child process
/// of its own, until `stop` says so. A new one with the right secret takes the place of the last
/// one: a run starts its worker anew after a fault. `listens` gets the place, HOST:PORT, when it
/// does; `say` a line for people about each that comes. Throws DeviceError where it cannot listen.
void run_peer(const PeerOptions& wanted, const std::function<bool()>& stop,
              const std::function<void(const std::string&)>& listens,
              const std::function<void(const std::string&)>& say);

/// A secret that nobody can guess, of letters. Throws DeviceError.
std::string new_secret();

}  // namespace mrproof::impl
