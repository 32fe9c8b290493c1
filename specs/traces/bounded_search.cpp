#include "specs/traces/bounded_search.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "model/trace/layout.hpp"
#include "specs/prover/known.hpp"
#include "specs/prover/questions.hpp"
#include "specs/symbolic/world.hpp"

namespace mrproof::specs {

using model::Plain;
using smt::Number;
using smt::Ref;
using smt::Store;

namespace {

/// A step that may be made before the call: a rule, and the shape of its call.
struct Preparation {
  const char* rule;
  Shape shape;
};

constexpr Shape slots(Verb verb, std::uint8_t pd, std::uint8_t mr, std::uint8_t mw = 0,
                      std::uint8_t qp = 0, std::uint8_t option = 0) {
  return {verb, pd, mr, mw, qp, static_cast<std::uint8_t>((mr + 1U) % Terms::kRegions), option, 1};
}

constexpr Shape two_elements(Shape shape) {
  shape.elements = 2;
  return shape;
}

/// What makes the objects that calls name, and what else conditions ask of them. Here slots are all
/// that is chosen: the other arguments are the solver's, so that no tier of model/alphabet/ fits.
constexpr std::array kPreparations{
    Preparation{"reg_mr.ok", slots(Verb::reg_mr, 0, 0)},
    Preparation{"reg_mr.ok", slots(Verb::reg_mr, 1, 0)},
    Preparation{"reg_mr.ok", slots(Verb::reg_mr, 0, 1)},
    Preparation{"reg_mr.ok", slots(Verb::reg_mr, 1, 1)},
    Preparation{"reg_mr_iova.ok", slots(Verb::reg_mr_iova, 0, 0)},
    Preparation{"reg_mr_ex.ok", slots(Verb::reg_mr_ex, 0, 0)},
    Preparation{"reg_dmabuf_mr.ok", slots(Verb::reg_dmabuf_mr, 0, 0)},
    Preparation{"alloc_null_mr.ok", slots(Verb::alloc_null_mr, 0, 0)},
    Preparation{"reg_shared_mr.ok", slots(Verb::reg_shared_mr, 0, 0)},
    Preparation{"rereg_mr.ok", slots(Verb::rereg_mr, 1, 0)},
    Preparation{"rereg_mr.ok", slots(Verb::rereg_mr, 0, 0)},
    Preparation{"dereg_mr.ok", slots(Verb::dereg_mr, 0, 0)},
    Preparation{"dereg_mr.ok", slots(Verb::dereg_mr, 0, 1)},
    Preparation{"alloc_mw.ok", slots(Verb::alloc_mw, 0, 0, 0, 0, model::kTypeOne)},
    Preparation{"alloc_mw.ok", slots(Verb::alloc_mw, 0, 0, 0, 0, model::kTypeTwo)},
    Preparation{"alloc_mw.ok", slots(Verb::alloc_mw, 1, 0, 0, 0, model::kTypeTwo)},
    Preparation{"alloc_mw.ok", slots(Verb::alloc_mw, 0, 0, 1, 0, model::kTypeOne)},
    Preparation{"alloc_mw.ok", slots(Verb::alloc_mw, 0, 0, 1, 0, model::kTypeTwo)},
    Preparation{"bind_mw.ok", slots(Verb::bind_mw, 0, 0, 0, 0)},
    Preparation{"bind_mw.ok", slots(Verb::bind_mw, 0, 0, 1, 0)},
    Preparation{"post_bind_mw.ok", slots(Verb::post_bind_mw, 0, 0, 0, 0)},
    Preparation{"post_bind_mw.ok", slots(Verb::post_bind_mw, 0, 0, 0, 1)},
    Preparation{"post_bind_mw.ok", slots(Verb::post_bind_mw, 0, 0, 1, 0)},
    Preparation{"local_inv.ok", slots(Verb::local_inv, 0, 0)},
    Preparation{"dealloc_mw.ok", slots(Verb::dealloc_mw, 0, 0)},
    Preparation{"post_recv.ok", slots(Verb::post_recv, 0, 0, 0, 0)},
    Preparation{"post_recv.ok", slots(Verb::post_recv, 0, 0, 0, 1)},
    Preparation{"post_recv.ok", two_elements(slots(Verb::post_recv, 0, 0, 0, 1))},
    Preparation{"send.loc_prot_err", slots(Verb::send, 0, 0, 0, 0)},
    Preparation{"send.loc_prot_err", slots(Verb::send, 0, 0, 0, 1)},
    Preparation{"rdma_write.loc_prot_err", slots(Verb::rdma_write, 0, 0, 0, 0)},
    Preparation{"rdma_write.terminated", slots(Verb::rdma_write, 0, 0, 0, 0)},
    Preparation{"protect.ok", slots(Verb::protect, 0, 0, 0, 0, model::kNoPages)},
    Preparation{"protect.ok", slots(Verb::protect, 0, 0, 0, 0, model::kReadPages)},
    Preparation{"destroy_qp.ok", slots(Verb::destroy_qp, 0, 0)},
    Preparation{"advise_mr.ok", slots(Verb::advise_mr, 0, 0, 0, 0, model::kPrefetch)},
};

/// The place of a preparation.
consteval std::size_t place(std::string_view rule, const Shape& shape) {
  for (std::size_t i = 0; i < kPreparations.size(); ++i) {
    const auto& of = kPreparations.at(i).shape;
    if (kPreparations.at(i).rule == rule && of.pd == shape.pd && of.mr == shape.mr &&
        of.mw == shape.mw && of.qp == shape.qp && of.option == shape.option &&
        of.elements == shape.elements)
      return i;
  }
  throw "there is no such preparation";
}

constexpr auto kRegion = place("reg_mr.ok", slots(Verb::reg_mr, 0, 0));
constexpr auto kSecond = place("reg_mr.ok", slots(Verb::reg_mr, 0, 1));
constexpr auto kWindow1 = place("alloc_mw.ok", slots(Verb::alloc_mw, 0, 0, 0, 0, model::kTypeOne));
constexpr auto kWindow2 = place("alloc_mw.ok", slots(Verb::alloc_mw, 0, 0, 0, 0, model::kTypeTwo));
constexpr auto kAdvice =
    place("advise_mr.ok", slots(Verb::advise_mr, 0, 0, 0, 0, model::kPrefetch));
constexpr auto kReceive0 = place("post_recv.ok", slots(Verb::post_recv, 0, 0, 0, 0));
constexpr auto kReceive1 = place("post_recv.ok", slots(Verb::post_recv, 0, 0, 0, 1));
constexpr auto kReceiveBoth =
    place("post_recv.ok", two_elements(slots(Verb::post_recv, 0, 0, 0, 1)));
constexpr auto kUnmap = place("protect.ok", slots(Verb::protect, 0, 0, 0, 0, model::kNoPages));
constexpr auto kReadOnly = place("protect.ok", slots(Verb::protect, 0, 0, 0, 0, model::kReadPages));

/// What most traces begin with. The solver goes these much faster than if it has to choose.
const std::vector<std::vector<std::size_t>> kBeatenPaths{
    {kRegion},
    {kRegion, kUnmap},
    {kRegion, kReadOnly},
    {kRegion, kSecond},
    {kRegion, kReceive1},
    {kRegion, kSecond, kUnmap},
    {kRegion, kReceive1, kUnmap},
    {kRegion, kSecond, kReceive1},
    {kRegion, kReceive0},
    {kRegion, kReceiveBoth},
    {kRegion, kReceiveBoth, kUnmap},
    {kRegion, kWindow1},
    {kRegion, kWindow2},
    {kRegion, kAdvice},
    {kRegion, kAdvice, kUnmap},
};

/// Whether the keys of a new object are new, as devices choose them.
smt::Bit keys_new(const State<Terms>& state, const model::Result<Terms>& result, bool has_lkey) {
  const auto rkey = model::key_index(result.rkey);
  auto fresh = rkey != model::key_index(Terms::key(0));
  const auto apart = [&](const auto& key) { fresh = fresh & (rkey != model::key_index(key)); };
  for (const auto& r : state.regions) {
    for (const auto* key : {&r.lkey, &r.rkey, &r.old_lkey, &r.old_rkey}) apart(*key);
  }
  for (const auto& w : state.windows) {
    apart(w.rkey);
    apart(w.old_rkey);
  }
  return has_lkey ? fresh & (result.lkey == result.rkey) : fresh;
}

/// Whether the device is asked for no more than it says that it has.
smt::Bit has_plain_rights(const State<Terms>& start, const model::Call<Terms>& call) {
  const auto rights = Terms::flags(model::kLocalWrite | model::kRemoteRead | model::kRemoteWrite);
  const auto own = start.defined & Terms::flags(model::kAllocateMr | model::kShared);
  return (call.access & ~(rights | own | start.can.claimed)) == Terms::flags(0);
}

/// Whether what is an enumerator of the result is one that is seen there.
smt::Bit has_names(const model::Result<Terms>& result) {
  const auto outcome = [](const Terms::Small& of) {
    return (of < Terms::small(model::kOutcomes)) & (of != Terms::small(Outcome::refused));
  };
  const auto states = Terms::small(model::kQpStateNames.size());
  return outcome(result.own_receive) & outcome(result.peer_receive) & (result.qp_state < states) &
         (result.peer_state < states) &
         ((result.rights & ~Terms::flags(model::kRightsTold | model::kPairRights)) ==
          Terms::flags(0)) &
         ((result.rights == Terms::flags(0)) |
          ((result.rights & model::kRightsTold) != Terms::flags(0)));
}

/// The name that a program has for a key of that value.
model::KeyName name_of(Plain::Key key, const State<Plain>& state, bool local) {
  using enum model::KeyName::Kind;
  const auto wanted = static_cast<std::uint32_t>(key.value());
  model::KeyName name;
  name.value = wanted;
  const auto take = [&](model::KeyName::Kind kind, std::size_t slot, Plain::Key of, bool flipped) {
    const auto known = static_cast<std::uint32_t>(of.value());
    if (name.kind != value || known == 0) return;
    if (known != wanted && !(flipped && (known ^ wanted) <= 0xff)) return;
    name = {kind, static_cast<std::uint32_t>(slot), known ^ wanted, 0};
  };
  for (const bool live : {true, false}) {
    for (std::size_t i = 0; i < state.regions.size(); ++i) {
      const auto& r = state.regions[i];
      if (r.live.truth() != live) continue;
      take(local ? lkey : rkey, i, local ? r.lkey : r.rkey, false);
      take(local ? old_lkey : old_rkey, i, local ? r.old_lkey : r.old_rkey, false);
    }
    for (const bool flipped : {false, true})
      for (std::size_t i = 0; i < state.windows.size(); ++i) {
        const auto& w = state.windows[i];
        if (local || w.live.truth() != live) continue;
        take(window_rkey, i, w.rkey, flipped && w.two.truth());
        take(old_window_rkey, i, w.old_rkey, false);
      }
  }
  return name;
}

}  // namespace

/// States in terms, one after the other.
class BoundedSearch::Path {
 public:
  Path(const BoundedSearch& search, AnyDevice device) : search_(search) {
    begin(device);
    states_.push_back(std::make_unique<State<Terms>>(start_));
  }

