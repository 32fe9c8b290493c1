#include "impl/verbs/options.hpp"

#include <gtest/gtest.h>

namespace mrproof::impl {
namespace {

TEST(VerbsOptions, AreTheWordsBehindADevicesName) {
  VerbsOptions options;
  EXPECT_EQ(options.words(), "");
  EXPECT_TRUE(options.take("lossy+gid=0+huge+port=2+fork"));
  EXPECT_TRUE(options.lossy && options.fork_protection && options.huge_pages);
  EXPECT_EQ(options.transport.port, 2);
  EXPECT_EQ(options.transport.gid, 0);
  EXPECT_EQ(options.words(), "@fork+lossy+huge+port=2+gid=0");
}

TEST(VerbsOptions, HaveTimesThatADeviceMayNeed) {
  VerbsOptions options;
  EXPECT_LE(options.gives_up_ms(), options.completion_limit_ms);
  EXPECT_TRUE(options.take("ack-timeout=19+wait=70"));
  EXPECT_EQ(options.completion_limit_ms, 70'000U);
  EXPECT_EQ(options.gives_up_ms(), 4U * 7U * 2147U) << "4.096 us * 2^19, seven tries";
  EXPECT_EQ(options.words(), "@ack-timeout=19+wait=70");
  options.be_brisk();
  EXPECT_EQ(options.words(), "@ack-timeout=19+wait=70") << "what was asked for stays";
  VerbsOptions quick;
  quick.be_brisk();
  EXPECT_EQ(quick.words(), "");
  EXPECT_LE(quick.gives_up_ms(), quick.completion_limit_ms);
}

TEST(VerbsOptions, RefuseWhatIsNoneOfTheirs) {
  for (const char* words :
       {"slow", "gid", "gid=", "gid=x", "gid=-1", "gid=256", "port=2x", "fork+=1",
        "ack-timeout=0", "ack-timeout=32", "wait=0", "wait=1s", "wait=86401"})
    EXPECT_FALSE(VerbsOptions{}.take(words)) << words;
}

}  // namespace
}  // namespace mrproof::impl
