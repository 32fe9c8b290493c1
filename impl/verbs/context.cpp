#include "impl/verbs/context.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>

#include "impl/verbs/arguments.hpp"
#include "model/oracle/memory.hpp"

namespace mrproof::impl {
namespace {

using model::Plain;
using model::Verb;

/// Removes what `release` lets go.
template <class T, class Release>
void retry(std::vector<T*>& stuck, Release release) {
  stuck.erase(
      std::remove_if(stuck.begin(), stuck.end(), [&](T* object) { return release(object) == 0; }),
      stuck.end());
}

/// Lets an object go; what the device keeps goes to the others of that kind.
template <class T, class Release>
void let_go(T*& object, std::vector<T*>& stuck, Release release) {
  if (object != nullptr && release(object) != 0) stuck.push_back(object);
  object = nullptr;
}

}  // namespace

Context::Context(const std::string& name, const VerbsOptions& options, Buffers& buffers)
    : options_(options),
      buffers_(buffers),
      port_(open_port(name, options.transport)),
      holdings_(name) {
  prctl(PR_SET_TIMERSLACK, 1UL);
}

Context::~Context() {
  release_objects();
  for (std::uint32_t qp = 0; qp < ends_.size(); ++qp) release_qp(qp, false);
  retry(stuck_domains_, ibv_dealloc_pd);
  for (std::uint32_t pd = 0; pd < pds_.size(); ++pd) release_pd(pd);
  // What is left the kernel releases when the device is closed, right after this.
}

Answer Context::carry_out(const Order& order) {
  using Kind = Order::Kind;
  Answer answer;
  answer.result.own_receive = answer.result.peer_receive = Plain::small(model::Outcome::none);
  const auto end = [&]() -> QpEnd& { return end_of(order.qp); };
  switch (order.kind) {
    case Kind::call:
      // Its end waits for the driver's threads.
      if (order.call.verb == Verb::destroy_qp) come_first(false);
      make_call(order.call, answer);
      note_state(order.call, answer);
      if (order.call.verb == Verb::destroy_qp) come_first_in_flight();
      break;
    case Kind::begin: begin(order.call); break;
    case Kind::go:
      threads_.go();
      if (order.wait) threads_.await_start();
      break;
    case Kind::join:
      answer = threads_.join(order.call.label);
      note_state(order.call, answer);
      break;
    case Kind::request: request(order.call, answer); break;
    case Kind::take_receive:
      // An end that was destroyed has none.
      take_receive(ends_.at(order.qp), order.wait && ends_.at(order.qp).receive_id != 0,
                   order.expected, answer);
      break;
    case Kind::settle: settle(ends_.at(order.qp), order.wait, answer); break;
    case Kind::leave_rts: answer.state = leave_rts(ends_.at(order.qp), true); break;
    case Kind::state: answer.state = state_of(ends_.at(order.qp)); break;
    case Kind::await_end: await_end(ends_.at(order.qp), answer); break;
    case Kind::has_receive: answer.done = ends_.at(order.qp).receive_id != 0; break;
    case Kind::send_nothing: answer.done = send_nothing(end()); break;
    case Kind::read_nothing: answer.done = read_nothing(end()); break;
    case Kind::answers: answers(end(), answer); break;
    case Kind::give_pd: give_pd(order.pd, answer); break;
    case Kind::release_pd: release_pd(order.pd); break;
    case Kind::release_objects: release_objects(); break;
    case Kind::release_qp: release_qp(order.qp, order.wholly); break;
    case Kind::make_qp: make_qp(order, answer); break;
    case Kind::keep_qp: ends_.at(order.qp) = std::move(coming_.at(order.qp)); break;
    case Kind::drop_qp: coming_.at(order.qp) = QpEnd{}; break;
    case Kind::advance: advance(order, answer); break;
    case Kind::address: answer.port = port_.address(); break;
    case Kind::ask_by_cm:
    case Kind::accept_by_cm: begin_by_cm(order, answer); break;
    case Kind::join_by_cm: answer.error = joined_by_cm(coming_.at(order.qp)); break;
    case Kind::map_pages: buffers_.map_pages(); break;
    case Kind::count_held: answer.held = holdings_.take(); break;
    case Kind::nothing: break;
  }
  return answer;
}

void Context::make_call(const Call& call, Answer& answer) {
  if (call.verb == Verb::query_qp) return query_qp(call, answer);
  perform(call, answer.result);
}

/// What the harness itself has to know of a queue pair that was asked for: no thread looks for it.
void Context::note_state(const Call& call, Answer& answer) {
  if (call.verb == Verb::query_qp && answer.result.outcome == model::Outcome::ok)
    answer.state = state_of(end_of(call.qp));
}

/// The bytes of a region, or none if those are not all in one of the buffers and mapped.
std::span<const std::byte> Context::bytes_of(std::uint32_t mr) {
  const ibv_mr* const made = region(mr);
  const auto address = reinterpret_cast<std::uint64_t>(made->addr);
  if (buffers_.are_protected() || !model::Memory::contains(address, made->length)) return {};
  return {static_cast<const std::byte*>(made->addr), made->length};
}

/// Slots are made here: threads only change what is in theirs.
void Context::begin(const Call& call) {
  at_return_.at(call.label).bytes.clear();
  static_cast<void>(pds_.at(call.pd));
  static_cast<void>(regions_.at(call.mr));
  static_cast<void>(regions_.at(call.source));
  static_cast<void>(windows_.at(call.mw));
  if (call.verb == Verb::reg_dmabuf_mr) static_cast<void>(dma_buf_.descriptor());
  const auto make = [this, call] {
    Answer answer;
    answer.result.own_receive = answer.result.peer_receive = Plain::small(model::Outcome::none);
    const auto stored =
        call.verb == Verb::dereg_mr ? bytes_of(call.mr) : std::span<const std::byte>{};
    make_call(call, answer);
    // Its right is over now. Later bytes come too late, and the next look at memory may be late.
    auto& seen = at_return_.at(call.label);
    seen.address = reinterpret_cast<std::uint64_t>(stored.data());
    if (answer.result.outcome == model::Outcome::ok)
      seen.bytes.assign(stored.begin(), stored.end());
    return answer;
  };
  threads_.begin({call.label, call.follows, call.delay, call.verb == Verb::destroy_qp, make});
}

/// Calls that are no work requests of a send queue.
void Context::perform(const Call& call, Result& result) {
  switch (call.verb) {
    case Verb::alloc_pd: return alloc_pd(call, result);
    case Verb::dealloc_pd: return dealloc_pd(call, result);
    case Verb::rereg_mr: return rereg_mr(call, result);
    case Verb::dereg_mr: return dereg_mr(call, result);
    case Verb::advise_mr: return advise_mr(call, result);
    case Verb::alloc_mw: return alloc_mw(call, result);
    case Verb::dealloc_mw: return dealloc_mw(call, result);
    case Verb::post_recv: return post_recv(call, result);
    case Verb::modify_qp: return modify_qp(call, result);
    case Verb::destroy_qp: return destroy_qp(call, result);
    case Verb::fill: return Buffers::fill(call.address.value(), call.length.value(), call.seed);
    case Verb::protect:
      return buffers_.protect(call.address.value(), call.length.value(),
                              static_cast<model::Protection>(call.option));
    default: return register_region(call, result);
  }
}

void Context::alloc_pd(const Call& call, Result& result) {
  ibv_pd*& made = pds_.at(call.pd);
  if (made != nullptr) report_misuse("pd", call.pd, "is taken");
  errno = 0;
  made = ibv_alloc_pd(port_.context.get());
  if (made == nullptr) refuse(result, errno);
}

void Context::dealloc_pd(const Call& call, Result& result) {
  const int error = ibv_dealloc_pd(domain(call.pd));
  if (error != 0) return refuse(result, error);
  // Where the device let a domain go that queue pairs are in, they are in none.
  const std::lock_guard lock(ends_mutex_);
  for (QpEnd& end : ends_)
    if (end.pd == pds_.at(call.pd)) end.pd = nullptr;
  pds_.at(call.pd) = nullptr;
}

void Context::query_qp(const Call& call, Answer& answer) {
  QpEnd& end = end_of(call.qp);
  int error = 0;
  std::uint32_t rights = 0;
  const model::QpState state = query_state(end, error, &rights);
  if (error != 0) return refuse(answer.result, error);
  answer.result.qp_state = Plain::small(state);
  answer.result.rights = Plain::flags(model::kRightsTold | (rights & model::kPairRights));
}

void Context::modify_qp(const Call& call, Result& result) {
  const int error = set_rights(end_of(call.qp), static_cast<std::uint32_t>(call.access.value()));
  if (error != 0) refuse(result, error);
}

void Context::destroy_qp(const Call& call, Result& result) {
  QpEnd& end = end_of(call.qp);
  const int error = ibv_destroy_qp(end.qp.get());
  if (error != 0) return refuse(result, error);
  const std::lock_guard lock(ends_mutex_);
  static_cast<void>(end.qp.release());
  end = QpEnd{};
}

void Context::give_pd(std::uint32_t pd, Answer& answer) {
  if (pds_.at(pd) != nullptr) report_misuse("pd", pd, "is taken");
  errno = 0;
  pds_.at(pd) = ibv_alloc_pd(port_.context.get());
  if (pds_.at(pd) == nullptr) answer.error = errno;
}

void Context::release_pd(std::uint32_t pd) { let_go(pds_.at(pd), stuck_domains_, ibv_dealloc_pd); }

/// Windows first: a region is not let go while one is bound to it.
void Context::release_objects() {
  threads_.join_all();  // of a case that ended before their return
  in_flight_ = {};
  list_.clear();  // of a case that ended before the last request of its list
  come_first(false);
  retry(stuck_windows_, ibv_dealloc_mw);
  for (ibv_mw*& window : windows_) let_go(window, stuck_windows_, ibv_dealloc_mw);
  retry(stuck_regions_, ibv_dereg_mr);
  for (ibv_mr*& region : regions_) let_go(region, stuck_regions_, ibv_dereg_mr);
  windows_.clear();
  regions_.clear();
  retry(stuck_domains_, ibv_dealloc_pd);
}

void Context::release_qp(std::uint32_t qp, bool wholly) {
  if (wholly) ends_.at(qp) = QpEnd{};
  release_queue_pair(ends_.at(qp));
}

/// A new end in the domain, with the completion queues that one which was released has left.
void Context::take_queues(std::uint32_t qp, std::uint32_t pd) {
  QpEnd& coming = coming_.at(qp) = QpEnd{};
  QpEnd& old = ends_.at(qp);
  if (!old.qp) {
    coming.send_cq = std::move(old.send_cq);
    coming.receive_cq = std::move(old.receive_cq);
  }
  coming.pd = domain(pd);
}

void Context::make_qp(const Order& order, Answer& answer) {
  take_queues(order.qp, order.pd);
  QpEnd& coming = coming_.at(order.qp);
  answer.error = make_end(port_, coming);
  if (answer.error == 0)
    answer.qp_number = coming.qp->qp_num;
  else
    coming = QpEnd{};
}

void Context::advance(const Order& order, Answer& answer) {
  QpEnd& coming = coming_.at(order.qp);
  QpEnd& end = coming.qp ? coming : end_of(order.qp);
  if (order.stage == Stage::reset) {
    for (Posted& posted : in_flight_)
      if (posted.qp == order.qp) posted = Posted{};
    come_first(false);  // it waits for the driver's threads
  }
  answer.error = impl::advance(port_, end, order.stage, {order.peer_port, order.peer, order.psn});
  if (order.stage == Stage::rts) come_first_in_flight();
  answer.qp_number = end.qp->qp_num;
  answer.port = port_.address();
}

void Context::begin_by_cm(const Order& order, Answer& answer) {
  take_queues(order.qp, order.pd);
  QpEnd& coming = coming_.at(order.qp);
  answer.error = order.kind == Order::Kind::ask_by_cm ? ask_by_cm(port_, coming, order.peer_port)
                                                      : accept_by_cm(port_, coming);
}

ibv_pd* Context::domain(std::uint32_t pd) const {
  ibv_pd* found = pds_.at(pd);
  if (found == nullptr) report_misuse("pd", pd, "is not allocated");
  return found;
}

QpEnd& Context::end_of(std::uint32_t qp) {
  QpEnd& end = ends_.at(qp);
  if (!end.qp) report_misuse("qp", qp, "does not exist");
  return end;
}

}  // namespace mrproof::impl
