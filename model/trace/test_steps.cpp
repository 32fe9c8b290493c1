#include "model/trace/test_steps.hpp"

#include "model/trace/layout.hpp"
#include "model/trace/trace_form.hpp"

namespace mrproof::model::testing {

namespace {

/// A number of any size.
std::uint64_t number(Random& random, unsigned bits) {
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits);
  return random.chance(10) ? most : (random.next() & most) >> random.below(bits);
}

std::uint64_t address(Random& random) {
  if (random.chance(30)) return number(random, 64);
  return buffer_address(random.below(kBufferCount)) + random.below(40000) - 10000;
}

std::uint32_t slot(Random& random, std::size_t slots) {
  return static_cast<std::uint32_t>(random.below(slots));
}

KeyName key(Random& random) {
  using Kind = KeyName::Kind;
  KeyName name;
  name.kind = random.pick({Kind::value, Kind::lkey, Kind::rkey, Kind::old_lkey, Kind::old_rkey,
      Kind::window_rkey, Kind::old_window_rkey});
  const auto bits = static_cast<std::uint32_t>(number(random, 32));
  if (name.kind == Kind::value) {
    name.value = bits;
    return name;
  }
  const bool window = name.kind == Kind::window_rkey || name.kind == Kind::old_window_rkey;
  name.slot = slot(random, window ? Plain::kWindows : Plain::kRegions);
  name.flip = random.chance(50) ? 0 : bits;
  return name;
}

void draw_elements(Step& step, Random& random) {
  auto& c = step.call;
  step.lkey = key(random);
  c.address = Plain::address(address(random));
  c.length = Plain::address(number(random, 32));
  if (random.chance(50)) return;
  c.elements = 2;
  step.second = key(random);
  c.second.address = Plain::address(address(random));
  c.second.length = Plain::address(number(random, 32));
}

void draw(Argument argument, Step& step, Random& random) {
  auto& c = step.call;
  const auto flags = Plain::flags(number(random, 32));
  switch (argument) {
    case Argument::none: break;
    case Argument::pd: c.pd = slot(random, Plain::kPds); break;
    case Argument::mr: c.mr = slot(random, Plain::kRegions); break;
    case Argument::mw: c.mw = slot(random, Plain::kWindows); break;
    case Argument::qp: c.qp = slot(random, Plain::kQps); break;
    case Argument::source: c.source = slot(random, Plain::kRegions); break;
    case Argument::address: c.address = Plain::address(address(random)); break;
    case Argument::offset: c.address = Plain::address(number(random, 64)); break;
    case Argument::length: c.length = Plain::address(number(random, 64)); break;
    case Argument::stretch: c.length = Plain::address(random.below(kLastBufferSize + 1)); break;
    case Argument::iova: c.iova = Plain::address(address(random)); break;
    case Argument::access: c.access = flags; break;
    case Argument::changes:
    case Argument::advise_flags: c.flags = flags; break;
    case Argument::advice: c.option = static_cast<std::uint8_t>(random.below(256)); break;
    case Argument::window_type: c.option = random.pick({kTypeOne, kTypeTwo}); break;
    case Argument::protection: c.option = random.pick({kNoPages, kReadPages, kWritePages}); break;
    case Argument::elements: draw_elements(step, random); break;
    case Argument::rkey: step.rkey = key(random); break;
    case Argument::remote: c.remote = Plain::address(address(random)); break;
    case Argument::operand: c.operand = Plain::address(number(random, 64)); break;
    case Argument::swap: c.swap = Plain::address(number(random, 64)); break;
    case Argument::seed: c.seed = static_cast<std::uint8_t>(random.below(256)); break;
  }
}

void draw_result(Step& step, Random& random) {
  auto& r = step.result;
  step.observed = true;
  r.completion_matches = Bit(true);
  r.outcome = random.pick({Outcome::ok, Outcome::refused, Outcome::mw_bind_err});
  const Verb verb = step.call.verb;
  if (r.outcome == Outcome::refused) {
    const bool code = random.chance(50);
    r.error = Plain::key(code ? 0U - random.below(7) : random.below(140));
    if (verb == Verb::rereg_mr) r.reason = Plain::key(random.below(140));
  }
  step.keys_seen = tells_keys(verb, r) && random.chance(80);
  if (step.keys_seen) r.rkey = Plain::key(number(random, 32));
  if (step.keys_seen && tells_lkey(verb)) r.lkey = Plain::key(number(random, 32));
  if (verb == Verb::query_qp && random.chance(50))
    r.rights = Plain::flags(kRightsTold | (kPairRights & random.below(16)));
  if (!is_transfer(verb)) return;
  r.completion_matches = Bit(r.outcome == Outcome::refused || random.chance(90));
  r.qp_state = Plain::small(random.below(4));
  r.peer_state = Plain::small(random.below(4));
  r.peer_receive = Plain::small(random.below(kOutcomes));
  r.received = Plain::address(number(random, 32));
}

std::vector<std::uint64_t> call_fields(const Call<Plain>& c) {
  return {static_cast<std::uint64_t>(c.verb), c.pd, c.mr, c.mw, c.qp, c.source, c.option, c.seed,
      c.elements, c.delay, c.follows, c.access.value(), c.flags.value(), c.address.value(),
      c.length.value(), c.second.address.value(), c.second.length.value(), c.remote.value(),
      c.iova.value(), c.operand.value(), c.swap.value()};
}

std::vector<std::uint64_t> result_fields(const Step& step) {
  const auto& r = step.result;
  // A refused work request has no completion.
  const bool matches =
      r.completion_matches.truth() || !is_transfer(step.call.verb) || r.outcome == Outcome::refused;
  return {static_cast<std::uint64_t>(r.outcome), r.error.value(), r.reason.value(), r.lkey.value(),
      r.rkey.value(), matches, r.qp_state.value(), r.peer_state.value(), r.own_receive.value(),
      r.peer_receive.value(), r.received.value(), r.rights.value(), step.timed_out, step.observed};
}

::testing::AssertionResult answer(bool same, const Step& a, const Step& b) {
  if (same) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << print_call(a) << " -> " << print_result(a) << "\nbecame\n"
                                       << print_call(b) << " -> " << print_result(b);
}

}  // namespace

