#include "conformance/watch/extract.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "conformance/watch/recording.hpp"
#include "model/oracle/judge_trace.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::watch {
namespace {

using model::KeyName;
using model::Verb;

/// Bytes, at most, of a region, of an element, and between a region's end and what lies outside;
/// before a region there is room for that.
constexpr std::uint64_t kRegion = 4096, kElement = 512, kOutside = 512, kBefore = 1024;
constexpr std::uint32_t kEveryRight =
    model::kLocalWrite | model::kRemoteWrite | model::kRemoteRead | model::kRemoteAtomic;

/// What a key stands for, in the program and in the trace.
struct Part {
  KeyName key;
  std::uint64_t begin = 0, length = 0;            ///< as requests name it
  std::uint64_t begin_here = 0, length_here = 0;  ///< likewise, in the trace
};

/// Where a range of the part begins in the trace: inside, before, behind or across the end, as it
/// was in the program.
std::uint64_t moved(std::uint64_t address, std::uint64_t length, std::uint64_t length_here,
                    const Part& part) {
  if (address < part.begin) return part.begin_here - std::min(part.begin - address, kOutside);
  const auto offset = address - part.begin;
  if (offset >= part.length)
    return part.begin_here + part.length_here + std::min(offset - part.length, kOutside);
  if (length <= part.length - offset)
    return part.begin_here + std::min(offset, part.length_here - length_here);
  const auto beyond =
      std::min(length - (part.length - offset), std::max<std::uint64_t>(length_here - 1, 1));
  const auto inside = std::min(length_here - beyond, part.length_here);
  return part.begin_here + part.length_here - inside;
}

[[noreturn]] void give_up() { throw std::invalid_argument("it cannot be said in a trace"); }

class Cutting {
 public:
  Cutting() {
    trace_.can.claimed = Plain::flags(model::kRemoteAtomic | model::kMwBind);
    trace_.can.features = Plain::flags(model::kMwType1 | model::kMwType2B |
                                       model::kMemoryExtensions | model::kAtomics);
  }

  void request(const End& end, const Request& request, const End* peer, const Reason& reason) {
    const World& there = peer != nullptr ? *peer->world : *end.world;
    const auto slot = peer != nullptr ? peer->slot : end.slot;
    trace_.setup.qp_pd[0] = domain_of(*end.world, end.slot);
    trace_.setup.qp_pd[1] = domain_of(there, slot);
    if (request.bind) {
      const auto& window = end.world->state.windows.at(request.bind->mw);
      return add_bind(*end.world, *request.bind, 0, window);
    }
    model::Step step;
    step.call.verb = request.verb;
    step.call.elements = 0;
    add_elements(*end.world, request, reason, step);
    const auto length = step.call.length.value() + step.call.second.length.value();
    const bool is_received =
        model::is_send(request.verb) || request.verb == Verb::rdma_write_with_imm;
    if (is_remote(request.verb)) {
      const Part part = peer != nullptr ? remote_part(*peer, request.rkey) : spare();
      step.rkey = part.key;
      step.call.remote = moved(request.remote.value(), request.length().value(), length, part);
      if (peer == nullptr) step.call.remote = part.begin_here;
    }
    if (peer != nullptr) add_rights(there.state.qps.at(slot).access);
    if (is_received) add_receive(length);
    add(step, is_received ? model::Outcome::ok : model::Outcome::none);
  }

  void registration(const World& world, model::Call<Plain> call) {
    model::Step step;
    step.call = call;
    step.call.pd = domain(world, call.pd);
    step.call.mr = 0;
    step.call.address = model::buffer_address(0) + kBefore;
    step.call.length = std::min(call.length.value(), kRegion);
    add(step);
  }

  /// The trace, if the model says of its last call that the condition does not hold.
  [[nodiscard]] std::string text_if(const model::PlainCondition& condition) const {
    const auto judged = model::judge_trace(trace_, model::linux_rulebook(), "what was cut out");
    const auto& last = judged.steps.back();
    if (judged.steps.size() != trace_.steps.size() || last.annotations.empty()) return {};
    const auto& said = last.annotations.front();
    const auto name = model::print_annotation(said);
    const bool is_same =
        said.verdict == model::Verdict::deviates && name.find(condition.id) != std::string::npos;
    if (!is_same) return {};
    model::Trace cut = trace_;  // judging gives keys to what has none, which nobody has seen
    cut.steps.back().annotations = last.annotations;
    return model::print_trace(cut);
  }

