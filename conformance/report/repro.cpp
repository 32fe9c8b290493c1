#include "conformance/report/repro.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/report/repro_overlap.hpp"
#include "conformance/report/repro_parts.hpp"
#include "conformance/report/repro_rdma_cm.hpp"
#include "conformance/report/repro_writer.hpp"
#include "model/conditions/windows.hpp"
#include "model/trace/layout.hpp"
#include "model/trace/notation.hpp"
#include "model/view.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

/// What a device claims, and where it is read (ibv_query_device_ex(3)).
struct Claim {
  bool feature;  ///< of Capabilities::features, else of `claimed`
  std::uint32_t flag;
  const char* text;
  bool missing = false;  ///< the flag tells that the claim is not made
};
constexpr std::array<Claim, 14> kClaims{{
    {false, kRemoteAtomic, "can.orig_attr.atomic_cap != IBV_ATOMIC_NONE"},
    {false, kMwBind,
     "can.orig_attr.device_cap_flags & (IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2A | "
     "IBV_DEVICE_MEM_WINDOW_TYPE_2B)"},
    {false, kOnDemand, "can.odp_caps.general_caps & IBV_ODP_SUPPORT"},
    {true, kMwType1, "can.orig_attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW"},
    {true, kMwType2A, "can.orig_attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2A"},
    {true, kMwType2B, "can.orig_attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW_TYPE_2B"},
    {true, kMemoryExtensions, "can.orig_attr.device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS"},
    {true, kImplicitOnDemand, "can.odp_caps.general_caps & IBV_ODP_SUPPORT_IMPLICIT"},
    {true, kAtomics, "can.orig_attr.atomic_cap != IBV_ATOMIC_NONE"},
    {true, kOnDemandNoSend, "can.odp_caps.per_transport_caps.rc_odp_caps & IBV_ODP_SUPPORT_SEND",
     true},
    {true, kOnDemandNoReceive, "can.odp_caps.per_transport_caps.rc_odp_caps & IBV_ODP_SUPPORT_RECV",
     true},
    {true, kOnDemandNoWrite, "can.odp_caps.per_transport_caps.rc_odp_caps & IBV_ODP_SUPPORT_WRITE",
     true},
    {true, kOnDemandNoRead, "can.odp_caps.per_transport_caps.rc_odp_caps & IBV_ODP_SUPPORT_READ",
     true},
    {true, kOnDemandNoAtomic,
     "can.odp_caps.per_transport_caps.rc_odp_caps & IBV_ODP_SUPPORT_ATOMIC", true},
}};

/// Where the head of a program tells how it is compiled and run.
constexpr std::string_view kCommand = " *     ";

std::string replaced(std::string text, std::string_view mark, std::string_view by) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
    text.replace(at, mark.size(), by);
  return text;
}

/// Text that a C comment can hold, in lines that begin as given.
std::string comment_lines(const std::string& text, const std::string& begin) {
  constexpr std::size_t kWidth = 96;
  std::string lines, line;
  std::string rest = replaced(replaced(text, "*/", "* /"), "??", "? ?") + " ";
  for (std::size_t space = rest.find(' '); space != std::string::npos; space = rest.find(' ')) {
    const std::string word = rest.substr(0, space);
    rest.erase(0, space + 1);
    if (!line.empty() && begin.size() + line.size() + word.size() + 1 > kWidth) {
      lines += begin + line + "\n";
      line.clear();
    }
    if (!word.empty()) line += (line.empty() ? "" : " ") + word;
  }
  return line.empty() ? lines : lines + begin + line + "\n";
}

}  // namespace

ReproWriter::ReproWriter(const Evidence& evidence, Connecting connecting)
    : evidence_(evidence),
      states_(evidence),
      names_(evidence.trace),
      iwarp_(has<Plain>(evidence.trace.can.features, kIwarp).truth()),
      by_cm_(iwarp_ || connecting == Connecting::rdma_cm),
      overlaps_(overlaps(evidence.trace)) {}

bool names_queue_pair(Verb verb) {
  return is_transfer(verb) || (verb >= Verb::query_qp && verb <= Verb::destroy_qp) ||
         verb == Verb::post_recv;
}

bool ReproWriter::uses(Verb verb) const {
  return std::any_of(evidence_.trace.steps.begin(), evidence_.trace.steps.end(),
                     [&](const Step& step) { return step.call.verb == verb; });
}

