// Steps as calls of libibverbs in the program of repro.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "conformance/report/repro_writer.hpp"
#include "model/trace/layout.hpp"
#include "model/trace/notation.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

std::uint32_t bits(const Plain::Flags& flags) { return static_cast<std::uint32_t>(flags.value()); }

/// The operation of a work request as C names it, without IBV_WR_.
const char* opcode(Verb verb) {
  switch (verb) {
    case Verb::post_bind_mw: return "BIND_MW";
    case Verb::local_inv: return "LOCAL_INV";
    case Verb::send_with_inv: return "SEND_WITH_INV";
    case Verb::rdma_write: return "RDMA_WRITE";
    case Verb::rdma_write_with_imm: return "RDMA_WRITE_WITH_IMM";
    case Verb::rdma_read: return "RDMA_READ";
    case Verb::atomic_fetch_and_add: return "ATOMIC_FETCH_AND_ADD";
    case Verb::atomic_cmp_and_swp: return "ATOMIC_CMP_AND_SWP";
    default: return "SEND";
  }
}

std::string rereg_changes(std::uint32_t flags) {
  std::string text;
  for (const auto& [flag, name] : model::kChangeNames) {
    if ((flags & flag) == 0) continue;
    text += (text.empty() ? "IBV_REREG_MR_" : " | IBV_REREG_MR_") + std::string(name);
    flags &= ~flag;
  }
  if (flags != 0) text += fmt::format("{}(int){:#x}", text.empty() ? "" : " | ", flags);
  return text.empty() ? "0" : text;
}

std::string advice(std::uint8_t option) {
  if (const auto name = model::name_of_value(model::kAdviceNames, option))
    return "IBV_ADVISE_MR_ADVICE_" + std::string(*name);
  return fmt::format("(enum ibv_advise_mr_advice){}", option);
}

std::string advise_flags(std::uint32_t flags) {
  return flags == kAdviseFlush ? "IBV_ADVISE_MR_FLAG_FLUSH" : fmt::format("{:#x}", flags);
}

/// What the program asks for by send_flags; `signaled`: IBV_SEND_SIGNALED is the program's to name.
std::string send_flags(const Step& step, bool signaled) {
  const auto form = bits(step.call.flags);
  std::string text;
  const auto add = [&](bool wanted, const char* name) {
    if (wanted) text += (text.empty() ? "IBV_SEND_" : " | IBV_SEND_") + std::string(name);
  };
  add(signaled && is_signaled(step), "SIGNALED");
  add((form & kFenced) != 0, "FENCE");
  add((form & kSolicited) != 0, "SOLICITED");
  add((form & kInline) != 0, "INLINE");
  return text.empty() ? "0" : text;
}

}  // namespace

bool is_signaled(const Step& step) { return (bits(step.call.flags) & kUnsignaled) == 0; }

bool is_inline(const Step& step) {
  return is_transfer(step.call.verb) && (bits(step.call.flags) & kInline) != 0;
}

void ReproWriter::line(const std::string& statement, int indent) {
  body_ += wrapped(statement, indent);
}

void ReproWriter::set_got(const std::string& value) {
  const bool first = declared_.insert("got").second;
  line(fmt::format("{}got = {};", first ? "int " : "", value));
}

/// A call that gives an object, or NULL and an errno.
void ReproWriter::make(const Step& step, ReproKind kind, std::size_t slot,
                       const std::string& call) {
  const std::string object = names_.of(kind, slot);
  const bool first = declared_.insert(object).second && !names_.many(kind);
  for (const char* old : {"old_lkey", "old_rkey"})  // a new object has no earlier keys
    if (const auto key = names_.of(kind, slot, old); declared_.contains(key)) line(key + " = 0;");
  if (is_decisive() || in_thread_ != 0) line("errno = 0;");
  line(fmt::format("{}{} = {};",
                   first ? fmt::format("struct ibv_{} *", ReproNames::name(kind)) : "", object,
                   call));
  if (in_thread_ != 0) {
    line(fmt::format("ended[{}] = {} ? 0 : errno;", in_thread_, object));
  } else if (is_decisive()) {
    set_got(object + " ? 0 : REFUSED");
  } else {
    line(fmt::format("NEED({}{});", step.result.outcome == Outcome::ok ? "" : "!", object));
  }
}

