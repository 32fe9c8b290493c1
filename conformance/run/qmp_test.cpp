#include "conformance/run/qmp.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

/// The test is QEMU, and says what it likes.
class Monitor : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0);
    qmp_.emplace(ends_[0]);
  }
  ~Monitor() override { close(ends_[1]); }

  void say(std::string_view line) {
    ASSERT_EQ(write(ends_[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }

  std::array<int, 2> ends_{-1, -1};
  std::optional<Qmp> qmp_;
};

TEST_F(Monitor, IsNotWaitedForWhereTheMachineGoesOn) {
  say("{\"event\": \"STOP\"}\n");
  EXPECT_TRUE(qmp_->is_stopped());
  qmp_->go_on();
  EXPECT_FALSE(qmp_->is_stopped());
  say("{\"event\": \"RESUME\"}\n{\"return\": {}, \"id\": 1}\n{\"event\": \"STOP\"}\n");
  EXPECT_TRUE(qmp_->is_stopped()) << "the next stop, told together with what came late";
}

TEST_F(Monitor, StandsStillWhereItRefusesToGoOn) {
  qmp_->go_on();
  say("{\"error\": {\"desc\": \"a reset is required\"}, \"id\": 1}\n");
  EXPECT_TRUE(qmp_->is_stopped());
}

TEST_F(Monitor, TellsWhyACommandFails) {
  say("{\"error\": {\"desc\": \"no such command\"}, \"id\": 1}\n");
  EXPECT_THROW(qmp_->execute("migrate"), model::ToolError);
  EXPECT_FALSE(qmp_->is_stopped());
}

}  // namespace
}  // namespace mrproof::conformance
