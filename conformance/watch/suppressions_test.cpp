#include "conformance/watch/suppressions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/trace/tool_error.hpp"

namespace mrproof::watch {
namespace {

Finding left(Whose whose, const std::string& place) {
  Finding finding;
  finding.whose = whose;
  finding.name = "exit.PD_left";
  finding.place = place;
  return finding;
}

std::string told(const char* what) {
  return fmt::format("{}; write NAME,program@PLACE or NAME,provider  # reason", what);
}
std::string refusal(const std::string& text) {
  try {
    const Suppressions all(text, "known.txt");
  } catch (const model::ToolError& error) {
    return error.what();
  }
  return "";
}

TEST(Suppressions, NameWhoseMistakeAndWhere) {
  const Suppressions all(
      "# of perftest\n"
      "exit.@(PD|region)_left,program@*ib_write_bw+*  # freed by the kernel\n"
      "exit.*,provider  # anywhere\n",
      "known.txt");
  const auto* reason = all.reason(left(Whose::program, "ib_write_bw+0x12"));
  ASSERT_NE(reason, nullptr);
  EXPECT_EQ(*reason, "freed by the kernel");
  EXPECT_EQ(all.reason(left(Whose::program, "other+0x12")), nullptr);
  EXPECT_NE(all.reason(left(Whose::provider, "other+0x12")), nullptr);
}

TEST(Suppressions, AreRefusedWithFileAndLine) {
  EXPECT_EQ(refusal("\nexit.*,program"), told("known.txt:2: the reason is missing"));
  EXPECT_EQ(refusal("exit.*,nobody # why"),
            told("known.txt:1: the status is neither program nor provider"));
  EXPECT_EQ(refusal(",program # why"), told("known.txt:1: the name is missing"));
  EXPECT_EQ(refusal("a,program@ # why"), told("known.txt:1: the place is empty"));
}

}  // namespace
}  // namespace mrproof::watch
