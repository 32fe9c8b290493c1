#include "model/alphabet/calls.hpp"

namespace mrproof::model {

namespace {

void apply(Step& step, Argument argument, const Choice& choice) {
  auto& c = step.call;
  const auto small = static_cast<std::uint8_t>(choice.at);
  switch (argument) {
    case Argument::none: break;
    case Argument::pd: c.pd = small; break;
    case Argument::mr: c.mr = small; break;
    case Argument::mw: c.mw = small; break;
    case Argument::qp: c.qp = small; break;
    case Argument::source: c.source = small; break;
    case Argument::address:
    case Argument::offset: c.address = Plain::address(choice.at); break;
    case Argument::length:
    case Argument::stretch: c.length = Plain::address(choice.at); break;
    case Argument::iova: c.iova = Plain::address(choice.at); break;
    case Argument::access: c.access = Plain::flags(choice.at); break;
    case Argument::changes:
    case Argument::advise_flags: c.flags = Plain::flags(choice.at); break;
    case Argument::advice:
    case Argument::window_type:
    case Argument::protection: c.option = small; break;
    case Argument::elements:
      step.lkey = choice.key;
      c.address = Plain::address(choice.at);
      c.length = Plain::address(choice.length);
      break;
    case Argument::rkey: step.rkey = choice.key; break;
    case Argument::remote: c.remote = Plain::address(choice.at); break;
    case Argument::operand: c.operand = Plain::address(choice.at); break;
    case Argument::swap: c.swap = Plain::address(choice.at); break;
    case Argument::seed: c.seed = small; break;
  }
}

std::vector<Argument> arguments_of(Verb verb) {
  const Form form = form_of(verb);
  std::vector<Argument> arguments;
  // The target first: others may depend on it.
  if (form.target != Argument::none) arguments.push_back(form.target);
  for (const auto argument : form.arguments)
    if (argument != Argument::none) arguments.push_back(argument);
  // A key wanted for a window depends on the window only, a bind's range on the region.
  return arguments;
}

void fill_in(const State<Plain>& state, const std::vector<Argument>& arguments, std::size_t next,
    Step& step, unsigned odd, const Choose& choose, const std::function<void(const Step&)>& visit) {
  if (next == arguments.size()) return visit(step);
  const auto choices = choose(state, step, arguments[next]);
  for (const auto& choice : choices.sound) {
    apply(step, arguments[next], choice);
    fill_in(state, arguments, next + 1, step, odd, choose, visit);
  }
  if (odd == 0) return;
  for (const auto& choice : choices.odd) {
    apply(step, arguments[next], choice);
    fill_in(state, arguments, next + 1, step, odd - 1, choose, visit);
  }
}

Step call_of(Verb verb) {
  Step step;
  step.call.verb = verb;
  step.result.own_receive = Plain::small(Outcome::none);
  step.result.peer_receive = Plain::small(Outcome::none);
  return step;
}

}  // namespace

void each_call(const State<Plain>& state, Verb verb, unsigned odd, const Choose& choose,
    const std::function<void(const Step&)>& visit) {
  Step step = call_of(verb);
  fill_in(state, arguments_of(verb), 0, step, odd, choose, visit);
}

void add(std::vector<Choice>& to, const Values& values) {
  for (const auto value : values) to.push_back({value, {}, 0});
}

Choices choose(const Values& sound, const Values& odd) {
  Choices choices;
  add(choices.sound, sound);
  add(choices.odd, odd);
  return choices;
}

}  // namespace mrproof::model
