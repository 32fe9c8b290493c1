#include "specs/traces/concrete_rules.hpp"

#include <algorithm>

#include "model/trace/layout.hpp"
#include "specs/theorems/all.hpp"

namespace mrproof::specs {

using smt::Number;
using smt::Ref;
using smt::Store;

/// Terms to be evaluated, in order.
struct ConcreteRules::Program {
  explicit Program(std::vector<Ref> of)
      : roots(std::move(of)), order(Store::current().cone(roots)) {}
  std::vector<Ref> roots;
  std::vector<Ref> order;
};

/// A fact that speaks of any key or any byte.
struct ConcreteRules::Asked {
  std::string of;
  Program broken;
  bool of_key;
  bool of_offset;
};

/// What a theorem says of a step or a call; each as what is given and that it does not hold.
struct ConcreteRules::Facts {
  std::vector<std::string> of;
  Program broken{{}};  ///< for each of these
  std::vector<Asked> others;
};

struct ConcreteRules::StepTerms {
  StepTerms(const Row& row, const Shape& shape)
      : world(row, shape), allowed({world.allowed().ref()}) {}
  StepWorld world;
  Program allowed;
  std::optional<Program> after;
  std::map<std::string, Facts> facts;
};

struct ConcreteRules::ChoiceTerms {
  ChoiceTerms(const std::vector<Row>& rows, DialectSet dialect, const Shape& shape)
      : world(rows, dialect, shape),
        may_be_made({world.may_be_made().ref()}),
        situations(situations_of(world)) {}
  static std::vector<Ref> situations_of(const ChoiceWorld& world) {
    std::vector<Ref> all;
    for (const auto& rule : world.rules()) all.push_back(rule.situation.ref());
    return all;
  }
  ChoiceWorld world;
  Program may_be_made;
  Program situations;
  std::map<std::string, Facts> facts;
};

namespace {

Shape shape_of(const Call<Plain>& call) {
  const auto small = [](std::uint32_t slot) { return static_cast<std::uint8_t>(slot); };  // fits()
  return {call.verb,      small(call.pd),     small(call.mr), small(call.mw),
          small(call.qp), small(call.source), call.option,    call.elements};
}

/// Whether the address lies in a buffer that the proofs do not have.
bool is_elsewhere(std::uint64_t address) {
  const auto first = model::buffer_address(Terms::kBuffers) - model::kPageSize;
  const auto last =
      model::buffer_address(model::kBufferCount - 1) + model::kLastBufferSize + model::kPageSize;
  return first <= address && address <= last;
}

}  // namespace

ConcreteRules::ConcreteRules(const std::vector<Row>& rows, DialectSet dialect)
    : rows_(rows),
      dialect_(dialect),
      before_(unknown_state("before.")),
      seen_(unknown_result("result.", Outcome::ok)),
      key_(Terms::Key::unknown("key").ref()),
      offset_(Terms::Address::unknown("offset").ref()) {}

ConcreteRules::~ConcreteRules() = default;

bool ConcreteRules::fits(const Call<Plain>& call) {
  for (const auto address : {call.address, call.second.address, call.remote, call.iova})
    if (is_elsewhere(address.value())) return false;
  return call.pd < Terms::kPds && call.mr < Terms::kRegions && call.source < Terms::kRegions &&
         call.mw < Terms::kWindows && call.qp < Terms::kQps;
}

const std::string& ConcreteRules::shape_name(const Shape& shape) {
  if (!(shape == last_shape_) || !last_call_) {
    last_shape_ = shape;
    last_name_ = text_of(shape);
    last_call_ = unknown_call("call.", shape);
  }
  return last_name_;
}

ConcreteRules::StepTerms& ConcreteRules::step(const Row& row, const Shape& shape) {
  auto& found = steps_[{&row, shape_name(shape)}];
  if (!found) found = std::make_unique<StepTerms>(row, shape);
  return *found;
}

ConcreteRules::ChoiceTerms& ConcreteRules::choice(const Shape& shape) {
  auto& found = choices_[shape_name(shape)];
  if (!found) found = std::make_unique<ChoiceTerms>(rows_, dialect_, shape);
  return *found;
}

void ConcreteRules::set(Ref unknown, std::uint64_t value) {
  const auto& node = store_.node(unknown);
  if (node.op != smt::Op::unknown) return;
  const auto index = static_cast<std::size_t>(node.value);
  if (values_.size() <= index) values_.resize(index + 1);
  values_[index] = value;
}

void ConcreteRules::set(const State<Plain>& state, const Call<Plain>& call,
                        const Result<Plain>* result) {
  const auto pair = [&](const std::string&, const auto& term, const auto& value) {
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, model::Bit>)
      set(term.ref(), value.truth() ? 1 : 0);
    else
      set(term.ref(), value.value());
  };
  state_fields(pair, before_, state);
  (void)shape_name(shape_of(call));
  call_fields(pair, *last_call_, call);
  if (result != nullptr) result_fields(pair, seen_, *result);
}

