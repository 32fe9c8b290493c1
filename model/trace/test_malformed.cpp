#include "model/trace/test_malformed.hpp"

namespace mrproof::model::testing {
namespace {

/// A trace whose second line, or one after it, is wrong.
std::string after_head(const std::string& lines) { return "# mrproof trace v1\n" + lines; }

/// One line, the second, is wrong.
Malformed line(const char* name, const std::string& text, std::size_t column, const char* word) {
  return {name, after_head(text + "\n"), 2, column, word};
}

/// The third line is wrong.
Malformed third(const char* name, const std::string& second, const std::string& text,
    std::size_t column, const char* word) {
  return {name, after_head(second + "\n" + text + "\n"), 3, column, word};
}

std::vector<Malformed> of_the_file() {
  return {
      {"EmptyFile", "", 1, 1, "empty"},
      {"OtherFirstLine", "# mrproof trace v2\n", 1, 1, "# mrproof trace v1"},
      {"NoFirstLine", "dereg_mr(mr0) -> ok\n", 1, 1, "# mrproof trace v1"},
      {"CutOff", after_head("pd0 = alloc_pd() -> ok"), 2, 23, "cut off"},
      line("CarriageReturn", "pd0 = alloc_pd() -> ok\r", 23, "LF"),
      line("ZeroByte", std::string("# a\0b", 5), 4, "control character"),
      line("EscapeSequence", "# \x1b[31m", 3, "control character"),
      line("EndlessLine", "# " + std::string(70000, 'x'), 1, "65536"),
  };
}

std::vector<Malformed> of_calls() {
  return {
      line("UnknownVerb", "frobnicate(pd0)", 1, "frobnicate"),
      line("NoVerb", "-> ok", 1, "verb"),
      line("NoParenthesis", "dealloc_pd pd0", 12, "'('"),
      line("OpenParenthesis", "dealloc_pd(pd0", 15, "')'"),
      line("NoComma", "mr0 = reg_mr(pd0 buf0+0, 64, 0)", 18, "','"),
      line("MissingArgument", "mr0 = reg_mr(pd0, buf0+0, 64)", 29, "','"),
      line("HandleTooLarge", "dereg_mr(mr1048576)", 10, "mr1048575"),
      line("HandleFarTooLarge", "dereg_mr(mr99999999999999999999)", 10, "mr1048575"),
      line("HandleWithoutNumber", "dereg_mr(mr)", 10, "mr1048575"),
      line("GrowingHandleOutsideARepeat", "dereg_mr(mr0+i)", 13, "repeat N"),
      line("EndOfNothing", "end", 1, "repeat N"),
      line("RepeatOfNothing", "repeat 0", 7, "once at least"),
      line("RepeatWithoutNumber", "repeat", 7, "how often"),
      line("RepeatWithoutEnd", "repeat 3", 1, "'end' is missing"),
      line("HandleOfAnotherKind", "dereg_mr(pd0)", 10, "mrN"),
      line("NoTarget", "reg_mr(pd0, buf0+0, 64, 0)", 1, "mrN ="),
      line("TargetOfNothing", "mr0 = dereg_mr(mr0)", 1, "no other verb"),
      line("TargetOfAnotherKind", "pd0 = reg_mr(pd0, buf0+0, 64, 0)", 1, "mrN ="),
      line("UnknownAccess", "mr0 = reg_mr(pd0, buf0+0, 64, LOCAL_RIGHT)", 31, "LOCAL_RIGHT"),
      line("NoAccess", "mr0 = reg_mr(pd0, buf0+0, 64, )", 31, "access flag"),
      line("NumberTooLarge", "fill(buf3+0, 16385, 1)", 14, "too large"),
      line("NumberBeyond64Bits", "mr0 = reg_mr(pd0, 0x10000000000000000, 64, 0)", 19, "too large"),
      line("NumberWithLetters", "fill(buf0+0, 12q, 1)", 14, "no number"),
      line("NegativeNumber", "fill(buf0+0, -1, 1)", 14, "number"),
      line("HexWithoutDigits", "fill(buf0+0, 0x, 1)", 14, "number"),
      line("NoSuchBuffer", "fill(buf4+0, 1, 1)", 6, "buf3"),
      line("NoOffset", "fill(buf0, 1, 1)", 10, "'+'"),
      line("OffsetTooLarge", "fill(buf0+0x80001, 1, 1)", 11, "too large"),
      line("KeyOfNeitherKind", "post_recv(qp0, mr0.key, buf0+0, 1)", 20, "lkey"),
      line("KeyOfARegion", "post_recv(qp0, mr0, buf0+0, 1)", 19, "'.'"),
      line("KeyTooLarge", "post_recv(qp0, 0x100000000, buf0+0, 1)", 16, "too large"),
      line("MessageTooLong", "send(qp0, 0x1, buf0+0, 0x100000000)", 24, "too large"),
      line("TrailingText", "dereg_mr(mr0) twice", 15, "end of the line"),
  };
}

/// Calls on regions and windows.
std::vector<Malformed> of_memory_calls() {
  const std::string rereg = "rereg_mr(mr0, ";
  const std::string advise = "advise_mr(pd0, ";
  return {
      line("NoIova", "mr0 = reg_mr_iova(pd0, buf0+0, 64, LOCAL_WRITE)", 36, "an address"),
      line("NoAccessAfterIova", "mr0 = reg_mr_ex(pd0, buf0+0, 64, 0x1000)", 40, "','"),
      line("IovaOfARegistrationWithout", "mr0 = reg_mr(pd0, buf0+0, 64, 0x1, 0)", 34,
          "write mrN = reg_mr(pdN, ADDRESS, LENGTH, ACCESS)"),
      line("OffsetThatIsAnAddress", "mr0 = reg_dmabuf_mr(pd0, buf0+0, 64, 0x0, 0)", 26, "offset"),
      line("NullRegionWithRange", "mr0 = alloc_null_mr(pd0, buf0+0, 64)", 24, "')'"),
      line("SharedFromNoRegion", "mr1 = reg_shared_mr(pd0, 0x100, 0)", 26, "mrN"),
      line("NoTargetOfShared", "reg_shared_mr(pd0, mr0, 0)", 1, "mrN ="),
      line("UnknownChange", rereg + "CHANGE_KEY, pd0, 0x0, 0, 0)", 15, "CHANGE_ACCESS"),
      line("AccessAsChange", rereg + "CHANGE_PD|LOCAL_WRITE, pd0, 0x0, 0, 0)", 25, "CHANGE_PD"),
      line("ParameterNotChanged", rereg + "CHANGE_PD, pd1)", 29,
          "write rereg_mr(mrN, CHANGES, pdN, ADDRESS"),
      line("TargetOfReregistration", "mr0 = rereg_mr(mr0, 0, pd0, 0x0, 0, 0)", 1, "no other verb"),
      line("UnknownAdvice", advise + "PREPARE, 0, 0x1, 0x0, 8)", 16, "PREFETCH_NO_FAULT"),
      line("AdviceTooLarge", advise + "256, 0, 0x1, 0x0, 8)", 16, "too large"),
      line("UnknownAdviceFlag", advise + "PREFETCH, RUSH, 0x1, 0x0, 8)", 26, "FLUSH"),
      line("NoElement", advise + "PREFETCH, FLUSH)", 31, "','"),
      line("UnknownWindowType", "mw0 = alloc_mw(pd0, TYPE_3)", 21, "TYPE_1, TYPE_2"),
      line("WindowTypeAsNumber", "mw0 = alloc_mw(pd0, 1)", 21, "TYPE_1, TYPE_2"),
      line("NoTargetOfWindow", "alloc_mw(pd0, TYPE_1)", 1, "mwN ="),
      line("RegionAsWindow", "mr0 = alloc_mw(pd0, TYPE_1)", 1, "mwN ="),
      line("WindowTooLarge", "dealloc_mw(mw1048576)", 12, "mw1048575"),
      line("BindOfARegion", "bind_mw(qp0, mr0, mr0, buf0+0, 64, 0)", 14, "mwN"),
      line("BindWithoutRange", "bind_mw(qp0, mw0, mr0, REMOTE_READ)", 24, "an address"),
      line("PostedBindWithoutKey", "post_bind_mw(qp0, mw0, buf0+0, 64, 0)", 24, "a key"),
      line("UnknownProtection", "protect(buf3+0, 4096, EXECUTE)", 23, "NONE, READ, WRITE"),
      line("TwoProtections", "protect(buf3+0, 4096, READ|WRITE)", 27, "')'"),
      line("ProtectionOfTooMuch", "protect(buf3+0, 0x4001, READ)", 17, "too large"),
  };
}

/// Keys and elements of work requests.
std::vector<Malformed> of_work_requests() {
  const std::string atomic = "atomic_fetch_and_add(qp0, 0x1, buf0+0, 8, 0x2, buf1+0";
  return {
      line("LkeyOfAWindow", "send(qp0, mw0.lkey, buf0+0, 1)", 15, "rkey, old_rkey"),
      line("OldKeyOfNeitherKind", "send(qp0, mr0.old_key, buf0+0, 1)", 15, "old_lkey"),
      line("KeyOfAWindowTooLarge", "local_inv(qp0, mw1048576.rkey)", 16, "mw1048575"),
      line("KeyOfAPd", "local_inv(qp0, pd0.rkey)", 16, "a key"),
      line("FlipOfNothing", "local_inv(qp0, mw0.rkey^)", 25, "bits to flip"),
      line("NothingToInvalidate", "send_with_inv(qp0, 0x1, buf0+0, 1)", 34, "','"),
      line("SendWithRemoteKey", "send(qp0, 0x1, buf0+0, 1, mw0.rkey)", 27, "a form of the request"),
      line("HalfAnElement", "send(qp0, 0x1, buf0+0, 1 + 0x2)", 31, "LKEY, ADDRESS, LENGTH"),
      line("ElementWithoutKey", "send(qp0, 0x1, buf0+0, 1 + buf1+0, 8)", 28, "a key"),
      line("ThreeElements", "send(qp0, 0x1, 0x0, 1 + 0x1, 0x0, 1 + 0x1, 0x0, 1)", 37, "one or two"),
      line("SecondElementTooLong", "post_recv(qp0, 0x1, 0x0, 1 + 0x1, 0x0, 0x100000000)", 40,
          "too large"),
      line("NoOperand", atomic + ")", 54, "','"),
      line("OperandTooLarge", atomic + ", 0x10000000000000000)", 56, "too large"),
      line("OperandThatIsAnAddress", atomic + ", buf0+0)", 56, "an operand"),
      line("CompletionOfNothing", "a -> SUCCESS", 1, "no request of this label is in flight"),
      line("LabelOfNoRequest", "a: post_recv(qp0, 0x1, 0x0, 1)", 1, "calls on objects can overlap"),
      line("EndOfWhatHasBegun", "a: dereg_mr(mr0) -> ok", 21, "'begun'"),
      line("NothingToFollow", "after a: b: dereg_mr(mr0)", 1, "begin one before"),
      third("FollowsWithoutLabel", "a: dereg_mr(mr0) -> begun", "after a: dereg_mr(mr1)", 1,
            "has a label"),
      third("LabelTakenTwice", "a: send(qp0, 0x1, 0x0, 1) -> posted",
          "a: send(qp0, 0x1, 0x0, 1) -> posted", 1, "in flight already"),
      line("LinkedAndWaitedFor", "send(qp0, 0x1, 0x0, 1, LINKED)", 1, "put a label before it"),
      line("DelayOfNothing", "after 0 us: dereg_mr(mr0)", 6, "one microsecond at least"),
      line("DelayInSeconds", "after 1 s: dereg_mr(mr0)", 9, "'us:'"),
      line("DelayOfHours", "after 1000001 us: dereg_mr(mr0)", 7, "too large"),
      third("DelayBeforeACompletion", "a: send(qp0, 0x1, 0x0, 1) -> posted",
          "after 5 us: a -> SUCCESS", 1, "take 'after' away"),
      line("PostedWithAStatus", "a: send(qp0, 0x1, 0x0, 1) -> SUCCESS", 30, "its status comes"),
      line("SwapOfAnAddition", atomic + ", 5, 6)", 59, "a form of the request"),
  };
}

std::vector<Malformed> of_results() {
  const std::string pd = "pd0 = alloc_pd() -> ";
  const std::string mr = "mr0 = reg_mr(pd0, buf0+0, 64, 0) -> ";
  return {
      line("UnknownOutcome", pd + "fine", 21, "fine"),
      line("NoOutcome", pd, 21, "outcome"),
      line("RefusalWithoutErrno", pd + "refused", 28, "errno"),
      line("UnknownErrno", pd + "refused ENOSUCH", 29, "ENOSUCH"),
      line("UnknownDetail", pd + "ok colour=red", 24, "colour"),
      line("UnknownState", "query_qp(qp0) -> ok qp=RTR", 24, "RTS"),
      line("OddDigitOfBytes", pd + "ok bytes buf0+0=abc", 39, "pairs"),
      line("NoDigitsOfBytes", pd + "ok bytes buf0+0=zz", 37, "pairs"),
      line("NoBytes", pd + "ok bytes buf0+0=", 37, "pairs"),
      line("DetailOfAnotherVerb", pd + "ok received=5", 24, "received"),
      line("HalfOfTheKeys", mr + "ok lkey=0x100", 37, "rkey"),
      line("DetailTwice", mr + "ok lkey=0x1 rkey=0x1 lkey=0x2", 58, "lkey"),
  };
}

/// Results of calls on regions and windows.
std::vector<Malformed> of_memory_results() {
  const std::string rereg = "rereg_mr(mr0, 0, pd0, 0x0, 0, 0) -> ";
  const std::string bind = "bind_mw(qp0, mw0, mr0, 0x0, 0, 0) -> ";
  return {
      line("CodeWithoutErrno", rereg + "refused ERR_CMD", 52, "errno=N"),
      line("CodeBesideErrno", rereg + "refused EINVAL ERR_CMD", 52, "unknown errno name 'ERR_CMD'"),
      line("UnknownCode", rereg + "refused ERR_OUTPUT EINVAL", 45, "ERR_CMD"),
      line("CodeOfAnotherVerb", "dereg_mr(mr0) -> refused ERR_CMD EINVAL", 26, "errno name"),
      line("TwoErrnos", "dereg_mr(mr0) -> refused EINVAL EBUSY", 33, "EBUSY"),
      line("HalfTheKeysOfReregistration", rereg + "ok rkey=0x1", 37, "lkey"),
      line("LkeyOfABind", bind + "SUCCESS lkey=0x1 rkey=0x1", 46, "lkey"),
      line("KeyOfAFailedBind", bind + "MW_BIND_ERR rkey=0x1", 38, "only a success"),
      line("KeyOfAnInvalidation", "local_inv(qp0, 0x1) -> SUCCESS rkey=0x1", 32, "rkey"),
      line("KeysOfARefusal", "mr0 = alloc_null_mr(pd0) -> refused EINVAL lkey=0x1 rkey=0x1", 29,
          "only a success"),
  };
}

std::vector<Malformed> of_given_lines() {
  const std::string pd = "given pd0";
  return {
      third("GivenAfterAStep", "pd2 = alloc_pd() -> ok", pd, 1, "before the first step"),
      line("PdOfAPairNotGiven", "given qp0(pd0) <-> qp1(pd0)", 15, "not given"),
      line("NoSuchProcess", "given pd0 in process 2", 22, "0 or 1"),
      line("ProcessMissing", "given pd0 in process", 21, "0 or 1"),
      line("NoSuchHost", "given pd0 on host 2", 19, "0 or 1, a host's"),
      third("NoSuchPair", pd, "given qp0(pd0) <-> qp2(pd0)", 7, "qp0 <-> qp1"),
      third("HalfAPair", pd, "given qp0(pd0)", 15, "'<->'"),
      {"PairOfTwoPairs",
          after_head("given pd0\ngiven qp2(pd0) <-> qp3(pd0)\ngiven qp0(pd0) <-> qp3(pd0)\n"), 4, 7,
          "qp0 <-> qp1"},
      line("CapabilitiesCutShort", "given capabilities(MW_BIND)", 27, "','"),
      line("UnknownFeature", "given capabilities(0, 5, MW_TYPE_9)", 26, "MW_TYPE_2B"),
      line("AccessFlagAsFeature", "given capabilities(0, 5, MW_BIND)", 26, "a feature"),
      line("CapabilitiesTooMany", "given capabilities(0, 5, 0, 0)", 27, "')'"),
      line("DialectWithoutName", "given dialect()", 15, "mlnx-exp"),
      line("DialectInCapitals", "given dialect(Linux)", 15, "mlnx-exp"),
      line("DialectOpen", "given dialect(linux", 20, "')'"),
      third("DialectAfterAStep", "pd2 = alloc_pd() -> ok", "given dialect(linux)", 1,
          "before the first step"),
      line("GuestWithoutProcessors", "given guest(seed 1)", 19, "','"),
      line("GuestOfNoProcessor", "given guest(seed 1, processors 0)", 31, "one processor"),
      line("GuestOfAnotherKind", "given guest(seed 1, processors 2, calm)", 35, "preempt"),
      line("GuestWithNothingOfItsWire", "given guest(seed 1, processors 2, wire)", 39, "loss 5%"),
      line("GuestWithAWireOfCommands", "given guest(seed 1, processors 2, wire loss 1%; halt)", 40,
           "loss 5%"),
      line("RoundsNone", "given rounds(0)", 14, "once at least"),
      line("GivenNothing", "given mr0", 7, "qpN"),
  };
}

std::vector<Malformed> of_annotations() {
  const std::string step = "pd0 = alloc_pd() -> ok";
  return {
      line("AnnotationOfNothing", "! conforms alloc_pd.ok", 2, "no step"),
      third("UnknownVerdict", step, "! splendid alloc_pd.ok", 3, "verdict"),
      third("VerdictWithoutRule", step, "! conforms", 11, "rule"),
      third("DeviationWithoutCondition", step, "! deviates alloc_pd.ok accepted", 12, "conditions"),
      third("DeviationOfNoClass", step, "! deviates alloc_pd.ok wrongly pd_unused", 12, "class"),
      third("ConformsWithClass", step, "! conforms alloc_pd.ok accepted", 12, "only a deviation"),
      third("TooManyWords", step, "! deviates alloc_pd.ok accepted a b", 12, "conditions"),
  };
}

}  // namespace

const std::vector<Malformed>& malformed_traces() {
  static const auto all = [] {
    std::vector<Malformed> list;
    for (const auto& part : {of_the_file(), of_calls(), of_memory_calls(), of_work_requests(),
             of_results(), of_memory_results(), of_given_lines(), of_annotations()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

}  // namespace mrproof::model::testing