/// A call that gives 0 or an errno.
void ReproWriter::answer(const Step& step, const std::string& call) {
  if (in_thread_ != 0) return line(fmt::format("ended[{}] = {};", in_thread_, call));
  if (is_decisive()) {
    if (step.call.verb == Verb::rereg_mr) {
      line("errno = 0;");
      line(fmt::format("int code = {};", call));
      set_got("code ? REFUSED : 0");
    } else {
      set_got(fmt::format("(errno = {}) ? REFUSED : 0", call));
    }
    return;
  }
  const bool ok = step.result.outcome == Outcome::ok;
  // What a refused re-registration leaves behind hangs on its code: so do the steps after it.
  const auto code = step.call.verb == Verb::rereg_mr && !ok
                        ? model::name_of_value(model::kReregCodeNames, bits(step.result.error))
                        : std::nullopt;
  const auto not_zero = ok ? "!" : "";
  const auto as_told = code ? fmt::format(" == IBV_REREG_MR_{}", *code) : "";
  const auto statement = fmt::format("NEED({}{}{});", not_zero, call, as_told);
  if (statement.size() <= 96) return line(statement);
  set_got(call);
  line(fmt::format("NEED({}got{});", not_zero, as_told));
}

std::string ReproWriter::registration(const Step& step) {
  const auto& c = step.call;
  const auto access = c_access(bits(c.access));
  const auto length = number(c.length.value());
  switch (c.verb) {
    case Verb::reg_mr:
      return fmt::format("ibv_reg_mr({}, {}, {}, {})", names_.pd(c.pd), pointer(c.address.value()),
                         length, access);
    case Verb::reg_mr_iova:
      return fmt::format("ibv_reg_mr_iova({}, {}, {}, {}, {})", names_.pd(c.pd),
                         pointer(c.address.value()), length, address(c.iova.value()), access);
    case Verb::reg_mr_ex:
      need(ReproPart::reg_mr_ex);
      return fmt::format("reg_mr_ex({}, {}, {}, {}, {})", names_.pd(c.pd),
                         pointer(c.address.value()), length, address(c.iova.value()), access);
    case Verb::reg_dmabuf_mr:
      return fmt::format("ibv_reg_dmabuf_mr({}, {}, {}, {}, dma_buf, {})", names_.pd(c.pd),
                         number(c.address.value()), length, address(c.iova.value()), access);
    default: return fmt::format("ibv_alloc_null_mr({})", names_.pd(c.pd));
  }
}

/// The work request of a step, with the number that is to come back where that is looked at.
std::string ReproWriter::request(const Step& step) {
  const auto& c = step.call;
  std::string text = fmt::format("&(struct ibv_send_wr){{.opcode = IBV_WR_{}", opcode(c.verb));
  if (is_decisive() && checks_completion()) text += fmt::format(", .wr_id = {}", now_ + 1);
  if (const auto flags = send_flags(step, false); flags != "0")
    text += ", .send_flags = " + flags;
  if (has_elements(c.verb))
    text += fmt::format(", .sg_list = {}, .num_sge = {}", elements(step), c.elements);
  const auto rkey = [&] { return key(step.rkey); };
  if (is_atomic(c.verb)) {
    text += fmt::format(", .wr.atomic = {{.remote_addr = {}, .rkey = {}, .compare_add = {}",
                        address(c.remote.value()), rkey(), number(c.operand.value()));
    if (c.verb == Verb::atomic_cmp_and_swp)
      text += fmt::format(", .swap = {}", number(c.swap.value()));
    text += "}";
  } else if (is_remote(c.verb)) {
    text += fmt::format(", .wr.rdma = {{.remote_addr = {}, .rkey = {}}}", address(c.remote.value()),
                        rkey());
  }
  if (c.verb == Verb::rdma_write_with_imm) text += ", .imm_data = 0x12345678";
  if (c.verb == Verb::local_inv || c.verb == Verb::send_with_inv)
    text += fmt::format(", .invalidate_rkey = {}", rkey());
  if (c.verb == Verb::post_bind_mw)
    text += fmt::format(", .bind_mw = {{.mw = {}, .rkey = new_key, .bind_info = {}}}",
                        names_.mw(c.mw), bind_info(step));
  return text + "}";
}

void ReproWriter::transfer(const Step& step) {
  const auto& c = step.call;
  if (c.part != Part::posted) need(ReproPart::completion);
  if (!is_signaled(step)) need(ReproPart::unsignaled);
  if (c.verb == Verb::post_bind_mw)
    line(fmt::format("{}new_key = {};", declared_.insert("new_key").second ? "uint32_t " : "",
                     key(step.rkey)));
  if (c.verb == Verb::bind_mw) {
    need(ReproPart::bind);
    const auto id =
        is_decisive() && checks_completion() ? fmt::format(".wr_id = {}, ", now_ + 1) : "";
    set_got(fmt::format(
        "bind_window(qp{}, {}, &(struct ibv_mw_bind){{{}.send_flags = {}, .bind_info = {}}})", c.qp,
        names_.mw(c.mw), id, send_flags(step, true), bind_info(step)));
  } else if (c.part == Part::completion) {
    if (iwarp_) need(ReproPart::terminated);
    set_got(fmt::format("completion(qp{}->send_cq){}", c.qp,
                        iwarp_ ? " == IBV_WC_SUCCESS ? IBV_WC_SUCCESS : TERMINATED" : ""));
  } else if (c.part == Part::posted) {
    need(ReproPart::post);
    set_got((bits(c.flags) & kLinked) != 0
                ? fmt::format("link_up({})", request(step))
                : fmt::format("post(qp{}, {})", c.qp, request(step)));
    if (!is_decisive()) line("NEED(got == IBV_WC_SUCCESS);");
    return;
  } else if (!is_signaled(step)) {
    set_got(fmt::format("run_unsignaled(qp{}, {})", c.qp, request(step)));
  } else {
    if (iwarp_) need(ReproPart::terminated);
    need(ReproPart::run);
    set_got(fmt::format("run(qp{}, {})", c.qp, request(step)));
  }
  if (is_decisive()) return;
  line(fmt::format("NEED(got == {});", c_status(step.result.outcome)));
  after_transfer(step);
}