  /// Of any kind, or of that one.
  void add_step(std::optional<std::size_t> kind = {}) {
    const auto prefix = "step" + std::to_string(steps_.size()) + ".";
    steps_.push_back(kind ? Terms::small(static_cast<std::uint8_t>(*kind))
                          : Terms::Small::unknown(prefix + "kind"));
    const State<Terms> before = *states_.back();
    auto after = std::make_unique<State<Terms>>(before);
    auto some = smt::Bit(false);
    for (std::size_t i = 0; i < kPreparations.size(); ++i) {
      if (kind && i != *kind) continue;
      const auto& preparation = kPreparations.at(i);
      const auto row = std::find_if(search_.rows_.begin(), search_.rows_.end(),
                                    [&](const Row& r) { return r.id == preparation.rule; });
      if (row == search_.rows_.end()) continue;
      const auto chosen = steps_.back() == Terms::small(i);
      const auto call = unknown_call(prefix, preparation.shape);
      const auto result = unknown_result(prefix + "result.", row->rule.outcome);
      const model::View<Terms> view{before, call, result};
      auto next = before;
      some = some | (chosen & writable(call) & preconditions_kept(*row, view) &
                     requirements_met(*row, view) & some_reason(*row, view));
      require(model::implies(chosen, has_plain_rights(start_, call)));
      if (call.verb == Verb::rereg_mr)
        require(model::implies(chosen, call.flags != Terms::flags(0)));
      if (model::tells_lkey(call.verb) || call.verb == Verb::alloc_mw)
        require(model::implies(chosen, keys_new(before, result, model::tells_lkey(call.verb))));
      row->take_effect(view, next);
      state_fields(
          [&](const std::string&, auto& field, const auto& changed, const auto& old) {
            if (changed.ref() != old.ref()) field = Terms::select(chosen, changed, field);
          },
          *after, next, before);
    }
    require(some);
    states_.push_back(std::move(after));
  }

