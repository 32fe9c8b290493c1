// Two hosts on one: orders and answers by TCP, what goes wrong there, memory that is kept alike.
#include "impl/verbs/far_host.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "impl/own_program.hpp"
#include "impl/verbs/host_messages.hpp"
#include "impl/verbs/peer.hpp"

namespace mrproof::impl {
namespace {

using Kind = Order::Kind;

/// Does what the queue pair's number says, without a device.
class Actor final : public Process {
 public:
  explicit Actor(Buffers& buffers) : buffers_(buffers) {}
  Answer carry_out(const Order& order) override {
    Answer answer;
    answer.qp_number = static_cast<std::uint32_t>(getpid());
    if (order.qp == 1) throw std::logic_error("qp1 does not exist");
    if (order.qp == 2) throw DeviceError("no memory");
    if (order.qp == 3) {
      std::signal(SIGSEGV, SIG_DFL);  // sanitizers have a handler, which exits
      raise(SIGSEGV);
    }
    if (order.qp == 4) _exit(7);
    if (order.qp == 5) Buffers::fill(model::buffer_address(1), 8, 9);
    answer.error = static_cast<int>(buffers_.bytes(0)[3]);
    return answer;
  }

 private:
  Buffers& buffers_;
};

std::unique_ptr<Process> open_actor(const PeerOptions& wanted, Buffers& buffers, Welcome& welcome) {
  if (wanted.device == "broken") throw DeviceError("no RDMA device 'broken'");
  welcome.device = Text<64>(wanted.device);
  welcome.kernel = Text<64>("6.6.6");
  welcome.claimed = model::kRemoteAtomic;
  welcome.features = model::kAtomics | model::kOnDemandNoRead;
  welcome.max_message = 4096;
  return std::make_unique<Actor>(buffers);
}

/// A peer in a process of its own, which ends with this object.
class Peer {
 public:
  explicit Peer(const std::string& device = "actor") {
    std::array<int, 2> pipe_ends{};
    EXPECT_EQ(pipe(pipe_ends.data()), 0);
    id_ = fork();
    if (id_ == 0) {
      PeerOptions wanted;
      wanted.device = device;
      wanted.address = "127.0.0.1";
      wanted.secret = "secret";
      wanted.open = open_actor;
      const auto listens = [&](const std::string& where) {
        const std::string line = where + "\n";
        if (write(pipe_ends[1], line.data(), line.size()) < 0) _exit(1);
      };
      run_peer(
          wanted, [] { return false; }, listens, [](const std::string&) {});
      _exit(0);
    }
    close(pipe_ends[1]);
    for (char c = 0; read(pipe_ends[0], &c, 1) == 1 && c != '\n';) options_.host += c;
    output_ = pipe_ends[0];
    setenv("MRPROOF_PEER_SECRET", "secret", 1);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;
  ~Peer() {
    end();
    close(output_);
  }
  void end() {
    if (id_ <= 0) return;
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
    id_ = -1;
  }
  [[nodiscard]] const VerbsOptions& options() const { return options_; }

 private:
  pid_t id_ = -1;
  int output_ = -1;
  VerbsOptions options_;
};

std::string message_of(const VerbsOptions& options) {
  const Buffers buffers(Buffers::Kind::shared);
  try {
    const FarHost far(options, buffers);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "";
}

TEST(FarHost, CarriesOutOrdersElsewhere) {
  const Peer peer;
  const Buffers buffers(Buffers::Kind::shared);
  FarHost far(peer.options(), buffers);
  const auto process = far.carry_out({.kind = Kind::nothing}).qp_number;
  EXPECT_NE(process, static_cast<std::uint32_t>(getpid()));
  EXPECT_EQ(far.carry_out({.kind = Kind::nothing}).qp_number, process);
  EXPECT_EQ(far.description().device, "actor");
  EXPECT_EQ(far.description().kernel, "6.6.6");
  EXPECT_THROW(far.carry_out({.kind = Kind::state, .qp = 1}), std::logic_error);
  EXPECT_THROW(far.carry_out({.kind = Kind::state, .qp = 2}), DeviceError);
  EXPECT_EQ(far.carry_out({.kind = Kind::nothing}).qp_number, process) << "it goes on after that";
}

TEST(FarHost, HasWhatBothDevicesClaim) {
  const Peer peer;
  const Buffers buffers(Buffers::Kind::shared);
  const FarHost far(peer.options(), buffers);
  using model::Plain;
  const auto both =
      far.common({Plain::flags(model::kRemoteAtomic | model::kMwBind), Plain::address(1000),
                  Plain::flags(model::kAtomics | model::kMwType1)});
  EXPECT_EQ(both.claimed.value(), model::kRemoteAtomic);
  EXPECT_EQ(both.max_message.value(), 1000U);
  EXPECT_EQ(both.features.value(), model::kAtomics | model::kOnDemandNoRead)
      << "what one lacks, the two lack";
  EXPECT_THROW(static_cast<void>(far.common({{}, {}, Plain::flags(model::kIwarp)})), DeviceError);
}

TEST(FarHost, KeepsMemoryAlike) {
  const Peer peer;
  const Buffers buffers(Buffers::Kind::shared);
  FarHost far(peer.options(), buffers);
  buffers.bytes(0)[3] = std::byte{77};
  EXPECT_EQ(far.carry_out({.kind = Kind::nothing}).error, 77);
  const auto before = buffers.bytes(1)[0];
  far.carry_out({.kind = Kind::nothing, .qp = 5});
  EXPECT_EQ(buffers.bytes(1)[0], std::byte{model::pattern_byte(9, 0)});
  EXPECT_NE(buffers.bytes(1)[0], before);
}

TEST(FarHost, SharesTheFateOfThePeer) {
  const Peer peer;
  EXPECT_EXIT(
      {
        std::signal(SIGSEGV, SIG_DFL);
        const Buffers buffers(Buffers::Kind::shared);
        FarHost far(peer.options(), buffers);
        far.carry_out({.kind = Kind::state, .qp = 3});
      },
      ::testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EQ(message_of(peer.options()), "") << "the next run is served";
}

TEST(FarHost, TellsThatThePeerHasEnded) {
  Peer peer;
  const Buffers buffers(Buffers::Kind::shared);
  FarHost far(peer.options(), buffers);
  peer.end();
  try {
    far.carry_out({.kind = Kind::nothing});
    ADD_FAILURE() << "nothing was told";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find("peer at 127.0.0.1:"), std::string::npos)
        << error.what();
  }
}

TEST(FarHost, NewRunsTakeThePlaceOfOldOnes) {
  const Peer peer;
  const Buffers buffers(Buffers::Kind::shared);
  FarHost old(peer.options(), buffers);
  const auto process = old.carry_out({.kind = Kind::nothing}).qp_number;
  FarHost young(peer.options(), buffers);
  EXPECT_NE(young.carry_out({.kind = Kind::nothing}).qp_number, process);
  EXPECT_THROW(old.carry_out({.kind = Kind::nothing}), DeviceError);
  EXPECT_NO_THROW(young.carry_out({.kind = Kind::nothing}));
}

TEST(FarHost, SaysWhyThereIsNoConnection) {
  const Peer peer;
  setenv("MRPROOF_PEER_SECRET", "another", 1);
  EXPECT_NE(message_of(peer.options()).find("the secret is another one"), std::string::npos)
      << message_of(peer.options());
  unsetenv("MRPROOF_PEER_SECRET");
  EXPECT_NE(message_of(peer.options()).find("MRPROOF_PEER_SECRET is not set"), std::string::npos);
  setenv("MRPROOF_PEER_SECRET", "secret", 1);
  VerbsOptions options;
  options.host = "127.0.0.1:1";
  EXPECT_NE(message_of(options).find("cannot reach a peer at 127.0.0.1:1"), std::string::npos);
  options.host = "127.0.0.1";
  EXPECT_NE(message_of(options).find("has no port"), std::string::npos);
  options.host = "no-such-host.invalid:7";
  EXPECT_NE(message_of(options).find("no host 'no-such-host.invalid'"), std::string::npos);
  const Peer broken("broken");
  EXPECT_NE(message_of(broken.options()).find("no RDMA device 'broken'"), std::string::npos);
}

/// What is told of something that listens on this host and greets with these bytes.
std::string message_of_what_greets(const std::string& bytes) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof here;
  auto* address = reinterpret_cast<sockaddr*>(&here);
  EXPECT_EQ(bind(listener, address, size), 0);
  EXPECT_EQ(listen(listener, 1), 0);
  EXPECT_EQ(getsockname(listener, address, &size), 0);
  std::thread stranger([&] {
    const int caller = accept(listener, nullptr, nullptr);
    EXPECT_EQ(write(caller, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    close(caller);
  });
  setenv("MRPROOF_PEER_SECRET", "secret", 1);
  VerbsOptions options;
  options.host = "127.0.0.1:" + std::to_string(ntohs(here.sin_port));
  const std::string message = message_of(options);
  stranger.join();
  close(listener);
  return message;
}

TEST(FarHost, TalksToItsOwnBuildOnly) {
  Greeting greeting;
  greeting.build = Text<64>("0123456789");
  const auto bytes = [&] {
    return std::string(reinterpret_cast<const char*>(&greeting), sizeof greeting);
  };
  EXPECT_NE(message_of_what_greets(bytes()).find("is no 'mrproof peer' of this version"),
            std::string::npos);
  greeting.what = Text<32>(Greeting::kWhat);
  EXPECT_NE(message_of_what_greets(bytes()).find("is another build of mrproof (01234567) than"),
            std::string::npos);
  EXPECT_NE(message_of_what_greets("SSH-2.0-OpenSSH\r\n").find("is no 'mrproof peer'"),
            std::string::npos);
  greeting.build = Text<64>(build_id());
  greeting.salt = Text<64>("ab");
  EXPECT_NE(message_of_what_greets(bytes()).find("asks for the secret in a weak form"),
            std::string::npos);
}

}  // namespace
}  // namespace mrproof::impl