/// What a program has to do before it goes on: the receive taken, the failure waited for, the
/// window's new key put in.
void ReproWriter::after_transfer(const Step& step) {
  const auto& c = step.call;
  const auto& r = step.result;
  const bool done = r.outcome == Outcome::ok;
  if (c.verb == Verb::post_bind_mw && done)
    line(fmt::format("{}->rkey = new_key;", names_.mw(c.mw)));
  const auto received = static_cast<Outcome>(r.peer_receive.value());
  if (const std::uint32_t peer = peer_of(c.qp); done && received != Outcome::none &&
                                                received != Outcome::refused &&
                                                before().qps.at(peer).posted.truth())
    line(fmt::format("NEED(completion(qp{}->recv_cq) == {});", peer, c_status(received)));
  await_failures(step);
}

/// Whether a step after this one names an end of the queue pair's pair.
bool ReproWriter::pair_named_later(std::uint32_t qp) const {
  const auto& steps = evidence_.trace.steps;
  return std::any_of(steps.begin() + static_cast<std::ptrdiff_t>(now_) + 1, steps.end(),
                     [&](const Step& later) {
                       return names_queue_pair(later.call.verb) && later.call.qp / 2U == qp / 2U;
                     });
}

/// Waits for the ends that the step makes fail. Over iWARP that is the connection's end, which both
/// have to confirm before anything more is asked of them.
void ReproWriter::await_failures(const Step& step) {
  const auto failed = [](const auto& qp) {
    return (qp.live & (qp.state == Plain::small(QpState::err))).truth();
  };
  const std::array ends{step.call.qp, peer_of(step.call.qp)};
  std::vector<std::uint32_t> failing;
  for (const std::uint32_t end : ends)
    if (!failed(before().qps.at(end))) failing.push_back(end);
  const auto& after = states_.before(now_ + 1);
  for (const std::uint32_t end : failing) {
    if (!failed(after.qps.at(end))) continue;
    if (iwarp_) {
      if (!pair_named_later(end)) continue;
      need(ReproPart::ended);
      line(fmt::format("NEED(ended(qp{}));", end));
      continue;
    }
    need(ReproPart::settled);
    line(fmt::format("NEED(settled(qp{}) == IBV_QPS_ERR);", end));
  }
}

void ReproWriter::store(const Step& step) {
  const auto& c = step.call;
  if (kind() == DeviationClass::bytes) {
    need(ReproPart::pattern);
    line(fmt::format("fill({}, {}, {});", address(c.address.value()), number(c.length.value()),
                     c.seed));
  } else {
    line(fmt::format("memset({}, {}, {});", pointer(c.address.value()), c.seed,
                     number(c.length.value())));
  }
}

void ReproWriter::protect(const Step& step) {
  const auto& c = step.call;
  const auto where = pointer(c.address.value());
  const auto length = number(c.length.value());
  const auto index = (c.address.value() - model::kBufferBase) / model::kBufferStride;
  const auto& buffer = before().buffers.at(index);
  const bool unmapped = buffer.hole.truth() && !buffer.read_only.truth();
  if (c.option == kNoPages)
    line(fmt::format("NEED(!munmap({}, {}));", where, length));
  else if (c.option == kReadPages)
    line(fmt::format("NEED(!mprotect({}, {}, PROT_READ));", where, length));
  else if (unmapped)
    line(fmt::format("map({}, {});", address(c.address.value()), length));
  else
    line(fmt::format("NEED(!mprotect({}, {}, PROT_READ | PROT_WRITE));", where, length));
}

void ReproWriter::dma_buf(const Step& step) {
  need(ReproPart::dma_buf);
  if (in_thread_ != 0 || declared_.insert("dma_buf").second)
    line("int dma_buf = make_dma_buf();");
  if (!is_decisive() && in_thread_ == 0) line("NEED(dma_buf >= 0);");
  make(step, ReproKind::mr, step.call.mr, registration(step));
}

