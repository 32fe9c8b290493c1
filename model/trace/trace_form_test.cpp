// The text of every verb: each kind of line is read and printed as it stands here.
#include "model/trace/trace_form.hpp"

#include <gtest/gtest.h>

#include <set>

#include "model/trace/test_steps.hpp"

namespace mrproof::model {
namespace {

constexpr const char* kHead = "# mrproof trace v1\n";

Step read(const std::string& line) {
  const Trace trace = parse_trace(kHead + line + "\n", "text");
  return trace.steps.at(0);
}

std::string print(const Step& step) {
  const auto result = print_result(step);
  return print_call(step) + (result.empty() ? "" : " -> " + result);
}

const std::vector<std::string>& lines() {
  static const std::vector<std::string> all{
      "pd0 = alloc_pd() -> ok",
      "dealloc_pd(pd3) -> refused EBUSY",
      "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok lkey=0x100 rkey=0x200",
      "mr0 = reg_mr_iova(pd0, buf0+0, 4096, 0x10000, LOCAL_WRITE) -> ok lkey=0x1 rkey=0x0",
      "mr0 = reg_mr_iova(pd0, buf0+0, 4096, buf1+8, 0) -> refused EINVAL",
      "mr7 = reg_mr_ex(pd0, buf0+0, 4096, 0x10000, ON_DEMAND) -> ok lkey=0x1 rkey=0x1",
      "mr0 = reg_dmabuf_mr(pd0, 0, 4096, 0x10000, LOCAL_WRITE) -> ok lkey=0x1 rkey=0x1",
      "mr0 = alloc_null_mr(pd0) -> ok lkey=0x1 rkey=0x0",
      "mr1 = reg_shared_mr(pd0, mr0, LOCAL_WRITE) -> ok lkey=0x1 rkey=0x1",
      ("rereg_mr(mr0, CHANGE_TRANSLATION|CHANGE_PD|CHANGE_ACCESS, pd1, buf1+0, 4096, LOCAL_WRITE) "
       "-> ok lkey=0x1 rkey=0x2"),
      "rereg_mr(mr0, CHANGE_PD|0x18, pd1, 0x0, 0, 0) -> refused ERR_CMD EOPNOTSUPP",
      "rereg_mr(mr0, 0, pd1, 0x0, 0, 0) -> refused ERR_INPUT errno=0",
      "rereg_mr(mr0, 0, pd1, 0x0, 0, 0) -> refused ERR_DONT_FORK_NEW ENOMEM",
      "rereg_mr(mr0, 0, pd1, 0x0, 0, 0) -> refused ERR_DO_FORK_OLD errno=5000",
      "rereg_mr(mr0, 0, pd1, 0x0, 0, 0) -> refused ERR_DO_FORK_OLD ENOMEM lkey=0x1 rkey=0x2",
      "rereg_mr(mr0, 0, pd1, 0x0, 0, 0) -> refused ERR_CMD_AND_DO_FORK_NEW EINVAL",
      "rereg_mr(mr0, 0, pd1, 0x0, 0, 0) -> refused EINVAL",
      "rereg_mr(mr0, 0, pd1, 0x0, 0, 0) -> refused errno=-6 EINVAL timed_out",
      "dereg_mr(mr0) -> ok",
      "advise_mr(pd0, PREFETCH, FLUSH, mr0.lkey, buf0+0, 64 + mr1.lkey, buf1+0, 8) -> ok",
      "advise_mr(pd0, PREFETCH_WRITE, 0, mr0.lkey, buf0+0, 64) -> refused EPERM",
      "advise_mr(pd0, PREFETCH_NO_FAULT, FLUSH|0x80, mr0.lkey, buf0+0, 64) -> refused EBADF",
      "advise_mr(pd0, 77, 0x2, mr0.lkey, buf0+0, 64) -> refused EOPNOTSUPP",
      "mw0 = alloc_mw(pd0, TYPE_1) -> ok rkey=0x300",
      "mw3 = alloc_mw(pd0, TYPE_2) -> ok",
      "dealloc_mw(mw0) -> ok",
      "bind_mw(qp0, mw0, mr0, buf0+0, 4096, REMOTE_READ) -> SUCCESS rkey=0x301 qp=RTS peer=RTS",
      "bind_mw(qp0, mw0, mr0, buf0+0, 4096, REMOTE_READ) -> refused EINVAL",
      "post_bind_mw(qp0, mw0, mw0.rkey^0x1, mr0, buf0+0, 4096, REMOTE_READ) -> SUCCESS rkey=0x302",
      "post_bind_mw(qp0, mw0, 0x305, mr0, buf0+0, 0, 0) -> MW_BIND_ERR qp=ERR peer=RTS mismatch",
      "local_inv(qp0, mw0.rkey) -> SUCCESS qp=RTS",
      "local_inv(qp0, mw0.old_rkey^0x80) -> LOC_ACCESS_ERR qp=ERR",
      "post_recv(qp1, mr0.lkey, buf0+128, 64) -> ok",
      "post_recv(qp1, mr0.lkey, buf0+128, 64 + mr2.lkey, buf2+0, 8) -> ok",
      "send(qp0, mr0.lkey, buf0+0, 64) -> SUCCESS peer_receive=SUCCESS received=64",
      "send(qp0, mr0.lkey, buf0+0, 64 + 0x7, 0x0, 8) -> LOC_PROT_ERR own_receive=WR_FLUSH_ERR",
      "send_with_inv(qp0, mr0.lkey, buf0+0, 64, mw0.rkey) -> SUCCESS",
      "rdma_write(qp0, mr0.lkey, buf0+0, 64, mr1.rkey, buf1+0) -> SUCCESS bytes buf1+64=2a2b",
      "rdma_write(qp0, mr0.lkey, buf0+0, 64 + mr2.lkey, buf2+0, 8, mr1.rkey, buf1+0) -> SUCCESS",
      "rdma_write_with_imm(qp0, mr0.lkey, buf0+0, 64, mr1.rkey, buf1+0, SOLICITED) -> SUCCESS",
      "rdma_read(qp0, mr0.old_lkey, buf0+0, 64, mr1.old_rkey^0x2, buf1-1) -> REM_ACCESS_ERR",
      "atomic_fetch_and_add(qp0, mr0.lkey, buf0+0, 8, mr1.rkey, buf1+0, 5) -> SUCCESS",
      "atomic_cmp_and_swp(qp0, mr0.lkey, buf0+0, 8, mr1.rkey, buf1+0, 5, 6) -> SUCCESS",
      "query_qp(qp0) -> ok qp=RTS",
      "query_qp(qp0) -> ok qp=RTS access=REMOTE_WRITE|REMOTE_READ",
      "query_qp(qp0) -> ok qp=RTS access=0",
      "modify_qp(qp0, REMOTE_WRITE|REMOTE_READ) -> ok",
      "modify_qp(qp0, 0) -> refused EINVAL",
      "connect(qp0) -> ok",
      "destroy_qp(qp0) -> ok",
      "fill(buf3+0, 16384, 255)",
      "protect(buf3+4096, 4096, NONE)",
      "protect(buf3+4096, 8192, READ) -> ok",
      "protect(buf3+16384, 0, WRITE) -> ok",
  };
  return all;
}

TEST(TraceForm, EveryKindOfLineKeepsItsText) {
  std::set<Verb> seen;
  for (const auto& line : lines()) {
    const Step step = read(line);
    EXPECT_EQ(print(step), line);
    seen.insert(step.call.verb);
  }
  EXPECT_EQ(seen.size(), kVerbs);
}

TEST(TraceForm, EveryStepIsReadBack) {
  Random random(7);
  for (std::size_t verb = 0; verb < kVerbs; ++verb) {
    for (int round = 0; round < 400; ++round) {
      const Step step = testing::random_step(static_cast<Verb>(verb), random);
      const std::string line = print(step);
      const Step again = read(line);
      ASSERT_TRUE(testing::same(step, again));
      ASSERT_EQ(again.keys_seen, step.keys_seen) << line;
      ASSERT_EQ(print(again), line);
    }
  }
}

TEST(TraceForm, EveryArgumentBelongsToAVerb) {
  std::set<Argument> used;
  for (std::size_t verb = 0; verb < kVerbs; ++verb) {
    const Form form = form_of(static_cast<Verb>(verb));
    used.insert(form.target);
    used.insert(form.arguments.begin(), form.arguments.end());
    EXPECT_EQ(form.target == Argument::mr, makes_region(static_cast<Verb>(verb)));
  }
  EXPECT_EQ(used.size(), static_cast<std::size_t>(Argument::seed) + 1);
}

TEST(TraceForm, ArgumentsGoWhereTheCallHasThem) {
  const auto rereg = read("rereg_mr(mr2, CHANGE_PD, pd1, buf1+4, 5, REMOTE_READ)").call;
  EXPECT_EQ(rereg.mr, 2);
  EXPECT_EQ(rereg.pd, 1);
  EXPECT_EQ(rereg.flags.value(), kChangePd);
  EXPECT_EQ(rereg.length.value(), 5U);
  EXPECT_EQ(rereg.access.value(), kRemoteRead);
  const auto dmabuf = read("mr0 = reg_dmabuf_mr(pd0, 3, 4, 0x5, 0)").call;
  EXPECT_EQ(dmabuf.address.value(), 3U);
  EXPECT_EQ(dmabuf.iova.value(), 5U);
  const auto shared = read("mr1 = reg_shared_mr(pd0, mr3, 0)").call;
  EXPECT_EQ(shared.mr, 1);
  EXPECT_EQ(shared.source, 3);
  const auto atomic = read("atomic_cmp_and_swp(qp0, 0x1, 0x2, 8, 0x3, 0x4, 5, 6)").call;
  EXPECT_EQ(atomic.remote.value(), 4U);
  EXPECT_EQ(atomic.operand.value(), 5U);
  EXPECT_EQ(atomic.swap.value(), 6U);
  const Step two = read("send(qp0, 0x1, 0x2, 3 + mr4.lkey, 0x5, 6)");
  EXPECT_EQ(two.call.elements, 2);
  EXPECT_EQ(two.call.length.value(), 3U);
  EXPECT_EQ(two.call.second.address.value(), 5U);
  EXPECT_EQ(two.call.second.length.value(), 6U);
  EXPECT_EQ(two.second, (KeyName{KeyName::Kind::lkey, 4, 0, 0}));
  EXPECT_EQ(read("advise_mr(pd0, 2, 0, 0x1, 0x2, 3)").call.option, kPrefetchNoFault);
  EXPECT_EQ(read("mw1 = alloc_mw(pd0, TYPE_2)").call.option, kTypeTwo);
}

TEST(TraceForm, AReregistrationTellsCodeAndErrno) {
  const auto refused = [](const std::string& why) {
    return read("rereg_mr(mr0, 0, pd0, 0x0, 0, 0) -> refused " + why).result;
  };
  EXPECT_EQ(refused("ERR_CMD EPERM").error.value(), kErrCmd);
  EXPECT_EQ(refused("ERR_CMD EPERM").reason.value(), 1U);
  EXPECT_EQ(refused("ERR_CMD_AND_DO_FORK_NEW errno=0").error.value(), kErrCmdAndDoForkNew);
  EXPECT_EQ(refused("EPERM").error.value(), 1U);
  EXPECT_EQ(refused("EPERM").reason.value(), 0U);
}

}  // namespace
}  // namespace mrproof::model