/// Whether a step names an end of the pair, or ends a domain that the pair is in.
bool ReproWriter::pair_needed(std::size_t first) const {
  const auto& setup = evidence_.trace.setup;
  if (setup.qp_pd.at(first) == model::Setup::kAbsent) return false;
  return std::any_of(
      evidence_.trace.steps.begin(), evidence_.trace.steps.end(), [&](const Step& s) {
        if (names_queue_pair(s.call.verb)) return s.call.qp / 2U == first / 2;
        return s.call.verb == Verb::dealloc_pd &&
               (setup.qp_pd.at(first) == s.call.pd || setup.qp_pd.at(first + 1) == s.call.pd);
      });
}

void ReproWriter::comment(const std::string& text) {
  std::string lines = comment_lines(text, "     * ");
  lines.replace(0, 6, "    /*");
  body_ += lines;
  body_.pop_back();
  body_ += " */\n";
}

/// The objects that the trace gives and that it uses.
void ReproWriter::write_setup() {
  const auto& setup = evidence_.trace.setup;
  std::set<std::size_t> pds;
  for (const Step& step : evidence_.trace.steps) {
    const Verb verb = step.call.verb;
    const bool of_pd = verb <= Verb::rereg_mr || verb == Verb::advise_mr || verb == Verb::alloc_mw;
    const bool given = step.call.pd < setup.pd.size() && setup.pd.at(step.call.pd);
    if (of_pd && verb != Verb::alloc_pd && given) pds.insert(step.call.pd);
  }
  for (std::size_t first = 0; first < setup.qp_pd.size(); first += 2)
    if (pair_needed(first))
      for (const std::size_t end : {first, first + 1}) pds.insert(setup.qp_pd.at(end));
  std::string made;
  for (const std::size_t pd : pds) {
    if (setup.process.at(pd) != 0)
      comment(fmt::format("The trace has pd{} in another process; this program is one.", pd));
    const auto name = names_.pd(pd);
    declared_.insert(name);
    const bool many = names_.many(ReproKind::pd);
    line(fmt::format("{}{} = ibv_alloc_pd(context);", many ? "" : "struct ibv_pd *", name));
    made += (made.empty() ? "" : " && ") + name;
  }
  if (!made.empty()) line(fmt::format("NEED({});", made));
  for (std::size_t first = 0; first < setup.qp_pd.size(); first += 2) {
    if (!pair_needed(first)) continue;
    need(ReproPart::pairs);
    const auto declared = fmt::format("struct ibv_qp *qp{}, *qp{};", first, first + 1);
    if (overlaps_) key_arrays_ += "static " + declared + "\n";
    if (by_cm_) {
      if (!overlaps_) line(declared);
      line(fmt::format("make_pair({}, &qp{}, {}, &qp{});", names_.pd(setup.qp_pd.at(first)), first,
                       names_.pd(setup.qp_pd.at(first + 1)), first + 1));
      continue;
    }
    line(fmt::format("{}qp{} = make_qp({}), {}qp{} = make_qp({});",
                     overlaps_ ? "" : "struct ibv_qp *", first, names_.pd(setup.qp_pd.at(first)),
                     overlaps_ ? "" : "*", first + 1, names_.pd(setup.qp_pd.at(first + 1))));
    line(fmt::format("NEED(qp{0} && qp{1} && !connect_pair(qp{0}, qp{1}));", first, first + 1));
  }
}

/// What the device claims decides about some steps: asked for where another answer would do so.
void ReproWriter::write_claims() {
  bool asked = false;
  const auto ask = [&](const std::string& what) {
    if (!asked) line("struct ibv_device_attr_ex can;");
    if (!asked) line("NEED(!ibv_query_device_ex(context, NULL, &can));");
    asked = true;
    line(fmt::format("NEED({});", what));
  };
  const auto& call = evidence_.decisive().call;
  for (const auto& claim : kClaims) {
    State other = evidence_.state;
    auto& flags = claim.feature ? other.can.features : other.can.claimed;
    const bool claimed = has<Plain>(flags, claim.flag).truth();
    flags = claimed ? flags & ~Plain::flags(claim.flag) : flags | Plain::flags(claim.flag);
    if (open_rules(*evidence_.book, other, call) == evidence_.open &&
        evidence_.book->forbids(other, call) == nullptr)
      continue;
    ask(claimed != claim.missing ? claim.text : fmt::format("!({})", claim.text));
  }
  if (!is_transfer(call.verb) || !has_elements(call.verb)) return;
  const auto length = evidence_.view().message().value();
  if (length > evidence_.state.can.max_message.value())
    line(fmt::format("NEED(port.max_msg_sz < {});", number(length)));
  else if (length > 65536)
    line(fmt::format("NEED(port.max_msg_sz >= {});", number(length)));
}

