#include "conformance/test_malformed.hpp"

namespace mrproof::testing {
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
      line("HandleTooLarge", "dereg_mr(mr8)", 10, "mr7"),
      line("HandleFarTooLarge", "dereg_mr(mr99999999999999999999)", 10, "mr7"),
      line("HandleWithoutNumber", "dereg_mr(mr)", 10, "mr7"),
      line("HandleOfAnotherKind", "dereg_mr(pd0)", 10, "mrN"),
      line("NoTarget", "reg_mr(pd0, buf0+0, 64, 0)", 1, "mrN ="),
      line("TargetOfNothing", "mr0 = dereg_mr(mr0)", 1, "no other verb"),
      line("TargetOfAnotherKind", "pd0 = reg_mr(pd0, buf0+0, 64, 0)", 1, "mrN ="),
      line("UnknownAccess", "mr0 = reg_mr(pd0, buf0+0, 64, LOCAL_RIGHT)", 31, "LOCAL_RIGHT"),
      line("NoAccess", "mr0 = reg_mr(pd0, buf0+0, 64, )", 31, "access flag"),
      line("NumberTooLarge", "fill(buf0+0, 8193, 1)", 14, "too large"),
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

std::vector<Malformed> of_given_lines() {
  const std::string pd = "given pd0";
  return {
      third("GivenAfterAStep", "pd2 = alloc_pd() -> ok", pd, 1, "before the first step"),
      line("PdOfAPairNotGiven", "given qp0(pd0) <-> qp1(pd0)", 15, "not given"),
      third("NoSuchPair", pd, "given qp0(pd0) <-> qp2(pd0)", 7, "qp0 <-> qp1"),
      third("HalfAPair", pd, "given qp0(pd0)", 15, "'<->'"),
      {"PairOfTwoPairs",
       after_head("given pd0\ngiven qp2(pd0) <-> qp3(pd0)\ngiven qp0(pd0) <-> qp3(pd0)\n"), 4, 7,
       "qp0 <-> qp1"},
      line("CapabilitiesCutShort", "given capabilities(MW_BIND)", 27, "','"),
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
    for (const auto& part :
         {of_the_file(), of_calls(), of_results(), of_given_lines(), of_annotations()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

}  // namespace mrproof::testing