 private:
  using Object = std::pair<const World*, std::uint32_t>;

  std::uint32_t domain(const World& world, std::uint32_t slot) {
    const auto number = static_cast<std::uint32_t>(domains_.size());
    const auto [found, is_new] = domains_.try_emplace(Object{&world, slot}, number);
    if (is_new) trace_.setup.pd.at(number) = true;
    return found->second;
  }
  std::uint32_t domain_of(const World& world, std::uint32_t qp) {
    return domain(world, world.state.qps.at(qp).pd.value());
  }

  /// A call that succeeds; `received`: what becomes of the peer's receive.
  void add(model::Step step, model::Outcome received = model::Outcome::none) {
    step.observed = true;
    step.result.outcome = model::Outcome::ok;
    step.result.completion_matches = true;
    step.result.own_receive = Plain::small(model::Outcome::none);
    step.result.peer_receive = Plain::small(received);
    if (received == model::Outcome::ok)
      step.result.received = step.call.length + step.call.second.length;
    trace_.steps.push_back(std::move(step));
  }

  /// Registers what is like that region.
  const Part& region(const World& world, std::uint32_t slot) {
    const auto number = static_cast<std::uint32_t>(parts_.size());
    const auto [found, is_new] = parts_.try_emplace(Object{&world, slot});
    if (!is_new) return found->second;
    const auto real = world.state.regions.at(slot);
    if (number >= model::kBufferCount || real.empty.truth() || real.undefined.truth()) give_up();
    Part& part = found->second;
    part.key = {KeyName::Kind::lkey, number};
    part.begin = real.first.value();
    part.length = (real.last - real.first).value() + 1;
    part.length_here = std::min(part.length, kRegion);
    const auto access = low(real.access.value());
    const bool is_moved = real.first.value() != real.memory.value();
    const bool zero_based = (access & model::kZeroBased) != 0;
    const auto address = model::buffer_address(number) + kBefore;
    part.begin_here = is_moved || zero_based ? part.begin : address;
    model::Step step;
    step.call.verb = is_moved && !zero_based ? Verb::reg_mr_iova : Verb::reg_mr;
    step.call.pd = domain(world, real.pd.value());
    step.call.mr = number;
    step.call.address = address;
    step.call.length = part.length_here;
    step.call.iova = step.call.verb == Verb::reg_mr_iova ? part.begin : 0;
    step.call.access = Plain::flags(access);
    add(step);
    return part;
  }

  /// A region of the queue pair that serves the request, which allows all.
  Part spare() {
    const auto number = static_cast<std::uint32_t>(parts_.size());
    if (number >= model::kBufferCount) give_up();
    model::Step step;
    step.call.verb = Verb::reg_mr;
    step.call.pd = trace_.setup.qp_pd[1];
    step.call.mr = number;
    step.call.address = model::buffer_address(number) + kBefore;
    step.call.length = kRegion;
    step.call.access = Plain::flags(kEveryRight);
    add(step);
    Part& part = parts_[{nullptr, number}];
    part = {
        {KeyName::Kind::rkey, number}, 0, ~std::uint64_t{0}, step.call.address.value(), kRegion};
    return part;
  }

  void add_elements(const World& world, const Request& request, const Reason& reason,
                    model::Step& step) {
    auto elements = request.elements;
    if (elements.size() > 2 && reason.remote) give_up();
    if (elements.size() > 2) elements = {reason.element};
    step.call.elements = static_cast<std::uint8_t>(std::max<std::size_t>(elements.size(), 1));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      const auto& element = elements[i];
      const auto found = world.by_lkey.find(low(element.lkey.value()));
      if (found == world.by_lkey.end()) give_up();
      const Part& part = region(world, found->second);
      const auto length = std::min(element.length.value(), kElement);
      const auto address = moved(element.address.value(), element.length.value(), length, part);
      (i == 0 ? step.lkey : step.second) = part.key;
      (i == 0 ? step.call.address : step.call.second.address) = address;
      (i == 0 ? step.call.length : step.call.second.length) = length;
    }
  }