/// What the step was to be like, and what was seen, in words.
void ReproWriter::write_decisive() {
  blank();
  const Step& step = evidence_.decisive();
  std::string names;
  for (const Outcome outcome : evidence_.allowed())
    names += fmt::format("{}{}", names.empty() ? "" : ", ",
                         model::print_outcome(outcome, is_transfer(step.call.verb)));
  std::string text = fmt::format("Allowed here: {}.", names);
  const auto& a = evidence_.finding();
  if (a.verdict == Verdict::deviates) {
    text += fmt::format(" Seen: {}.", model::print_result(step));
    if (kind() == DeviationClass::bytes) text += " Memory holds what it should not.";
    for (const auto& remark : step.remarks)
      if (remark.starts_with("broken: ")) text += " Broken: " + remark.substr(8) + ".";
  } else if (a.verdict == Verdict::crash) {
    text += " Seen: the process or the kernel died.";
  } else if (a.verdict == Verdict::hang) {
    text += " Seen: it does not end.";
  } else if (a.verdict == Verdict::kernel_warning) {
    text += " Seen: it ends, and the kernel log tells of a fault.";
  }
  comment(text);
  line("stuck_means = 1;");
  // What takes a minute and then makes the kernel complain is not called a hang.
  line(fmt::format("alarm({});", a.verdict == Verdict::kernel_warning ? 120 : 30));
  const std::size_t begin = body_.size();
  write_step();
  std::string written = body_.substr(begin);
  body_.erase(begin);
  const std::size_t name_end = written.find(";\n") + 2;
  body_ += written.substr(0, name_end);
  if (a.verdict == Verdict::crash) line("printf(\"making step %s\\n\", step);");
  if (kind() == DeviationClass::bytes) predict_bytes();
  if (kind() == DeviationClass::detail && step.call.verb == Verb::bind_mw)
    if (a.broken.contains(bind_key_right<Plain>.id))
      line(fmt::format("uint32_t old_key = {}->rkey;", names_.mw(step.call.mw)));
  body_ += written.substr(name_end);
  check();
}

std::string ReproWriter::pairs_part() const {
  if (by_cm_) {
    const bool ends = parts_.contains(ReproPart::ended);
    return replaced(std::string(repro_parts::kPairsCm), "@OWNER@", ends ? repro_parts::kOwner : "");
  }
  const bool windows = uses(Verb::bind_mw) || uses(Verb::post_bind_mw);
  const bool can_atomics = has<Plain>(evidence_.trace.can.features, kAtomics).truth();
  const bool atomics = uses(Verb::atomic_fetch_and_add) || uses(Verb::atomic_cmp_and_swp) ||
                       (uses(Verb::query_qp) && can_atomics);
  const bool again = parts_.contains(ReproPart::reconnect);
  std::string text(repro_parts::kPairs);
  text = replaced(text, "@ACCESS@",
                  atomics && windows
                      ? " |\n                      IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND"
                  : atomics ? " | IBV_ACCESS_REMOTE_ATOMIC"
                  : windows ? " | IBV_ACCESS_MW_BIND"
                            : "");
  const bool carries = std::any_of(evidence_.trace.steps.begin(), evidence_.trace.steps.end(),
                                   [](const Step& s) { return is_inline(s); });
  text = replaced(text, "@INLINE@", carries ? fmt::format("{}", kInlineBytes) : "0");
  text = replaced(text, "@RETRY@", windows ? repro_parts::kRetry : "");
  text = replaced(text, "@NUMBERS@", again ? repro_parts::kNumbers : "");
  text = replaced(text, "@RECEIVE_NUMBER@", again ? ", .rq_psn = psn" : "");
  return replaced(text, "@SEND_NUMBER@", again ? ", .sq_psn = psn" : "");
}

