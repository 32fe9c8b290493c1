// Work requests of one process: posted, and followed until their completions are there.
#include <sched.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "impl/verbs/arguments.hpp"
#include "impl/verbs/context.hpp"
#include "impl/verbs/patience.hpp"

namespace mrproof::impl {
namespace {

using model::Outcome;
using model::Plain;
using model::QpState;

/// Marks the wr_id of what belongs to no later step if its completion comes at all: a receive
/// posted on a failed queue pair, as good as flushed when it is posted; a read of the harness's
/// own.
constexpr std::uint64_t kGhost = 1ULL << 63U;

/// ibv_poll_cq(3) for as many completions as there is room for; gives how many there were.
int poll(ibv_cq* cq, std::span<ibv_wc> completions) {
  const int count = ibv_poll_cq(cq, static_cast<int>(completions.size()), completions.data());
  if (count < 0) throw DeviceError("ibv_poll_cq() failed; see the kernel log");
  return count;
}

/// The same, waiting for the first that is no ghost; 0 when the time is over.
int await(ibv_cq* cq, std::span<ibv_wc> completions, std::uint32_t limit_ms) {
  Patience patience(limit_ms);
  while (true) {
    const int count = poll(cq, completions);
    const auto end = std::remove_if(completions.begin(), completions.begin() + count,
                                    [](const ibv_wc& c) { return (c.wr_id & kGhost) != 0; });
    if (end != completions.begin()) return static_cast<int>(end - completions.begin());
    if (!patience.again()) return 0;
  }
}

}  // namespace

void Context::post_recv(const Call& call, Result& result) {
  QpEnd& end = end_of(call.qp);
  std::array<ibv_sge, 2> elements = elements_of(call);
  const std::uint64_t id = end.failed ? kGhost | next_id_++ : next_id_++;
  ibv_recv_wr request{};
  request.wr_id = id;
  request.sg_list = elements.data();
  request.num_sge = call.elements;
  ibv_recv_wr* bad = nullptr;
  const int error = ibv_post_recv(end.qp.get(), &request, &bad);
  if (error != 0) return refuse(result, error);
  if (!end.failed) end.receive_id = id;
}

void Context::request(const Call& call, Answer& answer) {
  if (call.verb == model::Verb::bind_mw) return bind_mw(call, answer);
  if (call.verb == model::Verb::post_bind_mw) return post_bind_mw(call, answer);
  if (call.part == model::Part::completion) return complete(call, answer);
  if (call.part == model::Part::posted && (call.flags.value() & model::kLinked) != 0) {
    list_.push_back(std::make_unique<Request>(call, next_id_++));
    return note_posted(call, list_.back()->work.wr_id, answer);
  }
  Request request(call, next_id_++);
  post(call, request, answer);
}

ibv_mw_bind_info Context::bind_info(const Call& call) {
  return {region(call.mr), call.address.value(), call.length.value(),
          static_cast<unsigned>(call.access.value())};
}

void Context::bind_mw(const Call& call, Answer& answer) {
  QpEnd& own = end_of(call.qp);
  ibv_mw* bound = window(call.mw);
  const Request request(call, next_id_++);
  ibv_mw_bind wanted{request.work.wr_id, request.work.send_flags, bind_info(call)};
  const std::uint32_t old_key = bound->rkey;
  const int error = ibv_bind_mw(own.qp.get(), bound, &wanted);
  if (error != 0) return refuse(answer.result, error);
  await_request(call, request, answer);
  // ibv_bind_mw(3), NOTES: the new key is in place since the call, and the user has to put the old
  // one back when the completion says that the bind has failed.
  if (answer.result.outcome == Outcome::ok)
    answer.result.rkey = Plain::key(bound->rkey);
  else
    bound->rkey = old_key;
}

void Context::post_bind_mw(const Call& call, Answer& answer) {
  ibv_mw* bound = window(call.mw);
  const auto new_key = static_cast<std::uint32_t>(call.rkey.value());
  Request request(call, next_id_++);
  request.work.bind_mw.mw = bound;
  request.work.bind_mw.rkey = new_key;
  request.work.bind_mw.bind_info = bind_info(call);
  post(call, request, answer);
  if (answer.result.outcome != Outcome::ok) return;
  // Here the user puts the key in, not the library.
  bound->rkey = new_key;
  answer.result.rkey = call.rkey;
}

void Context::post(const Call& call, Request& request, Answer& answer) {
  QpEnd& own = end_of(call.qp);
  if (port_.connector) state_of(own);
  answer.failed = own.failed;
  // It was asked for, and is not there: a library need not look at that again.
  if ((request.work.send_flags & IBV_SEND_INLINE) != 0 && !own.takes_inline && list_.empty())
    return refuse(answer.result, EOPNOTSUPP);
  ibv_send_wr* bad = nullptr;
  // Some drivers do not say which was refused; of a single request that is no question.
  const bool alone = list_.empty();
  const int error = post_list(own, &request.work, bad);
  answer.cut = error != 0 && !alone && bad != &request.work;
  if (error != 0) return refuse(answer.result, error);
  if (call.part == model::Part::whole) return await_request(call, request, answer);
  note_posted(call, request.work.wr_id, answer);
}

/// Posts the requests that wait for the last one of their list, and that one.
int Context::post_list(QpEnd& own, ibv_send_wr* last, ibv_send_wr*& bad) {
  ibv_send_wr* next = last;
  for (auto request = list_.rbegin(); request != list_.rend(); ++request)
    (*request)->work.next = std::exchange(next, &(*request)->work);
  const int error = next == nullptr ? 0 : ibv_post_send(own.qp.get(), next, &bad);
  list_.clear();
  return error;
}

/// The request is in flight, or will be with the last one of its list.
void Context::note_posted(const Call& call, std::uint64_t id, Answer& answer) {
  in_flight_.at(call.label) = {id, call.qp};
  come_first_in_flight();
  answer.result.outcome = Outcome::none;
  answer.result.completion_matches = Plain::bit(true);  // there is none to object to
}

/// The end of a request in flight. A case may have ended before the last one of a list came.
void Context::complete(const Call& call, Answer& answer) {
  ibv_send_wr* bad = nullptr;
  post_list(end_of(call.qp), nullptr, bad);
  const std::uint64_t id = std::exchange(in_flight_.at(call.label), Posted{}).id;
  if (id == 0) report_misuse("request", call.label, "is not in flight");
  come_first(false);
  await_request(call, Request(call, id), answer);
  come_first_in_flight();
}

/// Whether this thread comes before the driver's own. Whoever may not ask for that (CAP_SYS_NICE in
/// sched(7)) goes without it. Nothing is asked for twice: a call more is enough to miss a race.
void Context::come_first(bool wanted) {
  if (std::exchange(comes_first_, wanted) == wanted) return;
  const sched_param priority{wanted ? 1 : 0};
  static_cast<void>(sched_setscheduler(0, wanted ? SCHED_FIFO : SCHED_OTHER, &priority));
}

/// While requests are in flight the program comes before the driver's threads: on one processor
/// these go on during a delay, so that it decides how far they are when the next call begins.
void Context::come_first_in_flight() {
  come_first(std::any_of(
      in_flight_.begin(), in_flight_.end(), [](const Posted& posted) { return posted.id != 0; }));
}

/// The request's own completion.
void Context::await_request(const Call& call, const Request& request, Answer& answer) {
  answer.delivers = request.delivers;
  answer.delivery = request.delivery;
  if ((request.work.send_flags & IBV_SEND_SIGNALED) == 0)
    return await_unsignaled(end_of(call.qp), request, answer);
  const QpEnd& own = end_of(call.qp);
  std::array<ibv_wc, 2> completions;  // NOLINT(*-member-init): poll() fills what it gives
  // Behind one that was in flight, others may complete.
  const std::span<ibv_wc> wanted(completions.data(), call.part == model::Part::whole ? 2 : 1);
  const int count = await(own.send_cq.get(), wanted, options_.completion_limit_ms);
  if (count == 0) {
    answer.result.outcome = Outcome::none;
    answer.timed_out = true;
    return;
  }
  const ibv_wc& first = completions[0];
  const Outcome outcome = outcome_of(first.status);
  answer.known = count == 1 && first.wr_id == request.work.wr_id && first.qp_num == own.qp->qp_num;
  answer.result.outcome = outcome;
  answer.result.completion_matches =
      Plain::bit(answer.known && (outcome != Outcome::ok || first.opcode == request.completion));
}

/// Of a request that is not signaled: its failure completes all the same; of its success nothing is
/// seen but that what is posted behind it is answered.
void Context::await_unsignaled(QpEnd& own, const Request& request, Answer& answer) {
  const std::uint64_t behind = post_empty(own);
  std::array<ibv_wc, 1> completions;  // NOLINT(*-member-init): poll() fills what it gives
  const ibv_wc& completion = completions[0];
  Patience patience(options_.completion_limit_ms);
  bool unasked = false;
  answer.result.outcome = Outcome::none;
  while (true) {
    if (poll(own.send_cq.get(), completions) == 0) {
      if (patience.again()) continue;
      answer.timed_out = true;
      return;
    }
    const Outcome outcome = outcome_of(completion.status);
    if ((completion.wr_id & kGhost) != 0 && completion.wr_id != behind) continue;
    if (completion.wr_id == behind) {
      // Flushed, though what it was posted behind told of no failure: that completion is lost.
      answer.timed_out = outcome != Outcome::ok;
      answer.gave_up = options_.lossy && outcome == Outcome::retry_exc_err;
      if (outcome == Outcome::ok) answer.result.outcome = Outcome::ok;
      answer.result.completion_matches = Plain::bit(!unasked);
      return;
    }
    answer.known &= completion.wr_id == request.work.wr_id && completion.qp_num == own.qp->qp_num;
    unasked = outcome == Outcome::ok;
    if (unasked) continue;
    answer.result.outcome = outcome;
    answer.result.completion_matches = Plain::bit(answer.known);
    return;
  }
}

/// Takes completions of receives off an end's queue; if `wait`, until there was one.
void Context::take_receive(QpEnd& end, bool wait, const Delivery& expected, Answer& answer) {
  std::array<ibv_wc, 1> completions;  // NOLINT(*-member-init): poll() fills what it gives
  const ibv_wc& completion = completions[0];
  Patience patience(options_.completion_limit_ms);
  while (end.qp) {
    if (poll(end.receive_cq.get(), completions) == 0) {
      if (answer.found || !wait) return;
      if (patience.again()) continue;
      answer.timed_out = true;
      return;
    }
    if ((completion.wr_id & kGhost) != 0) continue;
    const Outcome status = outcome_of(completion.status);
    answer.known &=
        !answer.found && completion.wr_id == end.receive_id && completion.qp_num == end.qp->qp_num;
    answer.matches &= answer.known && (status != Outcome::ok || expected.matches(completion));
    answer.receive = status;
    if (status == Outcome::ok) answer.received = completion.byte_len;
    end.receive_id = 0;
    answer.found = true;
  }
}

/// The state of an end; of one that `must_fail` once it has left RTS, which may take a moment:
/// drivers show the completion, or send the NAK that causes it, before they change the state.
QpState Context::leave_rts(QpEnd& end, bool must_fail) const {
  Patience patience(options_.state_limit_ms);
  while (true) {
    const QpState state = state_of(end);
    if (!must_fail || state != QpState::rts || !patience.again()) return state;
  }
}

/// After an error: what became of the end, and of the receive posted on it.
void Context::settle(QpEnd& end, bool must_fail, Answer& answer) {
  answer.state = leave_rts(end, must_fail);
  const bool flushes = end.receive_id != 0 && answer.state == QpState::err;
  take_receive(end, flushes, Delivery{}, answer);
}

/// The connection ends with its other end; what is posted on this one is flushed.
void Context::await_end(QpEnd& end, Answer& answer) {
  Patience patience(options_.state_limit_ms);
  while (end.qp && state_of(end) == QpState::rts && patience.again()) continue;
  if (end.failed) take_receive(end, end.receive_id != 0, Delivery{}, answer);
}

/// Posts an RDMA read of no bytes, which needs no key (C9-88); a write where packets are lost, as
/// drivers refuse such reads when they are repeated (F44). Its wr_id; 0 if it was refused.
std::uint64_t Context::post_empty(QpEnd& end) {
  ibv_sge nothing{};
  ibv_send_wr request{};
  request.wr_id = kGhost | next_id_++;
  request.opcode = options_.lossy && !port_.connector ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ;
  request.send_flags = IBV_SEND_SIGNALED;
  if (port_.connector) {  // a read of iWARP names one place for its bytes, also for none
    request.sg_list = &nothing;
    request.num_sge = 1;
  }
  ibv_send_wr* bad = nullptr;
  return ibv_post_send(end.qp.get(), &request, &bad) == 0 ? request.wr_id : 0;
}

/// Whether a read that ends so has got an answer, and a wrong one.
static bool tells_of_an_answer(ibv_wc_status status) {
  return status == IBV_WC_GENERAL_ERR || status == IBV_WC_BAD_RESP_ERR ||
         status == IBV_WC_LOC_LEN_ERR || status == IBV_WC_LOC_PROT_ERR;
}

/// Whether the other end answers a read behind all that was sent so far; until then, or until the
/// connection has ended. A read that fails for what came as its answer was reached by the other
/// end, which thus has not refused what was sent before it.
void Context::answers(QpEnd& end, Answer& answer) {
  const std::uint64_t id = post_empty(end);
  std::array<ibv_wc, 1> done;  // NOLINT(*-member-init): poll() fills what it gives
  Patience patience(options_.completion_limit_ms);
  bool last_look = id == 0;
  while (true) {
    if (poll(end.send_cq.get(), done) != 0) {
      answer.done = done[0].status == IBV_WC_SUCCESS && done[0].wr_id == id;
      answer.astray = done[0].wr_id == id && tells_of_an_answer(done[0].status);
      return;
    }
    if (last_look) return;
    last_look = state_of(end) != QpState::rts || !patience.again();
  }
}

/// Whether a read of no bytes succeeds.
bool Context::read_nothing(QpEnd& end) {
  const std::uint64_t id = post_empty(end);
  if (id == 0) return false;
  // Nobody's verdict hangs on it, and it was seen never to come (rxe 6.1, after RNR_RETRY_EXC_ERR).
  // Where packets are lost it may come late, and RESET with it outstanding has consequences (F47).
  const std::uint32_t limit = options_.lossy ? options_.completion_limit_ms : 250;
  std::array<ibv_wc, 1> done;  // NOLINT(*-member-init): poll() fills what it gives
  Patience patience(limit);
  while (poll(end.send_cq.get(), done) == 0)
    if (!patience.again()) return false;
  return done[0].status == IBV_WC_SUCCESS && done[0].wr_id == id;
}

/// An empty message, which takes a receive posted at the other end off its queue.
bool Context::send_nothing(QpEnd& end) {
  ibv_send_wr request{};
  request.wr_id = next_id_++;
  request.opcode = IBV_WR_SEND;
  request.send_flags = IBV_SEND_SIGNALED;
  ibv_send_wr* bad = nullptr;
  if (ibv_post_send(end.qp.get(), &request, &bad) != 0) return false;
  std::array<ibv_wc, 1> sent;  // NOLINT(*-member-init): poll() fills what it gives
  if (await(end.send_cq.get(), sent, options_.completion_limit_ms) == 0) return false;
  return sent[0].status == IBV_WC_SUCCESS && sent[0].wr_id == request.wr_id;
}

}  // namespace mrproof::impl