std::vector<Number> ConcreteRules::run(const Program& program) {
  if (known_.size() < store_.size()) known_.resize(store_.size());
  for (const Ref ref : program.order) {
    const auto& node = store_.node(ref);
    if (node.op == smt::Op::constant) {
      known_[ref] = node.value;
    } else if (node.op == smt::Op::unknown) {
      const auto index = static_cast<std::size_t>(node.value);
      known_[ref] = index < values_.size() ? values_[index] & smt::greatest(node.width) : 0;
    } else {
      const auto arg = [&](std::size_t i) {
        return i < smt::arity(node.op) ? known_[node.args.at(i)] : 0;
      };
      known_[ref] = smt::apply(node.op, node.width, arg(0), arg(1), arg(2));
    }
  }
  std::vector<Number> results;
  for (const Ref root : program.roots) results.push_back(known_[root]);
  return results;
}

bool ConcreteRules::holds(const Program& program) { return run(program).front() != 0; }

bool ConcreteRules::may_be_made(const State<Plain>& state, const Call<Plain>& call) {
  auto& terms = choice(shape_of(call));
  if (!terms.world.has_rules()) return false;
  set(state, call, nullptr);
  return holds(terms.may_be_made);
}

std::vector<const Row*> ConcreteRules::possible(const State<Plain>& state,
                                                const Call<Plain>& call) {
  auto& terms = choice(shape_of(call));
  set(state, call, nullptr);
  const auto situations = run(terms.situations);
  std::vector<const Row*> rows;
  for (std::size_t i = 0; i < situations.size(); ++i)
    if (situations[i] != 0) rows.push_back(terms.world.rows().at(i));
  return rows;
}

std::vector<const Row*> ConcreteRules::allowing(const State<Plain>& state, const Call<Plain>& call,
                                                const Result<Plain>& result) {
  const Shape shape = shape_of(call);
  set(state, call, &result);
  std::vector<const Row*> rows;
  for (const Row& row : rows_) {
    if (row.verb != call.verb || (row.dialects & dialect_) == 0 ||
        row.rule.outcome != result.outcome)
      continue;
    auto& terms = step(row, shape);
    if (holds(terms.allowed)) rows.push_back(&row);
  }
  return rows;
}

State<Plain> ConcreteRules::after(const Row& row, const State<Plain>& state,
                                  const Call<Plain>& call, const Result<Plain>& result) {
  auto& terms = step(row, shape_of(call));
  if (!terms.after) {
    std::vector<Ref> fields;
    state_fields([&](const std::string&, const auto& field) { fields.push_back(field.ref()); },
                 terms.world.after());
    terms.after.emplace(std::move(fields));
  }
  set(state, call, &result);
  const auto values = run(*terms.after);
  State<Plain> next = state;
  set_fields(terms.world.after(), next, values);
  return next;
}

