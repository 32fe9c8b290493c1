#include "impl/verbs/far_host.hpp"

#include <crypt.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "impl/own_program.hpp"
#include "model/access.hpp"

namespace mrproof::impl {
namespace {

/// Longest that a peer may take to greet, in seconds, and to open its device.
constexpr int kGreets = 10, kOpens = 60;

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

/// "HOST:PORT", of which HOST may be in brackets as IPv6 addresses are.
std::pair<std::string, std::string> parts_of(const std::string& host) {
  const auto colon = host.rfind(':');
  if (colon == std::string::npos || colon + 1 == host.size())
    throw DeviceError("the other host '" + host + "' has no port: write HOST:PORT");
  std::string name = host.substr(0, colon);
  if (name.size() > 1 && name.front() == '[' && name.back() == ']')
    name = name.substr(1, name.size() - 2);
  return {name, host.substr(colon + 1)};
}

Stream connected_to(const std::string& host) {
  const auto [name, port] = parts_of(host);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = getaddrinfo(name.c_str(), port.c_str(), &wanted, &found); error != 0)
    throw DeviceError("no host '" + name + "': " + gai_strerror(error));
  const Addresses addresses(found, freeaddrinfo);
  int error = 0;
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    const int descriptor =
        socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol);
    if (descriptor < 0) continue;
    Stream stream(descriptor);
    if (connect(descriptor, each->ai_addr, each->ai_addrlen) == 0) return stream;
    error = errno;
  }
  throw DeviceError("cannot reach a peer at " + host + ": " +
                    std::generic_category().message(error) +
                    "; start 'mrproof peer' there, and see to the firewall");
}

std::string secret() {
  const char* given = std::getenv("MRPROOF_PEER_SECRET");
  if (given == nullptr || *given == '\0')
    throw DeviceError(
        "MRPROOF_PEER_SECRET is not set: it has to be what 'mrproof peer' has printed");
  return given;
}

}  // namespace

FarHost::FarHost(const VerbsOptions& options, const Buffers& buffers)
    : host_(options.host), twin_(buffers.file(), Buffers::kFileSize) {
  const std::string known = secret();
  stream_ = connected_to(host_);
  stream_.wait_at_most(kGreets);
  Greeting greeting;
  if (!stream_.receive(greeting) || greeting.what.string() != Greeting::kWhat)
    throw DeviceError("what answers at " + host_ + " is no 'mrproof peer' of this version");
  if (greeting.build.string() != build_id())
    throw DeviceError("the peer at " + host_ + " is another build of mrproof (" +
                      greeting.build.string().substr(0, 8) + ") than this one (" +
                      build_id().substr(0, 8) + "): install the same package on both hosts");
  if (!greeting.salt.string().starts_with("$5$"))
    throw DeviceError("the peer at " + host_ + " asks for the secret in a weak form");
  const char* proof = crypt(known.c_str(), greeting.salt.string().c_str());
  Claim claim;
  claim.build = Text<64>(build_id());
  claim.proof = Text<128>(proof == nullptr ? "" : proof);
  claim.brisk = options.brisk;
  claim.lossy = options.lossy;
  stream_.wait_at_most(kOpens);
  if (!stream_.send(claim) || !stream_.receive(welcome_)) report_lost(errno);
  answer_of(welcome_.reply, "the peer at " + host_);
  stream_.wait_at_most(0);
}

Answer FarHost::carry_out(const Order& order) {
  const std::string mine = twin_.changes();
  OrderMessage message;
  message.order = order;
  message.changes = mine.size();
  ReplyMessage reply;
  std::string warnings, theirs;
  // In one piece: a short message behind another one waits for nothing then.
  std::string sent(reinterpret_cast<const char*>(&message), sizeof message);
  sent += mine;
  if (!stream_.send(sent.data(), sent.size()) || !stream_.receive(reply) ||
      !stream_.receive(warnings, reply.warnings) || !stream_.receive(theirs, reply.changes))
    report_lost(errno);
  if (reply.died_of != 0) {
    std::signal(reply.died_of, SIG_DFL);
    raise(reply.died_of);
    _exit(1);
  }
  twin_.take(theirs);
  warnings_ += warnings;
  return answer_of(reply.reply, "on the other host");
}

Description FarHost::description() const {
  return {welcome_.device.string(), welcome_.driver.string(), welcome_.kernel.string(),
          welcome_.rdma_core.string(), welcome_.firmware.string()};
}

model::Capabilities<model::Plain> FarHost::common(
    const model::Capabilities<model::Plain>& here) const {
  const auto features = static_cast<std::uint32_t>(here.features.value());
  if (((features ^ welcome_.features) & model::kIwarp) != 0)
    throw DeviceError("one of the devices is iWARP, and the other one is not: they cannot talk");
  // What is missing on demand is told as flags, too.
  constexpr std::uint32_t kLacks = model::kOnDemandMissing;
  return {here.claimed & model::Plain::flags(welcome_.claimed),
          model::Plain::address(std::min(here.max_message.value(), welcome_.max_message)),
          model::Plain::flags((features & welcome_.features & ~kLacks) |
                              ((features | welcome_.features) & kLacks))};
}

std::string FarHost::take_warnings() { return std::exchange(warnings_, ""); }

void FarHost::report_lost(int error) const {
  if (error == 0)
    throw DeviceError("the peer at " + host_ + " has ended, or another run has taken its place");
  if (error == ETIMEDOUT || error == EAGAIN || error == EHOSTUNREACH || error == ENETUNREACH)
    throw DeviceError("the other host, " + host_ + ", does not answer any more: its link is cut, " +
                      "or its kernel stands still");
  throw DeviceError("the connection to the peer at " + host_ +
                    " was lost: " + std::generic_category().message(error));
}

}  // namespace mrproof::impl
