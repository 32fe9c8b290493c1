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

TEST(VerbsOptions, RefuseWhatIsNoneOfTheirs) {
  for (const char* words :
       {"slow", "gid", "gid=", "gid=x", "gid=-1", "gid=256", "port=2x", "fork+=1"})
    EXPECT_FALSE(VerbsOptions{}.take(words)) << words;
}

}  // namespace
}  // namespace mrproof::impl