  /// Other steps than those.
  void exclude(const std::vector<std::size_t>& kinds) {
    auto same = smt::Bit(true);
    for (std::size_t i = 0; i < kinds.size(); ++i)
      same = same & (steps_.at(i) == Terms::small(kinds[i]));
    require(!same);
  }

  void require(smt::Bit bit) { all_.push_back(bit.ref()); }
  [[nodiscard]] const State<Terms>& end() const { return *states_.back(); }
  [[nodiscard]] const std::vector<Ref>& all() const { return all_; }

  /// What the values say.
  [[nodiscard]] Proposal proposal(const smt::Assignment& values, const Shape& shape) const {
    Proposal proposal;
    proposal.can = number_of(*states_.front(), values).can;
    setup(number_of(*states_.front(), values), proposal.setup);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const auto kind = smt::evaluate(Store::current(), {steps_[i].ref()}, values).front();
      const auto& of = kPreparations.at(static_cast<std::size_t>(kind)).shape;
      proposal.kinds.push_back(static_cast<std::size_t>(kind));
      proposal.rules.emplace_back(kPreparations.at(static_cast<std::size_t>(kind)).rule);
      proposal.steps.push_back(
          call_of("step" + std::to_string(i) + ".", of, number_of(*states_[i], values), values));
    }
    const auto last = number_of(end(), values);
    proposal.last = call_of("call.", shape, last, values);
    const auto seen = unknown_result("result.", Outcome::ok);
    result_fields([&](const std::string&, const auto& term,
                      auto& field) { field = plain(field, term.ref(), values); },
                  seen, proposal.result);
    proposal.lkey = name_of(proposal.result.lkey, last, true);
    proposal.rkey = name_of(proposal.result.rkey, last, false);
    return proposal;
  }