  /// What the remote key stands for: a region, or a window that is bound.
  Part remote_part(const End& peer, Plain::Key rkey) {
    const World& world = *peer.world;
    const auto found = world.by_rkey.find(low(rkey.value()));
    if (found != world.by_rkey.end()) {
      Part part = region(world, found->second);
      part.key.kind = KeyName::Kind::rkey;
      return part;
    }
    for (const auto slot : world.live_windows) {
      const auto& w = world.state.windows.at(slot);
      if ((w.bound & (w.rkey == rkey)).truth() && !w.undefined.truth()) return window(peer, w);
    }
    give_up();
  }

  /// Binds what is like that window, through the queue pair that serves the request.
  Part window(const End& peer, const model::Window<Plain>& real) {
    if (real.two.truth() && real.qp.value() != peer.slot) give_up();
    const World& world = *peer.world;
    const auto of = world.state.regions.at(real.region.value());
    model::Call<Plain> call;
    call.verb = real.two.truth() ? Verb::post_bind_mw : Verb::bind_mw;
    call.mr = real.region.value();
    call.address = of.first + (real.memory - of.memory);
    call.length = real.last - real.first + 1;
    call.access = real.access;
    Part part{{KeyName::Kind::window_rkey, 0}, real.first.value(), call.length.value(), 0, 0};
    add_bind(world, call, 1, real);
    const auto& bound = trace_.steps.back().call;
    part.length_here = bound.length.value();
    part.begin_here = (real.access & model::kZeroBased).value() != 0 ? 0 : bound.address.value();
    return part;
  }

  void add_bind(const World& world, const model::Call<Plain>& call, std::uint32_t qp,
                const model::Window<Plain>& real) {
    const Part& part = region(world, call.mr);
    model::Step made;
    made.call.verb = Verb::alloc_mw;
    made.call.pd = domain(world, real.pd.value());
    made.call.option = real.two.truth() ? model::kTypeTwo : model::kTypeOne;
    add(made);
    model::Step bind;
    bind.call.verb = call.verb;
    bind.call.qp = qp;
    bind.call.mr = part.key.slot;
    bind.call.length = std::min(call.length.value(), kElement);
    bind.call.address =
        moved(call.address.value(), call.length.value(), bind.call.length.value(), part);
    bind.call.access = call.access;
    if (call.verb == Verb::post_bind_mw) bind.rkey = {KeyName::Kind::window_rkey, 0, 1};
    add(bind);
  }

  void add_rights(Plain::Flags access) {
    if (access.value() == model::kPairRights) return;
    model::Step step;
    step.call.verb = Verb::modify_qp;
    step.call.qp = 1;
    step.call.access = access;
    add(step);
  }

  void add_receive(std::uint64_t length) {
    const Part part = spare();
    model::Step step;
    step.call.verb = Verb::post_recv;
    step.call.qp = 1;
    step.lkey = {KeyName::Kind::lkey, part.key.slot};
    step.call.address = part.begin_here;
    step.call.length = length;
    add(step);
  }

  model::Trace trace_;
  std::map<Object, std::uint32_t> domains_;
  std::map<Object, Part> parts_;  ///< by the region
};

std::string text_of(auto&& cut, const model::PlainCondition& condition) {
  try {
    Cutting cutting;
    cut(cutting);
    return cutting.text_if(condition);
  } catch (const std::invalid_argument&) {  // give_up()
    return {};
  } catch (const std::out_of_range&) {  // more domains than a trace has
    return {};
  } catch (const model::TraceError&) {  // the model does not allow the calls
    return {};
  }
}

}  // namespace

std::string cut_out(const End& end, const Request& request, const End* peer, const Reason& reason) {
  return text_of([&](Cutting& cutting) { cutting.request(end, request, peer, reason); },
                 *reason.condition);
}

std::string cut_out(const World& world, model::Call<Plain> registration,
                    const model::PlainCondition& condition) {
  return text_of([&](Cutting& cutting) { cutting.registration(world, registration); }, condition);
}

}  // namespace mrproof::watch
