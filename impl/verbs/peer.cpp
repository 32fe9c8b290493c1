#include "impl/verbs/peer.hpp"

#include <crypt.h>
#include <netdb.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "impl/buffers.hpp"
#include "impl/own_program.hpp"
#include "impl/verbs/context.hpp"
#include "impl/verbs/host_messages.hpp"
#include "impl/verbs/identity.hpp"
#include "impl/verbs/kernel_log.hpp"
#include "impl/verbs/memory_twin.hpp"
#include "impl/verbs/stream.hpp"

namespace mrproof::impl {
namespace {

/// Longest that who connects may take to make a claim, in seconds.
constexpr int kClaims = 5;
/// How long a child may go on whose run has gone, in milliseconds, and how often that is looked at.
constexpr int kLetsGo = 3000, kLook = 200;

std::string error_text(int error) { return std::generic_category().message(error); }

/// "HOST:PORT" of one end of a socket.
std::string place_of(const sockaddr_storage& address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host.data(), host.size(),
                  port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0)
    return "?";
  const std::string name = host.data();
  const bool brackets = name.find(':') != std::string::npos;
  return (brackets ? "[" + name + "]" : name) + ":" + port.data();
}

std::array<unsigned char, 16> random_bytes() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw DeviceError("getrandom(2) failed: " + error_text(errno));
  return bytes;
}

/// A salt for crypt(3) that was never used before: SHA-256, and what the kernel has at random.
std::string new_salt() {
  constexpr std::string_view kLetters =
      "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string salt = "$5$";
  for (const unsigned char byte : random_bytes()) salt += kLetters[byte % kLetters.size()];
  return salt;
}