 private:
  /// The start of a case: any setup of two protection domains and one pair.
  void begin(AnyDevice device) {
    const auto& book = *model::find_rulebook(model::kDialects.at(search_.dialect_));
    start_.defined = Terms::flags(book.defined_access());
    const auto& can = search_.can_;
    start_.can.max_message = Terms::address(can.max_message.value());
    start_.can.claimed = Terms::flags(can.claimed.value());
    start_.can.features = Terms::flags(can.features.value());
    if (device != AnyDevice::full) any_device();
    if (device == AnyDevice::iwarp)
      start_.can.features = start_.can.features | Terms::flags(model::kIwarp);
    for (std::size_t i = 0; i < start_.pds.size(); ++i)
      start_.pds.at(i).live = smt::Bit::unknown(slot_path("pd", i) + "live");
    const auto pair = smt::Bit::unknown("pair");
    for (std::size_t i = 0; i < start_.qps.size(); ++i) {
      auto& qp = start_.qps.at(i);
      const auto second = smt::Bit::unknown(slot_path("qp", i) + "pd1");
      qp.live = pair;
      qp.pd = Terms::select(second & pair, Terms::small(1), Terms::small(0));
      qp.state = Terms::select(pair, Terms::small(model::QpState::rts), Terms::small(0));
      require(model::implies(pair,
                             Terms::select(second, start_.pds.at(1).live, start_.pds.at(0).live)));
    }
    for (std::size_t i = 0; i < start_.buffers.size(); ++i) {
      start_.buffers.at(i).first = Terms::address(model::buffer_address(i));
      start_.buffers.at(i).last =
          Terms::address(model::buffer_address(i) + model::buffer_size(i) - 1);
    }
  }

  void any_device() {
    const auto both = Terms::flags(model::kMwType2A | model::kMwType2B);
    start_.can.claimed = Terms::Flags::unknown("can.claimed") & start_.can.claimed;
    start_.can.features = Terms::Flags::unknown("can.features") &
                          (start_.can.features | Terms::flags(model::kMwType2A));
    require((start_.can.features & both) != both);
    start_.can.max_message = Terms::Address::unknown("can.max_message");
    require(Terms::address(1) <= start_.can.max_message);
    require(start_.can.max_message <= Terms::address(search_.can_.max_message.value()));
  }