namespace {

/// What is given, and the fact's negation.
Ref counterexample_to(const Fact<Terms>& fact) {
  auto bit = !fact.holds;
  for (const auto& given : fact.given) bit = bit & given;
  return bit.ref();
}

/// The keys that the step is about.
std::vector<std::uint64_t> keys_of(const State<Plain>& state, const Call<Plain>& call,
                                   const Result<Plain>& result) {
  std::vector<std::uint64_t> keys{call.rkey.value(), call.lkey.value(), result.lkey.value(),
                                  result.rkey.value()};
  for (const auto& r : state.regions)
    for (const auto key : {r.lkey, r.rkey, r.old_lkey, r.old_rkey}) keys.push_back(key.value());
  for (const auto& w : state.windows)
    for (const auto key : {w.rkey, w.old_rkey}) keys.push_back(key.value());
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// Distances from the start of what moves: the ends of its parts.
std::vector<std::uint64_t> offsets_of(const Call<Plain>& call) {
  const auto one = call.length.value();
  const auto two = call.second.length.value();
  return {0, one - 1, one, one + two - 1, 7};
}

}  // namespace

ConcreteRules::Facts ConcreteRules::facts_from(const std::vector<Fact<Terms>>& all) const {
  Facts facts;
  std::vector<Ref> plain;
  for (const auto& fact : all) {
    Program program({counterexample_to(fact)});
    const auto speaks = [&](Ref of) {
      return std::binary_search(program.order.begin(), program.order.end(), of);
    };
    const bool of_key = speaks(key_);
    const bool of_offset = speaks(offset_);
    if (of_key || of_offset) {
      facts.others.push_back({fact.of, std::move(program), of_key, of_offset});
    } else {
      facts.of.push_back(fact.of);
      plain.push_back(program.roots.front());
    }
  }
  facts.broken = Program(std::move(plain));
  return facts;
}

std::optional<std::string> ConcreteRules::broken(const Facts& facts,
                                                 const std::vector<std::uint64_t>& keys,
                                                 const std::vector<std::uint64_t>& offsets) {
  const auto found = run(facts.broken);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i] != 0) return facts.of.at(i);
  for (const Asked& fact : facts.others) {
    for (std::size_t k = 0; k < (fact.of_key ? keys.size() : 1); ++k) {
      for (std::size_t o = 0; o < (fact.of_offset ? offsets.size() : 1); ++o) {
        set(key_, keys.at(k));
        set(offset_, offsets.at(o));
        if (holds(fact.broken)) return fact.of;
      }
    }
  }
  return std::nullopt;
}

std::optional<BrokenFact> ConcreteRules::broken_by_step(const std::vector<std::string>& theorems,
                                                        const Row& row, const State<Plain>& state,
                                                        const Call<Plain>& call,
                                                        const Result<Plain>& result) {
  auto& terms = step(row, shape_of(call));
  const auto make = [&](const std::string& theorem) -> Facts {
    for (const auto& t : step_theorems<Terms>()) {
      if (theorem != t.name) continue;
      specs::Facts<Terms> facts;
      t.facts(terms.world.taken(), facts);
      return facts_from(facts.all());
    }
    for (const auto& t : invariants<Terms>())
      if (theorem == t.name) return facts_from(terms.world.news(t));
    return {};
  };
  for (const auto& theorem : theorems)
    if (!terms.facts.contains(theorem)) terms.facts.emplace(theorem, make(theorem));
  set(state, call, &result);
  const auto keys = keys_of(state, call, result);
  const auto offsets = offsets_of(call);
  for (const auto& theorem : theorems)
    if (auto of = broken(terms.facts.at(theorem), keys, offsets)) return BrokenFact{theorem, *of};
  return std::nullopt;
}

std::optional<BrokenFact> ConcreteRules::broken_by_choice(const std::vector<std::string>& theorems,
                                                          const State<Plain>& state,
                                                          const Call<Plain>& call) {
  auto& terms = choice(shape_of(call));
  if (!terms.world.has_rules()) return std::nullopt;
  const auto make = [&](const std::string& theorem) -> Facts {
    const auto choice = terms.world.choice();
    specs::Facts<Terms> facts;
    for (const auto& t : choice_theorems<Terms>())
      if (theorem == t.name) t.facts(choice, facts);
    return facts_from(facts.all());
  };
  for (const auto& theorem : theorems)
    if (!terms.facts.contains(theorem)) terms.facts.emplace(theorem, make(theorem));
  set(state, call, nullptr);
  for (const auto& theorem : theorems)
    if (auto of = broken(terms.facts.at(theorem), {0}, {0})) return BrokenFact{theorem, *of};
  return std::nullopt;
}

}  // namespace mrproof::specs
