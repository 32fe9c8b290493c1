#include "specs/explain/explain.hpp"

#include <gmock/gmock.h>

#include "model/trace/tool_error.hpp"
#include "model/trace/trace_dialect.hpp"

namespace mrproof::specs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string told(const std::string& steps) {
  const model::Trace trace = model::parse_trace(
      "# mrproof trace v1\ngiven pd0\ngiven qp0(pd0) <-> qp1(pd0)\n" + steps, "t");
  return explain_trace(trace, model::linux_rulebook(), "t");
}

TEST(Explain, TellsObjectsInWords) {
  const auto text = told(
      "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|MW_BIND) -> ok\n"
      "mw0 = alloc_mw(pd0, TYPE_1) -> ok\n"
      "bind_mw(qp0, mw0, mr0, buf0+64, 128, REMOTE_READ) -> SUCCESS qp=RTS peer=RTS\n"
      "post_recv(qp1, mr0.lkey, buf0+0, 64) -> ok\n"
      "protect(buf1+0, 4096, READ)\n");
  EXPECT_THAT(text, HasSubstr("mr0: in pd0, 4096 bytes at buf0+0, access LOCAL_WRITE|MW_BIND"));
  EXPECT_THAT(text, HasSubstr("bound to mr0: 128 bytes at buf0+64, access REMOTE_READ"));
  EXPECT_THAT(text, HasSubstr("qp1: in pd0, RTS, receive posted: 64 bytes at buf0+0"));
  EXPECT_THAT(text, HasSubstr("buf1: buf1+0 to buf1+4095 read-only"));
}

TEST(Explain, SaysWhyAResultIsAllowedAndWhatElseIs) {
  const auto text = told("mr0 = reg_mr(pd0, buf0+0, 0, LOCAL_WRITE) -> refused EINVAL\n");
  EXPECT_THAT(text, HasSubstr("for the reason that the region would have no bytes"));
  EXPECT_THAT(text, HasSubstr("also allowed here: ok"));
}

TEST(Explain, EndsWithTheBrokenConditions) {
  const auto text = told(
      "mr0 = reg_mr(pd0, buf0-4096, 64, LOCAL_WRITE) -> ok\n"
      "mr1 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE) -> ok\n");
  EXPECT_THAT(text, HasSubstr("broken: memory_mapped: all bytes of the range are mapped"));
  EXPECT_THAT(text, HasSubstr("1 more steps are not judged"));
  EXPECT_THAT(text, Not(HasSubstr("mr1: in")));
}

TEST(TraceDialect, IsTheTracesUnlessAnotherIsAskedFor) {
  model::Trace trace;
  trace.dialect = "mlnx-exp";
  EXPECT_EQ(model::book_of(trace, "", "t").dialect(), "mlnx-exp");
  EXPECT_EQ(model::book_of(trace, "linux", "t").dialect(), "linux");
  trace.dialect = "windows";
  try {
    (void)model::book_of(trace, "", "t.mrt");
    FAIL() << "accepted";
  } catch (const model::ToolError& e) {
    EXPECT_STREQ(e.what(), "t.mrt: no dialect 'windows'; there are: linux, linux-2006, mlnx-exp");
  }
}

}  // namespace
}  // namespace mrproof::specs
