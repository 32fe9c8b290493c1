#include "conformance/run/channel.hpp"

#include <gmock/gmock.h>

#include <thread>

#include "model/random.hpp"
#include "model/testing/test_files.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

using model::testing::eventually;
using model::testing::TemporaryFolder;

/// A ring of one page: it wraps around every few records.
constexpr std::size_t kRing = 4096;
constexpr std::size_t kSmall = (sizeof(ChannelHeader) + 4095) / 4096 * 4096 + kRing;

/// Record `number`: its size and bytes follow from it.
std::vector<std::byte> record(std::uint64_t number) {
  model::Random random(number);
  std::vector<std::byte> bytes(random.below(600));
  for (auto& byte : bytes) byte = static_cast<std::byte>(random.next());
  return bytes;
}

class ChannelTest : public ::testing::Test {
 protected:
  TemporaryFolder folder_;
  std::string path_ = folder_.file("channel");
  Channel reader_ = Channel::create(path_, kSmall);
  Channel writer_ = Channel::attach(path_);
  std::vector<std::byte> bytes_;
};

TEST_F(ChannelTest, RecordsOfAllSizesComeInOrderThroughARingThatWraps) {
  constexpr std::uint64_t kRecords = 4000;
  std::jthread producer([&] {
    for (std::uint64_t i = 0; i < kRecords; ++i) writer_.write(record(i));
  });
  for (std::uint64_t i = 0; i < kRecords; ++i) {
    while (!reader_.read(bytes_))
      if (reader_.waiting() && reader_.is_read()) reader_.answer();
    ASSERT_EQ(bytes_, record(i)) << i;
  }
  EXPECT_GT(reader_.header().tail.load(), 100 * kRing);
  EXPECT_FALSE(reader_.read(bytes_));
}

TEST_F(ChannelTest, AProducerWaitsUntilAllOfAFullRingIsRead) {
  const std::vector<std::byte> large(1020);  // four fill the ring with their sizes
  std::atomic<int> written{0};
  std::jthread producer([&] {
    for (int i = 0; i < 6; ++i) {
      writer_.write(large);
      ++written;
    }
  });
  ASSERT_TRUE(eventually([&] { return reader_.waiting() == Wants::room; }));
  EXPECT_EQ(written, 4);
  EXPECT_EQ(reader_.header().head.load(), kRing);
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(reader_.is_read());
    ASSERT_TRUE(reader_.read(bytes_));
  }
  EXPECT_TRUE(reader_.is_read());
  EXPECT_EQ(written, 4) << "how fast the reader is must not show";
  reader_.answer();
  EXPECT_TRUE(eventually([&] { return written == 6; }));
  EXPECT_EQ(reader_.waiting(), std::nullopt);
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(reader_.read(bytes_));
}

TEST_F(ChannelTest, RefusesWhatDoesNotFit) {
  EXPECT_NO_THROW(writer_.write(std::vector<std::byte>(kRing - 4)));
  EXPECT_THROW(writer_.write(std::vector<std::byte>(kRing - 3)), model::ToolError);
  EXPECT_NO_THROW(writer_.set_request(std::string(ChannelHeader::kRequestSize, 'x')));
  EXPECT_THROW(writer_.set_request(std::string(ChannelHeader::kRequestSize + 1, 'x')),
               model::ToolError);
}

TEST_F(ChannelTest, HandsOverTheRequest) {
  reader_.set_request("first, longer");
  reader_.set_request("second");
  EXPECT_EQ(writer_.request(), "second");
  reader_.header().magic.store(1);
  EXPECT_THROW(static_cast<void>(writer_.request()), model::ToolError);
}

TEST_F(ChannelTest, ForgetsRecordsForANewWorker) {
  writer_.write(record(1));
  reader_.forget_records();
  EXPECT_FALSE(reader_.read(bytes_));
  writer_.write(record(2));
  ASSERT_TRUE(reader_.read(bytes_));
  EXPECT_EQ(bytes_, record(2));
}

TEST_F(ChannelTest, NoticesARecordLongerThanWhatWasWritten) {
  writer_.write(std::vector<std::byte>(100));
  reader_.header().head.store(50);
  EXPECT_THROW(reader_.read(bytes_), model::ToolError);
}

TEST_F(ChannelTest, SurvivesItsWriter) {
  {
    Channel other = Channel::attach(path_);
    other.write(record(5));
  }
  ASSERT_TRUE(reader_.read(bytes_));
  EXPECT_EQ(bytes_, record(5));
}

/// What the operation throws.
template <class Operation>
std::string error_of(Operation&& operation) {
  try {
    operation();
  } catch (const model::ToolError& error) {
    return error.what();
  }
  return "nothing";
}

TEST(ChannelFile, IsNamedInErrors) {
  const TemporaryFolder folder;
  const std::string small = folder.write("small", "x");
  using ::testing::StartsWith;
  EXPECT_THAT(error_of([&] { Channel::attach(folder.file("none")); }),
              StartsWith(folder.file("none") + ": cannot be opened"));
  EXPECT_THAT(error_of([&] { Channel::attach(small); }), StartsWith(small + ": too small"));
  EXPECT_THAT(error_of([&] { Channel::create(small + "/channel", kSmall); }),
              StartsWith(small + "/channel: cannot be written"));
}

}  // namespace
}  // namespace mrproof::conformance