std::string ReproWriter::run_part() const {
  if (!iwarp_) return std::string(repro_parts::kRun);
  const bool ends = parts_.contains(ReproPart::ended);
  return replaced(std::string(repro_parts::kRunStream), "@FLUSHED@",
                  ends ? repro_parts::kFlushed : "");
}

std::string ReproWriter::bind_part() const {
  constexpr std::string_view kEither =
      "wanted->send_flags & IBV_SEND_SIGNALED\n"
      "                               ? completion(qp->send_cq) : end_of(qp)";
  const bool either = parts_.contains(ReproPart::unsignaled);
  return replaced(std::string(repro_parts::kBind), "@END@",
                  std::string(either ? kEither : "completion(qp->send_cq)"));
}

std::string ReproWriter::parts() const {
  using namespace repro_parts;
  std::string text(kMessages);
  if (!over_) text += kVerdict;
  const bool pairs = parts_.contains(ReproPart::pairs);
  text += !pairs ? kOpen : by_cm_ ? kOpenCm : kOpenPort;
  for (const ReproPart part : parts_) {
    switch (part) {
      case ReproPart::another: text += kAnother; break;
      case ReproPart::in_round: text += kInRound; break;
      case ReproPart::wide: text += kWide; break;
      case ReproPart::map: text += kMap; break;
      case ReproPart::pattern: text += kPattern; break;
      case ReproPart::bytes: text += bytes_part(); break;
      case ReproPart::dma_buf: text += kDmaBuf; break;
      case ReproPart::reg_mr_ex: text += repro_parts::kRegMrEx; break;
      case ReproPart::kernel_log: text += kKernelLog; break;
      case ReproPart::child: text += kChild; break;
      case ReproPart::rounds: text += kRounds; break;
      case ReproPart::pairs: text += pairs_part(); break;
      case ReproPart::completion: text += kCompletion; break;
      case ReproPart::ended: text += kEnded; break;
      case ReproPart::terminated: text += kTerminated; break;
      case ReproPart::run: text += run_part(); break;
      case ReproPart::post: text += kPost; break;
      case ReproPart::unsignaled: text += kUnsignaled; break;
      case ReproPart::bind: text += bind_part(); break;
      case ReproPart::receive: text += repro_parts::kReceive; break;
      case ReproPart::state: text += kState; break;
      case ReproPart::settled: text += kSettled; break;
      case ReproPart::reconnect: text += kReconnect; break;
      case ReproPart::overlap: text += kOverlap; break;
    }
  }
  return text;
}

std::string ReproWriter::head() const {
  std::string text;
  for (const auto& comment : evidence_.trace.comments) text += comment;
  if (text.empty()) text = fmt::format("Shows: {}.", model::print_annotation(evidence_.finding()));
  text = comment_lines(text, " * ");
  const bool cm = by_cm_ && parts_.contains(ReproPart::pairs);
  text +=
      fmt::format(" *\n{}cc -std=c11 -o repro repro.c -libverbs{}{} && ./repro {}\n *\n", kCommand,
                  cm ? " -lrdmacm" : "", overlaps_ ? " -pthread" : "",
                  cm ? "DEVICE ADDRESS" : "[DEVICE [GID_INDEX]]");
  text += " * Exit status: 0 conforms, 1 deviates, 4 cannot run here. */\n#define _GNU_SOURCE\n";
  text.replace(0, 2, "/*");
  std::set<std::string> includes{"errno",  "infiniband/verbs", "signal", "stdio",
                                 "stdlib", "string",           "unistd"};
  if (parts_.contains(ReproPart::map) || parts_.contains(ReproPart::wide))
    includes.insert("sys/mman");
  if (parts_.contains(ReproPart::child)) includes.insert("sys/wait");
  if (parts_.contains(ReproPart::rounds)) includes.insert({"sys/wait", "time"});
  if (parts_.contains(ReproPart::kernel_log)) includes.insert("fcntl");
  if (cm) includes.insert({"arpa/inet", "rdma/rdma_cma"});
  if (parts_.contains(ReproPart::ended)) includes.insert("poll");
  if (parts_.contains(ReproPart::post)) includes.insert("sched");
  if (overlaps_) includes.insert({"pthread", "sched", "time"});
  if (parts_.contains(ReproPart::dma_buf))
    includes.insert({"fcntl", "linux/udmabuf", "sys/ioctl", "sys/mman"});
  for (const auto& name : includes) text += fmt::format("#include <{}.h>\n", name);
  if (!buffers_.empty())
    text += "\n/* Where the trace has them; what lies around is not mapped. */\n";
  for (const std::size_t index : buffers_)
    text += fmt::format("#define BUF{} {:#x}\n", index, model::buffer_address(index));
  return text;
}