  static model::Bit plain(const model::Bit& /*like*/, Ref ref, const smt::Assignment& values) {
    return model::Bit(smt::evaluate(Store::current(), {ref}, values).front() != 0);
  }
  template <class Word>
  static Word plain(const Word& /*like*/, Ref ref, const smt::Assignment& values) {
    return Word(static_cast<std::uint64_t>(smt::evaluate(Store::current(), {ref}, values).front()));
  }

  static State<Plain> number_of(const State<Terms>& state, const smt::Assignment& values) {
    std::vector<Ref> refs;
    state_fields([&](const std::string&, const auto& field) { refs.push_back(field.ref()); },
                 state);
    const auto numbers = smt::evaluate(Store::current(), refs, values);
    State<Plain> result;
    set_fields(state, result, numbers);
    return result;
  }

  static void setup(const State<Plain>& start, model::Setup& setup) {
    for (std::size_t i = 0; i < Terms::kPds; ++i) setup.pd.at(i) = start.pds.at(i).live.truth();
    for (std::size_t i = 0; i < Terms::kQps; ++i)
      if (start.qps.at(i).live.truth()) setup.qp_pd.at(i) = start.qps.at(i).pd.value();
  }

  static model::PlannedCall call_of(const std::string& prefix, const Shape& shape,
                                    const State<Plain>& before, const smt::Assignment& values) {
    model::PlannedCall planned;
    const auto terms = unknown_call(prefix, shape);
    copy_slots(planned.call, terms);
    call_fields([&](const std::string&, const auto& term,
                    auto& field) { field = plain(field, term.ref(), values); },
                terms, planned.call);
    if (has_value(shape, "lkey")) planned.lkey = name_of(planned.call.lkey, before, true);
    if (has_value(shape, "second.lkey"))
      planned.second = name_of(planned.call.second.lkey, before, true);
    if (has_value(shape, "rkey")) planned.rkey = name_of(planned.call.rkey, before, false);
    return planned;
  }

  const BoundedSearch& search_;
  State<Terms> start_;
  std::vector<std::unique_ptr<State<Terms>>> states_;
  std::vector<Terms::Small> steps_;  ///< which preparation each is
  std::vector<Ref> all_;
};

BoundedSearch::BoundedSearch(std::size_t dialect, const model::Capabilities<Plain>& can)
    : dialect_(dialect), can_(can), rows_(rows_of(1U << dialect)) {}

std::optional<Proposal> BoundedSearch::find(const Goal& goal, const Shape& shape, std::size_t steps,
                                            AnyDevice device, const std::vector<Proposal>& tried) {
  const Store store;
  Path path(*this, device);
  for (std::size_t i = 0; i < steps; ++i) path.add_step();
  for (const Proposal& other : tried) path.exclude(other.kinds);
  // What is not found soon is not worth the wait: a proposal is all that it would be.
  constexpr unsigned kLimit = 1'000'000;
  return solve(path, goal, shape, device, kLimit);
}

std::size_t BoundedSearch::beaten_paths() { return kBeatenPaths.size(); }

std::optional<Proposal> BoundedSearch::find_after(const Goal& goal, const Shape& shape,
                                                  std::size_t beaten, AnyDevice device) {
  const Store store;
  Path path(*this, device);
  for (const auto& rule : kBeatenPaths.at(beaten)) path.add_step(rule);
  constexpr unsigned kLimit = 2'000'000;
  return solve(path, goal, shape, device, kLimit);
}

std::optional<Proposal> BoundedSearch::solve(Path& path, const Goal& goal, const Shape& shape,
                                             AnyDevice device, unsigned limit) {
  for (const auto& bit : goal(path.end(), shape)) path.require(bit);
  path.require(has_names(unknown_result("result.", Outcome::ok)));
  if (device == AnyDevice::full)
    path.require(has_plain_rights(path.end(), unknown_call("call.", shape)));
  if (std::find(path.all().begin(), path.all().end(), smt::kFalse) != path.all().end())
    return std::nullopt;
  constexpr unsigned kMostRounds = 200;
  Known known;  // lemmas of other questions are more than help
  Questions questions({0, limit}, known, {}, kMostRounds);
  const auto reply = questions.possible("bounded", path.all());
  if (reply.answer != smt::Answer::satisfiable) return std::nullopt;
  return path.proposal(reply.values, shape);
}

}  // namespace mrproof::specs
