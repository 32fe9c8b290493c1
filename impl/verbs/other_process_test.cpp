// Tests of a second process: orders and answers, what goes wrong there, and memory that is shared.
#include "impl/verbs/other_process.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "impl/verbs/test_on_device.hpp"

namespace mrproof::impl {
namespace {

using Kind = Order::Kind;

/// Does what the queue pair's number says, without a device.
class Actor final : public Process {
 public:
  explicit Actor(Buffers* buffers = nullptr) : buffers_(buffers) {}
  Answer carry_out(const Order& order) override {
    Answer answer;
    answer.qp_number = static_cast<std::uint32_t>(getpid());
    answer.result.rkey = order.call.rkey;
    if (order.kind == Kind::map_pages) buffers_->map_pages();
    if (order.kind == Kind::call)
      buffers_->protect(order.call.address.value(), order.call.length.value(),
                        static_cast<model::Protection>(order.call.option));
    if (order.qp == 1) throw std::logic_error("qp1 does not exist");
    if (order.qp == 2) throw DeviceError("no memory");
    if (order.qp == 3) {
      const int signal_number = static_cast<int>(order.peer);
      std::signal(signal_number, SIG_DFL);  // sanitizers have a handler, which exits
      raise(signal_number);
    }
    if (order.qp == 4) _exit(7);
    while (order.qp == 5) pause();
    return answer;
  }