Stream listener_at(const PeerOptions& wanted) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  hints.ai_family = wanted.address.empty() ? AF_INET : AF_UNSPEC;
  addrinfo* found = nullptr;
  const char* address = wanted.address.empty() ? nullptr : wanted.address.c_str();
  const std::string port = std::to_string(wanted.port);
  if (const int error = getaddrinfo(address, port.c_str(), &hints, &found); error != 0)
    throw DeviceError("cannot listen at '" + wanted.address + "': " + gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  Stream listener(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  if (!listener.is_open() ||
      setsockopt(listener.descriptor(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(listener.descriptor(), found->ai_addr, found->ai_addrlen) != 0 ||
      listen(listener.descriptor(), 4) != 0)
    throw DeviceError("cannot listen at port " + port + ": " + error_text(errno));
  return listener;
}

/// The child's life: what the connection's other end orders, until it is closed.
class Served {
 public:
  explicit Served(const Stream& stream) : stream_(stream) {}

  void run(const PeerOptions& wanted) {
    Welcome welcome;
    welcome.reply = reply_of([&] {
      buffers_.emplace(Buffers::Kind::shared);
      twin_.emplace(buffers_->file(), Buffers::kFileSize);
      process_ = wanted.open(wanted, *buffers_, welcome);
      return Answer{};
    });
    if (!stream_.send(welcome) || !process_) return;
    OrderMessage message;
    std::string theirs;
    while (stream_.receive(message) && stream_.receive(theirs, message.changes))
      if (!answer(message.order, theirs)) return;
  }

 private:
  bool answer(const Order& order, const std::string& theirs) {
    ReplyMessage message;
    message.reply = reply_of([&] {
      twin_->take(theirs);
      return process_->carry_out(order);
    });
    const std::string warnings = log_.take(), mine = twin_->changes();
    message.warnings = warnings.size();
    message.changes = mine.size();
    std::string all(reinterpret_cast<const char*>(&message), sizeof message);
    all.append(warnings).append(mine);
    return stream_.send(all.data(), all.size());
  }

  const Stream& stream_;
  std::optional<Buffers> buffers_;
  std::optional<MemoryTwin> twin_;
  std::unique_ptr<Process> process_;
  KernelLog log_{true};
};

/// Whether who has connected may use the device; tells it if not.
bool admits(const Stream& stream, const PeerOptions& wanted, Claim& claim) {
  Greeting greeting;
  greeting.what = Text<32>(Greeting::kWhat);
  greeting.build = Text<64>(build_id());
  const std::string salt = new_salt();
  greeting.salt = Text<64>(salt);
  stream.wait_at_most(kClaims);
  if (!stream.send(greeting) || !stream.receive(claim)) return false;
  stream.wait_at_most(0);
  const char* proof = crypt(wanted.secret.c_str(), salt.c_str());
  if (proof != nullptr && *proof == '$' && claim.proof.string() == proof &&
      claim.build.string() == build_id())
    return true;
  Welcome no;
  no.reply = failure(Blame::device, DeviceError("the secret is another one than it has printed"));
  static_cast<void>(stream.send(no));
  return false;
}

/// A child process, and the connection that it serves.
class Child {
 public:
  Child(Stream stream, const PeerOptions& wanted) : stream_(std::move(stream)), id_(fork()) {
    if (id_ < 0) throw DeviceError("cannot start a process: " + error_text(errno));
    if (id_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::signal(SIGINT, SIG_IGN);
    Served(stream_).run(wanted);
    _exit(0);  // what the kernel has of it ends with it
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (over_) return;
    kill(id_, SIGKILL);
    // What the kernel holds is left behind.
    for (int waited = 0; waited < kLetsGo && waitpid(id_, nullptr, WNOHANG) == 0; ++waited)
      usleep(1000);
  }

  /// Whether it has ended, or its run has; that it died of a signal is told to the run.
  bool is_over() {
    int status = 0;
    over_ = waitpid(id_, &status, WNOHANG) == id_;
    if (over_ && WIFSIGNALED(status)) {
      ReplyMessage last;
      last.died_of = WTERMSIG(status);
      static_cast<void>(stream_.send(last));
    }
    pollfd connection{stream_.descriptor(), POLLRDHUP, 0};
    if (!over_ && poll(&connection, 1, 0) > 0) alone_ += kLook;
    return over_ || alone_ > kLetsGo;
  }

 private:
  Stream stream_;
  pid_t id_;
  bool over_ = false;
  int alone_ = 0;  ///< ms since its run has gone
};

}  // namespace

std::unique_ptr<Process> open_at_peer(const PeerOptions& wanted, Buffers& buffers,
                                      Welcome& welcome) {
  prepare_library(wanted.options);
  auto context = std::make_unique<Context>(wanted.device, wanted.options, buffers);
  const Port& port = context->port();
  welcome.device = Text<64>(wanted.device + wanted.options.words());
  welcome.driver = Text<64>(driver_of(wanted.device));
  welcome.kernel = Text<64>(kernel_release());
  welcome.rdma_core = Text<64>(rdma_core_version());
  welcome.firmware = Text<64>(port.device.orig_attr.fw_ver);
  welcome.which = Text<128>(device_identity(wanted.device));
  welcome.claimed = port.claimed();
  welcome.features = port.features();
  welcome.max_message = port.port.max_msg_sz;
  return context;
}

std::string new_secret() {
  std::string text;
  for (const unsigned char byte : random_bytes()) {
    text += static_cast<char>('a' + byte / 16);
    text += static_cast<char>('a' + byte % 16);
  }
  return text;
}

void run_peer(const PeerOptions& wanted, const std::function<bool()>& stop,
              const std::function<void(const std::string&)>& listens,
              const std::function<void(const std::string&)>& say) {
  const Stream listener = listener_at(wanted);
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  getsockname(listener.descriptor(), reinterpret_cast<sockaddr*>(&address), &size);
  listens(place_of(address, size));
  std::unique_ptr<Child> child;
  while (!stop()) {
    if (child && child->is_over()) child.reset();
    pollfd somebody{listener.descriptor(), POLLIN, 0};
    if (poll(&somebody, 1, kLook) <= 0) continue;
    size = sizeof address;
    Stream stream(
        accept4(listener.descriptor(), reinterpret_cast<sockaddr*>(&address), &size, SOCK_CLOEXEC));
    if (!stream.is_open()) continue;
    const std::string whose = place_of(address, size);
    Claim claim;
    if (!admits(stream, wanted, claim)) {
      say(whose + ": refused");
      continue;
    }
    child.reset();
    say(whose + ": serves it");
    PeerOptions now = wanted;
    if (claim.brisk) now.options.be_brisk();
    now.options.lossy = claim.lossy;
    child = std::make_unique<Child>(std::move(stream), now);
  }
}

}  // namespace mrproof::impl