/// Objects of which there are many, and those of their keys that are kept.
std::string ReproWriter::arrays() const {
  std::string text;
  for (const auto kind : {ReproKind::pd, ReproKind::mr, ReproKind::mw})
    if (const std::string name = ReproNames::name(kind);
        names_.many(kind) && (body_ + functions_).find(name + "[") != std::string::npos)
      text += fmt::format("static struct ibv_{0} *{0}[{1}];\n", name, names_.count(kind));
  if (functions_.find("(context)") != std::string::npos)
    text += "static struct ibv_context *context;\n";
  text += key_arrays_;
  return text.empty() ? text : "\n" + text;
}

/// Up to the decisive one.
void ReproWriter::write_steps() {
  const std::size_t begin = body_.size();
  std::vector<std::string> texts;
  for (; !is_decisive() && !over_; ++now_) {
    write_step();
    texts.push_back(body_.substr(begin));
    body_.erase(begin);
  }
  body_ += looped(texts);
  if (body_.find("in_round(", begin) != std::string::npos) need(ReproPart::in_round);
}

std::string ReproWriter::write() {
  const bool logs = evidence_.finding().verdict == Verdict::kernel_warning;
  const bool dies = evidence_.finding().verdict == Verdict::crash;
  write_setup();
  write_claims();
  if (!body_.empty()) blank();
  write_steps();
  if (over_)
    check();
  else
    write_decisive();
  if (kind() == DeviationClass::bytes) parts_.insert({ReproPart::pattern, ReproPart::bytes});
  if (parts_.contains(ReproPart::settled)) need(ReproPart::state);
  if (!buffers_.empty()) need(ReproPart::map);
  if (logs) need(ReproPart::kernel_log);
  const auto rounds = evidence_.trace.rounds;
  if (rounds > 1) need(ReproPart::rounds);
  if (dies && rounds == 1) need(ReproPart::child);

  std::string begin =
      "\nint main(int argc, char **argv)\n{\n    setbuf(stdout, NULL);\n"
      "    signal(SIGALRM, on_alarm);\n";
  if (rounds > 1)
    begin += fmt::format("    in_rounds({});\n", rounds);
  else if (dies)
    begin += "    watch_child();\n";
  begin += parts_.contains(ReproPart::in_round) ? "    alarm(900);\n" : "    alarm(60);\n";
  if (logs)
    begin +=
        "    kernel_log = open(\"/dev/kmsg\", O_RDONLY | O_NONBLOCK);\n"
        "    NEED(kernel_log >= 0 && lseek(kernel_log, 0, SEEK_END) >= 0);\n";
  const bool named = body_.find("context") != std::string::npos;
  const bool shared = functions_.find("(context)") != std::string::npos;
  begin += fmt::format("    {}open_device(argc, argv);\n",
                       shared  ? "context = "
                       : named ? "struct ibv_context *context = "
                               : "");
  if (parts_.contains(ReproPart::wide)) begin += "    map_wide();\n";
  for (const std::size_t index : buffers_) {
    begin += fmt::format("    map(BUF{}, {});\n", index, model::buffer_size(index));
    if (kind() == DeviationClass::bytes)
      begin += fmt::format("    fill(BUF{}, {}, {:#x});\n", index, model::buffer_size(index),
                           model::initial_seed(index));
  }
  return head() + arrays() + parts() + functions_ + begin + body_ + "}\n";
}

std::string repro_program(const Evidence& evidence, Connecting connecting) {
  return ReproWriter(evidence, connecting).write();
}

std::string repro_command(const std::string& program) {
  const auto begin = program.find(kCommand) + kCommand.size();
  const std::string command = program.substr(begin, program.find('\n', begin) - begin);
  return replaced(command, "[DEVICE [GID_INDEX]]", "DEVICE");
}

}  // namespace mrproof::conformance