Step random_step(Verb verb, Random& random) {
  Step step;
  step.call.verb = verb;
  step.result.own_receive = step.result.peer_receive = Plain::small(Outcome::none);
  const Form form = form_of(verb);
  draw(form.target, step, random);
  for (const auto argument : form.arguments) draw(argument, step, random);
  if (random.chance(20))
    step.call.delay = static_cast<std::uint32_t>(random.between(1, kMostDelay));
  if (random.chance(90)) draw_result(step, random);
  return step;
}

::testing::AssertionResult same_call(const Step& a, const Step& b) {
  return answer(call_fields(a.call) == call_fields(b.call) && a.lkey == b.lkey &&
                    a.second == b.second && a.rkey == b.rkey,
      a, b);
}

::testing::AssertionResult same(const Step& a, const Step& b) {
  const bool rest = result_fields(a) == result_fields(b) && a.bytes == b.bytes &&
                    a.annotations == b.annotations && a.remarks == b.remarks;
  return answer(same_call(a, b) && rest, a, b);
}

void expect_same_after_printing(const Trace& trace) {
  const std::string text = print_trace(trace);
  const Trace again = parse_trace(text, "again");
  ASSERT_EQ(again.steps.size(), trace.steps.size());
  EXPECT_EQ(again.setup, trace.setup);
  EXPECT_EQ(again.can.claimed.value(), trace.can.claimed.value());
  EXPECT_EQ(again.can.max_message.value(), trace.can.max_message.value());
  EXPECT_EQ(again.can.features.value(), trace.can.features.value());
  EXPECT_EQ(again.dialect, trace.dialect);
  EXPECT_EQ(again.comments, trace.comments);
  for (std::size_t i = 0; i < trace.steps.size(); ++i)
    EXPECT_TRUE(same(trace.steps[i], again.steps[i]));
  EXPECT_EQ(print_trace(again), text);
}

}  // namespace mrproof::model::testing
