#include "property-tests/guide/guide.hpp"

#include <algorithm>

#include "model/trace/layout.hpp"
#include "property-tests/shrink/shrink_form.hpp"

namespace mrproof::property_tests {

Scenario Guide::next() {
  Scenario scenario;
  scenario.led = true;
  scenario.walk_seed = random_.next();
  scenario.walk_steps = case_steps_;
  scenario.walk_wrong_percent = random_.pick({0U, 15U, 15U, 50U});
  const auto roll = random_.below(100);
  if (roll < 15 || (kept_.empty() && given_.empty())) return scenario;
  model::Trace trace = earlier();
  if (roll < 35)
    cut(trace);
  else if (roll < 50)
    join(trace);
  else
    edit(trace);
  drop_strays(trace.steps);
  scenario.text = calls_text(trace);
  scenario.walk_steps = random_.between(1, 1 + case_steps_ / 2);
  return scenario;
}

/// One of those that were kept, most of the time; of these, a new one more often.
const model::Trace& Guide::earlier() {
  const bool given = kept_.empty() || (!given_.empty() && random_.chance(25));
  const auto& from = given ? given_ : kept_;
  auto at = random_.below(from.size());
  if (!given) at = std::max(at, random_.below(from.size()));
  return from[at];
}

void Guide::cut(model::Trace& trace) {
  if (random_.chance(50)) trace.steps.resize(random_.below(trace.steps.size() + 1));
}

/// The begin of one and the end of another. Objects of the same name are taken for the same.
void Guide::join(model::Trace& trace) {
  const auto& other = earlier().steps;
  trace.steps.resize(random_.below(trace.steps.size() + 1));
  const auto from = random_.below(other.size() + 1);
  trace.steps.insert(trace.steps.end(), other.begin() + static_cast<std::ptrdiff_t>(from),
                     other.end());
}

/// Another length, place, form or moment of a request.
void Guide::change(model::Call<model::Plain>& call) {
  using model::kPageSize;
  if (!model::is_transfer(call.verb) || call.part == model::Part::completion) return;
  switch (random_.below(4)) {
    case 0:
      call.length = random_.pick<std::uint64_t>(
          {0, 1, 8, 1023, 1024, 1025, kPageSize - 1, kPageSize, kPageSize + 1, 2 * kPageSize});
      break;
    case 1: call.remote = call.remote + random_.pick<std::uint64_t>({1, 8, 1024, ~7ULL}); break;
    case 2:
      call.flags = model::Plain::flags(
          static_cast<std::uint32_t>(call.flags.value()) ^
          random_.pick<std::uint32_t>(
              {model::kUnsignaled, model::kFenced, model::kSolicited, model::kInline}));
      break;
    default: call.delay = random_.pick<std::uint32_t>({0, 5, 20, 50, 100, 300}); break;
  }
}

/// Some calls are changed, left out, made twice, or change places.
void Guide::edit(model::Trace& trace) {
  for (auto times = random_.between(1, 4); times > 0 && !trace.steps.empty(); --times) {
    const auto at = [&] {
      return trace.steps.begin() + static_cast<std::ptrdiff_t>(random_.below(trace.steps.size()));
    };
    switch (random_.below(6)) {
      case 0: trace.steps.erase(at()); break;
      case 1: {
        const model::Step again = *at();
        trace.steps.insert(at(), again);
        break;
      }
      case 2: std::iter_swap(at(), at()); break;
      default: change(at()->call); break;
    }
  }
}

}  // namespace mrproof::property_tests