 private:
  Buffers* buffers_;
};

OtherProcess::Open actor() {
  return [] { return std::make_unique<Actor>(); };
}

TEST(OtherProcess, CarriesOutOrdersElsewhere) {
  OtherProcess other(actor());
  Order order{.kind = Kind::state};
  order.call.rkey = Plain::key(0x1234);
  for (int i = 0; i < 100; ++i) {
    const Answer answer = other.carry_out(order);
    EXPECT_EQ(answer.qp_number, static_cast<std::uint32_t>(other.id()));
    EXPECT_EQ(answer.result.rkey.value(), 0x1234U);
  }
  EXPECT_NE(other.id(), getpid());
}

TEST(OtherProcess, ExceptionsComeBackAndTheProcessStays) {
  OtherProcess other(actor());
  EXPECT_THROW(other.carry_out({.kind = Kind::state, .qp = 1}), std::logic_error);
  try {
    other.carry_out({.kind = Kind::state, .qp = 2});
    FAIL() << "nothing was thrown";
  } catch (const DeviceError& error) {
    EXPECT_STREQ(error.what(), "in the second process: no memory");
  }
  EXPECT_EQ(other.carry_out({.kind = Kind::state}).qp_number,
            static_cast<std::uint32_t>(other.id()));
}

TEST(OtherProcess, ThatCannotOpenTheDeviceSaysSo) {
  EXPECT_THROW(OtherProcess([]() -> std::unique_ptr<Process> { throw DeviceError("no such"); }),
               DeviceError);
  VerbsOptions options;
  EXPECT_TRUE(options.take("two-processes"));
  EXPECT_EQ(options.words(), "@two-processes");
  try {
    open_verbs_device("no_such_device", options);
    FAIL() << "there is such a device";
  } catch (const DeviceError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("in the second process: no RDMA device", 0), 0U);
  }
}

TEST(OtherProcessDeathTest, TakesThisOneAlong) {
  const auto order_a_death = [](std::uint8_t how, int signal_number) {
    OtherProcess other(actor());
    other.carry_out(
        {.kind = Kind::state, .qp = how, .peer = static_cast<std::uint32_t>(signal_number)});
  };
  EXPECT_EXIT(order_a_death(3, SIGKILL), ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_EXIT(order_a_death(3, SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(order_a_death(4, 0), ::testing::ExitedWithCode(7), "");
}

TEST(OtherProcess, IsKilledWithThisOneWhateverItDoes) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {  // the other process has the pipe open for as long as it lives
    OtherProcess other(actor());
    if (write(pipe_ends[1], "", 1) == 1) other.carry_out({.kind = Kind::state, .qp = 5});
    _exit(1);
  }
  close(pipe_ends[1]);
  char ready = 0;
  EXPECT_EQ(read(pipe_ends[0], &ready, 1), 1);
  usleep(100'000);  // it hangs by now, as a rule
  kill(parent, SIGKILL);
  pollfd closed{pipe_ends[0], POLLIN, 0};
  EXPECT_EQ(poll(&closed, 1, 10'000), 1) << "it still lives";
  EXPECT_NE(closed.revents & POLLHUP, 0);
  close(pipe_ends[0]);
  waitpid(parent, nullptr, 0);
}

/// Looks at the first page of buffer 1: whether it is mapped, and which byte it begins with.
class Witness final : public Process {
 public:
  explicit Witness(Buffers& buffers) : actor_(&buffers), buffers_(buffers) {}
  Answer carry_out(const Order& order) override {
    if (order.kind != Kind::state) return actor_.carry_out(order);
    Answer answer;
    unsigned char resident = 0;
    answer.done = mincore(buffers_.bytes(1).data(), model::kPageSize, &resident) == 0;
    if (answer.done) answer.received = std::to_integer<std::uint64_t>(buffers_.bytes(1)[0]);
    return answer;
  }

 private:
  Actor actor_;
  Buffers& buffers_;
};

class SharedBuffers : public ::testing::Test {
 protected:
  /// As VerbsDevice does: in the other process first.
  void protect(model::Protection protection) {
    Order order;
    order.call.address = Plain::address(model::buffer_address(1));
    order.call.length = Plain::address(model::kPageSize);
    order.call.option = protection;
    other_.carry_out(order);
    buffers_.protect(model::buffer_address(1), model::kPageSize, protection);
  }
  Answer look() { return other_.carry_out({.kind = Kind::state}); }

  Buffers buffers_{Buffers::Kind::shared};
  OtherProcess other_{[this] { return std::make_unique<Witness>(buffers_); }};
};

TEST_F(SharedBuffers, BytesAreThereInBoth) {
  EXPECT_EQ(look().received, model::pattern_byte(model::initial_seed(1), 0));
  Buffers::fill(model::buffer_address(1), 8, 9);
  EXPECT_EQ(look().received, model::pattern_byte(9, 0));
}

TEST_F(SharedBuffers, PagesThatWereUnmappedAreGoneInBoth) {
  protect(model::kNoPages);
  EXPECT_FALSE(look().done);
  protect(model::kWritePages);
  EXPECT_TRUE(look().done);
  EXPECT_EQ(look().received, 0U);
  EXPECT_EQ(buffers_.bytes(1)[0], std::byte{0});
  EXPECT_EQ(buffers_.bytes(1)[model::kPageSize],
            std::byte{model::pattern_byte(model::initial_seed(1), model::kPageSize)});
}

TEST_F(SharedBuffers, AreRestoredInBoth) {
  protect(model::kNoPages);
  other_.carry_out({.kind = Kind::map_pages});
  buffers_.restore();
  EXPECT_EQ(look().received, model::pattern_byte(model::initial_seed(1), 0));
}

/// The second process on a real device.
class InTwoProcesses : public OnDevice {
 protected:
  void SetUp() override {
    const char* name = std::getenv("MRPROOF_DEVICE");
    if (name == nullptr) GTEST_SKIP() << "MRPROOF_DEVICE names no device";
    VerbsOptions options;
    options.two_processes = true;
    device_ = open_verbs_device(name, options);
    device_->reset(model::standard_setup(device_->processes()));
  }
};

TEST_F(InTwoProcesses, KeysAreGoodWhereTheirDomainIs) {
  EXPECT_EQ(device_->processes(), 2U);
  EXPECT_TRUE(device_->description().device.ends_with("@two-processes"));
  reg(0, kAll, 0);
  reg(1, kAll, 1);
  EXPECT_EQ(device_->perform(transfer(Verb::rdma_write, 64)).result.outcome, Outcome::ok);
  EXPECT_TRUE(same(1, 0, 64));
  Call back = transfer(Verb::rdma_read, 64);
  back.qp = 1;
  back.address = Plain::address(model::buffer_address(1) + 128);
  back.lkey = lkey_[1];
  back.remote = Plain::address(model::buffer_address(0));
  back.rkey = rkey_[0];
  EXPECT_EQ(device_->perform(back).result.outcome, Outcome::ok);
  EXPECT_EQ(device_->buffer(1)[128], device_->buffer(0)[0]);
  Call foreign = transfer(Verb::rdma_write, 64);
  foreign.lkey = lkey_[1];
  EXPECT_NE(device_->perform(foreign).result.outcome, Outcome::ok);
  EXPECT_EQ(device_->perform(transfer(Verb::rdma_write, 64)).result.outcome, Outcome::wr_flush_err);
}

TEST_F(InTwoProcesses, MessagesAreReceivedInTheOther) {
  reg(0, kAll, 0);
  reg(1, kAll, 1);
  receive(1, 64);
  const Observation sent = device_->perform(transfer(Verb::send, 64));
  EXPECT_EQ(sent.result.outcome, Outcome::ok);
  EXPECT_EQ(receive_outcome(sent.result.peer_receive), Outcome::ok);
  EXPECT_EQ(sent.result.received.value(), 64U);
  EXPECT_TRUE(same(1, 0, 64));
}

TEST_F(InTwoProcesses, HandlesOfTheOtherAreNoneHere) {
  reg(1, kAll, 1);
  EXPECT_THROW(device_->perform(testing::rereg_mr(1, model::kChangePd, 0, {}, 0)),
               std::logic_error);
}

TEST_F(InTwoProcesses, ACaseInOneProcessIsMadeThere) {
  device_->reset(model::standard_setup());
  reg(0, kAll);
  reg(1, kAll);
  EXPECT_EQ(device_->perform(transfer(Verb::rdma_write, 64)).result.outcome, Outcome::ok);
  device_->reset(model::standard_setup(2));
  reg(0, kAll, 0);
  reg(1, kAll, 1);
  EXPECT_EQ(device_->perform(transfer(Verb::rdma_write, 64)).result.outcome, Outcome::ok);
}

}  // namespace
}  // namespace mrproof::impl