void ReproWriter::query(const Step& step) {
  const auto& c = step.call;
  if (is_decisive() || in_thread_ != 0) {
    line("struct ibv_qp_attr attr;");
    line("struct ibv_qp_init_attr ignored;");
    return answer(step, fmt::format("ibv_query_qp(qp{}, &attr, IBV_QP_STATE | IBV_QP_ACCESS_FLAGS, "
                                    "&ignored)",
                                    c.qp));
  }
  need(ReproPart::state);
  line(fmt::format("NEED(state_of(qp{}) == IBV_QPS_{});", c.qp,
                   kQpStateNames.at(before().qps.at(c.qp).state.value())));
}

void ReproWriter::write_call(const Step& step) {
  if (!is_overlapping(step.call)) return write_call_itself(step);
  if (step.call.part == Part::posted) return begin_overlapping(step);
  return_overlapping(step);
}

void ReproWriter::write_call_itself(const Step& step) {
  const auto& c = step.call;
  switch (c.verb) {
    case Verb::alloc_pd: return make(step, ReproKind::pd, c.pd, "ibv_alloc_pd(context)");
    case Verb::dealloc_pd: return answer(step, fmt::format("ibv_dealloc_pd({})", names_.pd(c.pd)));
    case Verb::reg_mr:
    case Verb::reg_mr_iova:
    case Verb::reg_mr_ex:
    case Verb::alloc_null_mr: return make(step, ReproKind::mr, c.mr, registration(step));
    case Verb::reg_dmabuf_mr: return dma_buf(step);
    case Verb::reg_shared_mr:
      line("cannot_run(\"libibverbs cannot share regions: a vendor's experimental verbs can\");");
      over_ = true;
      return;
    case Verb::rereg_mr:
      return answer(step, fmt::format("ibv_rereg_mr({}, {}, {}, {}, {}, {})", names_.mr(c.mr),
                                      rereg_changes(bits(c.flags)),
                                      (bits(c.flags) & kChangePd) != 0 ? names_.pd(c.pd) : "NULL",
                                      pointer(c.address.value()), number(c.length.value()),
                                      c_access(bits(c.access))));
    case Verb::dereg_mr: return answer(step, fmt::format("ibv_dereg_mr({})", names_.mr(c.mr)));
    case Verb::advise_mr:
      return answer(
          step, fmt::format("ibv_advise_mr({}, {}, {}, {}, {})", names_.pd(c.pd), advice(c.option),
                            advise_flags(bits(c.flags)), elements(step), c.elements));
    case Verb::alloc_mw:
      return make(step, ReproKind::mw, c.mw,
                  fmt::format("ibv_alloc_mw({}, IBV_MW_{})", names_.pd(c.pd),
                              model::print_named(model::kWindowTypeNames, c.option)));
    case Verb::dealloc_mw: return answer(step, fmt::format("ibv_dealloc_mw({})", names_.mw(c.mw)));
    case Verb::post_recv: {
      need(ReproPart::receive);
      return answer(
          step, fmt::format("receive(qp{}, &(struct ibv_recv_wr){{{}.sg_list = {}, "
                            ".num_sge = {}}})",
                            c.qp, checks_completion() ? fmt::format(".wr_id = {}, ", now_ + 1) : "",
                            elements(step), c.elements));
    }
    case Verb::query_qp: return query(step);
    case Verb::modify_qp:
      return answer(
          step, fmt::format("ibv_modify_qp(qp{}, &(struct ibv_qp_attr){{.qp_access_flags = {}}}, "
                            "IBV_QP_ACCESS_FLAGS)",
                            c.qp, c_access(bits(c.access))));
    case Verb::connect:
      need(ReproPart::reconnect);
      return answer(step, fmt::format("reconnect(qp{}, qp{})", c.qp, peer_of(c.qp)));
    case Verb::destroy_qp:
      answer(step, fmt::format("ibv_destroy_qp(qp{})", c.qp));
      if (iwarp_ && !is_decisive() && in_thread_ == 0) await_failures(step);
      return;
    case Verb::fill: return store(step);
    case Verb::protect: return protect(step);
    default: return transfer(step);
  }
}

void ReproWriter::write_step() {
  const Step& step = step_at(now_);
  line(fmt::format("step = \"{}: {}\";", is_decisive() ? std::to_string(now_ + 1) : "@",
                   model::print_call(step)));
  if (!is_decisive() && !is_overlapping(step.call)) save_keys(step);
  const bool linked = (bits(step.call.flags) & kLinked) != 0;
  if (step.call.part == Part::posted && !is_overlapping(step.call) && !linked) go_on();
  if (step.call.delay != 0 && !is_overlapping(step.call))
    line(fmt::format("usleep({});", step.call.delay));
  write_call(step);
}

}  // namespace mrproof::conformance
