#include "conformance/report/repro.hpp"

#include <gmock/gmock.h>

#include <sstream>

#include "conformance/report/repro_writer.hpp"
#include "model/testing/test_files.hpp"
#include "model/trace/trace_dialect.hpp"

namespace mrproof::conformance {
namespace {

using namespace model;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string program_of(const std::string& steps) {
  const std::string text =
      "# mrproof trace v1\n"
      "# What it is about. */ ?"
      "?/\n"
      "given capabilities(REMOTE_ATOMIC|MW_BIND, 8388608, "
      "MW_TYPE_1|MW_TYPE_2B|MEM_MGT_EXTENSIONS)\n"
      "given pd0\n"
      "given pd1\n"
      "given qp0(pd0) <-> qp1(pd0)\n" +
      steps;
  return repro_program(
      gather_evidence(model::parse_trace(text, "a.mrt"), linux_rulebook(), "a.mrt"));
}

TEST(Repro, NumbersAndFlagsAreWrittenAsCUnderstandsThem) {
  EXPECT_EQ(number(4096), "4096");
  EXPECT_EQ(number(~std::uint64_t{0}), "0xffffffffffffffff");
  EXPECT_EQ(c_access(0), "0");
  EXPECT_EQ(c_access(kLocalWrite | kFlushGlobal), "IBV_ACCESS_LOCAL_WRITE | 0x100");
  EXPECT_EQ(c_access(1U << 31U), "(int)0x80000000");
}

TEST(Repro, LongStatementsAreWrapped) {
  const std::string argument = "a_rather_long_argument, ";
  const auto text = wrapped("call(" + argument + argument + argument + argument + "last);", 4);
  EXPECT_THAT(text, ContainsRegex("^    call\\(.*,\n        [a-z].*last\\);\n$"));
}

TEST(Repro, MakesOnlyWhatTheTraceNeeds) {
  const auto program = program_of("mr0 = reg_mr(pd1, buf1+0, 8, 0) -> refused EINVAL\n");
  EXPECT_THAT(program, HasSubstr("ibv_reg_mr(pd1, (void *)BUF1, 8, 0)"));
  for (const char* unused : {"pd0", "qp0", "BUF0", "make_qp", "completion("})
    EXPECT_THAT(program, Not(HasSubstr(unused)));
}

/// It happens now and then, so the program tries as often as the trace says.
TEST(Repro, ARaceIsTriedAgainAndAgain) {
  const std::string race =
      "given rounds(7)\nmr0 = reg_mr(pd1, buf1+0, 8, 0) -> refused EINVAL\n";
  EXPECT_THAT(program_of(race), HasSubstr("\n    in_rounds(7);\n    alarm(60);\n"));
  EXPECT_THAT(program_of(race.substr(race.find('\n') + 1)), Not(HasSubstr("in_rounds")));
}

/// The status that is due to a busy machine elsewhere is what the trace is about.
TEST(Repro, TransportThatGivesUpIsAFindingWhereTheTraceSaysSo) {
  const std::string steps =
      "mr0 = reg_mr(pd0, buf0+0, 16, LOCAL_WRITE|REMOTE_READ) -> ok\n"
      "rdma_read(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+8) -> ";
  EXPECT_THAT(program_of(steps + "SUCCESS\n"), HasSubstr("the transport gave up"));
  const std::string shown =
      "RETRY_EXC_ERR qp=ERR peer=ERR\n! deviates rdma_read.retry_exc_err status peer_ready\n";
  EXPECT_THAT(program_of("given capabilities(0, 8388608, LOSSLESS)\n" + steps + shown),
              Not(HasSubstr("the transport gave up")));
}

/// What is due are the bytes of the moment at which it was posted, whatever memory holds later.
TEST(Repro, BytesThatWereTakenAlongAreWrittenOut) {
  const auto program = program_of(
      "mr0 = reg_mr(pd0, buf1+0, 64, LOCAL_WRITE|REMOTE_WRITE) -> ok\n"
      "fill(buf0+0, 4, 1) -> ok\n"
      "a: rdma_write(qp0, 0x0, buf0+0, 4, mr0.rkey, buf1+0, INLINE) -> posted\n"
      "fill(buf0+0, 4, 9) -> ok\n"
      "a -> SUCCESS qp=RTS peer=RTS bytes buf1+0=00000000\n");
  EXPECT_THAT(program, HasSubstr(".cap = {16, 16, 2, 2, 32}"));
  EXPECT_THAT(program, HasSubstr("send_flags = IBV_SEND_INLINE"));
  EXPECT_THAT(program, ContainsRegex("memcpy\\(wanted\\(BUF1\\), \"(\\\\[0-7]{3}){4}\", 4\\)"));
}

TEST(Repro, CommentsCannotEndEarly) {
  const auto program = program_of("mr0 = reg_mr(pd1, buf1+0, 8, 0) -> ok\n");
  EXPECT_THAT(program, HasSubstr("/* What it is about. * / ? ?/"));
}

TEST(Repro, KeysOfWhatIsDeadAreKept) {
  const auto program = program_of(
      "mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE) -> ok\n"
      "mr1 = reg_mr(pd0, buf1+0, 8, LOCAL_WRITE|REMOTE_READ) -> ok\n"
      "dereg_mr(mr1) -> ok\n"
      "rdma_read(qp0, mr0.lkey, buf0+0, 8, mr1.rkey, buf1+0) -> SUCCESS qp=RTS peer=RTS\n");
  EXPECT_THAT(program, ContainsRegex("mr1_rkey = mr1->rkey;\n *NEED\\(!ibv_dereg_mr\\(mr1\\)"));
  EXPECT_THAT(program, HasSubstr(".rkey = mr1_rkey"));
  EXPECT_THAT(program, HasSubstr("verdict(got == IBV_WC_REM_ACCESS_ERR, got)"));
}

TEST(Repro, CallsThatOverlapAreMadeByThreads) {
  const auto program = program_of(
      "a: mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE) -> begun\n"
      "after 7 us: b: mr1 = reg_mr(pd0, buf1+0, 8, LOCAL_WRITE) -> begun\n"
      "a -> ok lkey=0x100 rkey=0x100\n"
      "b -> ok lkey=0x100 rkey=0x100\n");
  EXPECT_THAT(program, HasSubstr("static struct ibv_mr *mr[2];"));
  EXPECT_THAT(program, ContainsRegex("static void \\*call_2\\(void \\*unused\\)\n\\{\n.*\n"
                                     "    wait_for\\(2, 1, 7\\);"));
  EXPECT_THAT(program, HasSubstr("begun[2].call = call_2;"));
  EXPECT_THAT(program, HasSubstr("cc -std=c11 -o repro repro.c -libverbs -pthread && ./repro"));
  EXPECT_THAT(program, HasSubstr("return verdict(!(ended[1] == 0 && ended[2] == 0 && "
                                 "mr[1]->lkey == mr[0]->lkey), got);"));
}

TEST(Repro, ResultsOfAnEarlierOverlapHaveToComeAgain) {
  const auto program = program_of(
      "mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE) -> ok\n"
      "a: dereg_mr(mr0) -> begun\n"
      "b: pd2 = alloc_pd() -> begun\n"
      "a -> ok\n"
      "b -> ok\n"
      "mr1 = reg_mr(pd2, buf0+0, 8, 0) -> refused EINVAL\n");
  EXPECT_THAT(program, ContainsRegex("returned\\(1\\);\n.*step = .*\n    returned\\(2\\);\n"
                                     "    NEED\\(ended\\[1\\] == 0\\);\n"
                                     "    NEED\\(ended\\[2\\] == 0\\);"));
  EXPECT_THAT(program, HasSubstr("static struct ibv_context *context;"));
}

TEST(Repro, KeysBeforeABindAreKept) {
  const auto program = program_of(
      "mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE|MW_BIND) -> ok\n"
      "mw0 = alloc_mw(pd0, TYPE_1) -> ok rkey=0x700\n"
      "bind_mw(qp1, mw0, mr0, buf0+0, 8, REMOTE_READ) -> SUCCESS rkey=0x701\n"
      "rdma_read(qp0, mr0.lkey, buf0+0, 1, mw0.old_rkey, buf0+4) -> SUCCESS qp=RTS peer=RTS\n");
  EXPECT_THAT(program, ContainsRegex("uint32_t mw0_old_rkey = mw0->rkey;\n    (int )?got = bind"));
  EXPECT_THAT(program, HasSubstr(".rkey = mw0_old_rkey"));
}

TEST(Repro, ADetailIsAskedForBesideTheOutcome) {
  const auto program = program_of(
      "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\n"
      "post_recv(qp1, mr0.lkey, buf0+0, 1) -> ok\n"
      "send(qp0, mr0.lkey, buf0+1, 1) -> REM_OP_ERR qp=ERR peer=ERR peer_receive=LOC_QP_OP_ERR\n");
  EXPECT_THAT(program, HasSubstr("if (got != IBV_WC_REM_OP_ERR)\n        return verdict(0, got);"));
  EXPECT_THAT(program, HasSubstr("return verdict(received == IBV_WC_LOC_PROT_ERR, got);"));
}

TEST(Repro, AnotherFaultOfTheSameStepIsNotTakenForThisOne) {
  const std::string read =
      "mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE) -> ok\n"
      "rdma_read(qp0, mr0.lkey, buf0+0, 8, mr0.rkey, buf0+0)";
  const auto accepted = program_of(read + " -> SUCCESS qp=RTS peer=RTS\n");
  EXPECT_THAT(accepted, HasSubstr("if (got != IBV_WC_SUCCESS && got != IBV_WC_REM_ACCESS_ERR)\n"
                                  "        return another(got);"));
  const auto hangs = program_of(read + "\n! hang rdma_read.none none remote_right\n");
  EXPECT_THAT(hangs, HasSubstr("if (got != IBV_WC_REM_ACCESS_ERR)\n        return another(got);"));
  const auto status = program_of(read + " -> REM_OP_ERR qp=ERR peer=ERR\n");
  EXPECT_THAT(status, Not(HasSubstr("another"))) << "there it is the status that is wrong";
}

TEST(Repro, WhatSaysNothingOfTheDeviceIsNoDeviation) {
  const auto program = program_of("mr0 = reg_mr(pd1, buf1+0, 8, 0) -> refused EINVAL\n");
  EXPECT_THAT(program, HasSubstr("got == REFUSED && (errno == ENOMEM || errno == EAGAIN)"));
}

TEST(Repro, StepsBehindARefusedReregistrationNeedItsCode) {
  const std::string before = "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE) -> ok\n";
  const std::string after = "dereg_mr(mr0) -> refused EINVAL\n";
  const auto moved = program_of(before +
                                "protect(buf0+0, 4096, NONE)\n"
                                "rereg_mr(mr0, CHANGE_TRANSLATION, pd0, buf1+0, 4096, 0)"
                                " -> refused ERR_DO_FORK_OLD ENOMEM\n" +
                                after);
  EXPECT_THAT(moved, HasSubstr("NEED(got == IBV_REREG_MR_ERR_DO_FORK_OLD);"));
  const auto changed = program_of(before +
                                  "rereg_mr(mr0, CHANGE_ACCESS, pd0, buf0+0, 4096, REMOTE_WRITE)"
                                  " -> refused ERR_CMD EINVAL\n" +
                                  after);
  EXPECT_THAT(changed, HasSubstr("NEED(got == IBV_REREG_MR_ERR_CMD);"));
}

TEST(Repro, ARefusalThatIsWrongInADetailIsNotTakenForAMissingFeature) {
  const auto program = program_of(
      "mr0 = reg_mr(pd0, buf0+0, 64, ON_DEMAND) -> ok\n"
      "advise_mr(pd0, PREFETCH, FLUSH, mr0.lkey, buf0+0, 64) -> refused EINVAL\n");
  EXPECT_THAT(program, Not(HasSubstr("if (got == REFUSED)\n        cannot_run")));
  EXPECT_THAT(program, HasSubstr("if (errno == EOPNOTSUPP || errno == ENOSYS)"));
}

TEST(Repro, ClaimsThatDecideAreAskedFor) {
  const auto refused = program_of("mr0 = reg_mr(pd1, buf1+0, 8, MW_BIND) -> refused EINVAL\n");
  EXPECT_THAT(refused, ContainsRegex("NEED\\(can.orig_attr.device_cap_flags &"));
  const auto made = program_of("mr0 = reg_mr(pd1, buf1+0, 8, 0) -> refused EINVAL\n");
  EXPECT_THAT(made, Not(HasSubstr("device_cap_flags")));
}

TEST(Repro, OperationsOnDemandAreAskedFor) {
  const auto program = program_of(
      "mr0 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE|ON_DEMAND) -> ok\n"
      "mr1 = reg_mr(pd0, buf1+0, 64, LOCAL_WRITE|REMOTE_READ) -> ok\n"
      "rdma_read(qp0, mr0.lkey, buf0+0, 8, mr1.rkey, buf1+0) -> LOC_PROT_ERR qp=ERR peer=RTS\n");
  EXPECT_THAT(program, HasSubstr("NEED(can.odp_caps.per_transport_caps.rc_odp_caps & "
                                 "IBV_ODP_SUPPORT_READ);"));
  EXPECT_THAT(program, Not(HasSubstr("IBV_ODP_SUPPORT_WRITE")));
}

TEST(Repro, TheConnectionManagerConnectsIfAskedTo) {
  const char* text =
      "# mrproof trace v1\ngiven pd0\ngiven pd1\ngiven qp0(pd0) <-> qp1(pd1)\n"
      "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> ok\n"
      "send(qp0, mr0.lkey, buf0+0, 8) -> SUCCESS\n";
  const auto evidence =
      gather_evidence(model::parse_trace(text, "a.mrt"), linux_rulebook(), "a.mrt");
  const auto program = repro_program(evidence, Connecting::rdma_cm);
  EXPECT_THAT(program, HasSubstr("#include <rdma/rdma_cma.h>"));
  EXPECT_THAT(program, HasSubstr("make_pair(pd0, &qp0, pd1, &qp1);"));
  EXPECT_THAT(program, Not(HasSubstr("ibv_modify_qp")));
  EXPECT_EQ(repro_command(program),
            "cc -std=c11 -o repro repro.c -libverbs -lrdmacm && ./repro DEVICE ADDRESS");
  EXPECT_EQ(repro_command(repro_program(evidence)),
            "cc -std=c11 -o repro repro.c -libverbs && ./repro DEVICE");
}

constexpr const char* kOverIwarp =
    "# mrproof trace v1\ngiven capabilities(0, 4294967295, IWARP)\ngiven pd0\n"
    "given qp0(pd0) <-> qp1(pd0)\n";
constexpr const char* kTerminated =
    "rdma_write(qp0, 0x7, buf0+0, 8, 0x7, buf1+0) -> TERMINATED qp=ERR peer=ERR\n";

std::string iwarp_program_of(const std::string& steps) {
  const auto trace = model::parse_trace(kOverIwarp + steps, "a.mrt");
  return repro_program(gather_evidence(trace, linux_rulebook(), "a.mrt"));
}

TEST(Repro, EndsOfAConnectionThatIsOverDisconnectBeforeMoreIsAskedOfThem) {
  const std::string next = "rdma_write(qp0, 0x7, buf0+0, 0, 0x7, buf1+0) -> refused errno=-1\n";
  const auto program = iwarp_program_of(kTerminated + next);
  EXPECT_THAT(program, HasSubstr("NEED(got == TERMINATED);\n    NEED(ended(qp0));\n"
                                 "    NEED(ended(qp1));\n"));
  EXPECT_THAT(program, ContainsRegex("DISCONNECTED\\);\n +rdma_disconnect\\(id\\);"));
  EXPECT_THAT(program, HasSubstr("attr.qp_context = id;"));
  EXPECT_THAT(program, Not(HasSubstr("ibv_query_qp"))) << "the connection tells, not the state";
  const auto destroyed = iwarp_program_of("destroy_qp(qp1) -> ok\n" + next);
  EXPECT_THAT(destroyed, HasSubstr("NEED(!ibv_destroy_qp(qp1));\n    NEED(ended(qp0));\n\n"));
}

TEST(Repro, WhereNothingIsAskedOfTheEndsTheConnectionIsLeftAlone) {
  for (const std::string after : {"", "mr0 = reg_mr(pd0, buf0+0, 8, 0) -> refused EINVAL\n"})
    EXPECT_THAT(iwarp_program_of(kTerminated + after), Not(HasSubstr("rdma_disconnect"))) << after;
  const auto other_fabric = program_of(
      "rdma_write(qp0, 0x7, buf0+0, 8, 0x7, buf1+0) -> LOC_PROT_ERR qp=ERR peer=RTS\n"
      "send(qp0, 0x7, buf0+0, 0) -> SUCCESS qp=ERR peer=RTS\n");
  EXPECT_THAT(other_fabric, HasSubstr("NEED(settled(qp0) == IBV_QPS_ERR);"));
  EXPECT_THAT(other_fabric, Not(HasSubstr("rdma_disconnect")));
}

TEST(Repro, AReceiveOverIwarpIsFlushedByTheDisconnect) {
  const auto program = iwarp_program_of(
      "mr0 = reg_mr(pd0, buf0+0, 8, LOCAL_WRITE) -> ok\n"
      "post_recv(qp0, mr0.lkey, buf0+0, 8) -> ok\n"
      "rdma_write(qp0, 0x7, buf0+0, 8, 0x7, buf1+0) -> TERMINATED qp=ERR peer=ERR "
      "own_receive=SUCCESS\n");
  EXPECT_THAT(program, HasSubstr("NEED(ended(qp0));\n    int own_received = completion("));
}

TEST(Repro, SaysThatItIsOneProcess) {
  const auto program = [](const std::string& whose) {
    const std::string text = "# mrproof trace v1\ngiven pd0" + whose +
                             "\nmr0 = reg_mr(pd0, buf0+0, 8, 0) -> refused EINVAL\n";
    return repro_program(
        gather_evidence(model::parse_trace(text, "a.mrt"), linux_rulebook(), "a.mrt"));
  };
  EXPECT_THAT(program(" in process 1"), HasSubstr("The trace has pd0 in another process"));
  EXPECT_THAT(program(""), Not(HasSubstr("in another process")));
}

TEST(Repro, WhatRepeatsIsALoop) {
  const auto program = program_of(
      "mr0 = reg_mr(pd0, buf0+0, 64, LOCAL_WRITE) -> ok\n"
      "repeat 1000\n"
      "mr8+i = reg_mr(pd0, buf1+0, 64, LOCAL_WRITE|REMOTE_WRITE) -> ok\n"
      "rdma_write(qp0, mr0.lkey, buf0+0, 8, mr8+i.rkey, buf1+8) -> SUCCESS\n"
      "end\n"
      "repeat 500\n"
      "dereg_mr(mr8+i) -> ok\n"
      "end\n"
      "rdma_write(qp0, mr0.lkey, buf0+0, 8, mr9.rkey, buf1+8) -> SUCCESS\n");
  EXPECT_THAT(program, HasSubstr("static struct ibv_mr *mr[1008];"));
  EXPECT_THAT(program, HasSubstr("static uint32_t mr_rkey[1008];"));
  // `got` is declared by the first round, which therefore stands before the loop.
  EXPECT_THAT(program, HasSubstr("    for (unsigned i = 0; i < 999; ++i) {\n"
                                 "        step = in_round(\"4+2*i: mr9+i = reg_mr("));
  EXPECT_THAT(program, HasSubstr("        mr[9 + i] = ibv_reg_mr(pd0, (void *)BUF1, 64, "));
  EXPECT_THAT(program, HasSubstr("mr[9 + i]->rkey"));
  EXPECT_THAT(program, HasSubstr("mr_rkey[9] = mr[9]->rkey"));
  EXPECT_THAT(program, HasSubstr("step = in_round(\"2004+i: dereg_mr(mr10+i)\", i);"));
  EXPECT_THAT(program, HasSubstr("step = \"2502: rdma_write"));
  EXPECT_LT(std::count(program.begin(), program.end(), '\n'), 220);
}

TEST(Repro, EveryScenarioIsAReadableProgram) {
  for (const auto& file : model::testing::scenario_files()) {
    const model::Trace trace = model::load_trace(file);
    const Evidence evidence = gather_evidence(trace, model::book_of(trace, "", file), file);
    std::istringstream program(repro_program(evidence));
    std::size_t number = 0;
    for (std::string line; std::getline(program, line); ++number)
      EXPECT_LE(line.size(), 100U) << file << ": " << line;
    EXPECT_LT(number, 300U) << file;
  }
}

}  // namespace
}  // namespace mrproof::conformance
