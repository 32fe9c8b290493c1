#include "property-tests/shrink/shrink.hpp"

#include <algorithm>
#include <iterator>

#include "model/alphabet/small_calls.hpp"
#include "model/oracle/judge_trace.hpp"
#include "model/trace/key_value.hpp"
#include "model/trace/trace_form.hpp"
#include "specs/explain/explain_deviation.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

/// Batches are short: what comes after the first success was made for nothing.
constexpr std::size_t kMostInBatch = 400;

/// Above so many steps nothing but leaving steps out is tried: all else would take too long.
constexpr std::size_t kMostSteps = 40;

/// Up to so many steps moves are tried in twos, and steps are replaced.
constexpr std::size_t kFewSteps = 8;

/// A key of something that never was is a number.
void name_ghosts(ShrinkForm& form) {
  for (model::Step& step : form.steps)
    for (auto* key : {&step.lkey, &step.second, &step.rkey}) {
      if (key->kind == model::KeyName::Kind::value) continue;
      const auto kind = is_window_key(*key) ? ObjectKind::mw : ObjectKind::mr;
      const bool made =
          std::any_of(form.steps.begin(), form.steps.end(),
                      [&](const model::Step& s) { return makes_object(s, kind, key->slot); });
      if (!made) *key = {model::KeyName::Kind::value, 0, 0, key->flip};
    }
}

/// The trace as its text, calls_text(), tells it, so that nothing is left of arguments that a verb
/// lacks; results stay. Nothing if it cannot be written.
std::optional<model::Trace> cleaned(const model::Trace& trace, const std::string& text) {
  try {
    model::Trace clean = model::parse_trace(text, "");
    clean.can = trace.can;
    for (std::size_t i = 0; i < clean.steps.size(); ++i)
      clean.steps[i].result = trace.steps[i].result;
    return clean;
  } catch (const model::TraceError&) {
    return std::nullopt;
  }
}

/// Whether a call of one verb may stand for one of the other: both make the same kind of object, or
/// both are transfers.
bool alike(Verb a, Verb b) {
  const model::Argument target = model::form_of(a).target;
  return target == model::form_of(b).target &&
         (target != model::Argument::none || (is_transfer(a) && is_transfer(b)));
}

/// The trace of a form, unless it is no plainer than `weight`.
std::optional<model::Trace> trace_of(ShrinkForm form, const model::Trace& like,
                                     const TraceWeight& weight) {
  name_ghosts(form);
  drop_strays(form.steps);
  auto trace = with_slots(form, like);
  if (model::drop_forbidden(trace)) {
    form = numbered(trace);
    name_ghosts(form);
    trace = with_slots(form, like);
  }
  if (weight_parts(trace) <= weight.parts) return trace;
  return std::nullopt;
}

/// There are too many traces of more steps.
constexpr std::size_t kMostSearched = 6;

/// Traces of up to so many steps are tried before anything is left out: there are few, they take
/// little time on any device, and mostly one of them shows it.
constexpr std::size_t kSearchedFirst = 3;

}  // namespace

std::optional<Shrunk> Shrinker::run(const model::Trace& trace) {
  const std::vector<model::Trace> whole{trace};
  ++trials_made_;
  const auto seen = trials_.first_showing(whole, wanted_);
  if (!seen) return std::nullopt;
  foreseeable_ = false;
  searched_ = 0;
  searched_all_ = true;
  bound_ = {};
  given_ = *seen;
  adopt(*seen);
  improve_by([](const ShrinkForm& form, const Propose& propose) { propose(form); });
  bool anew = begin_anew(std::min(best_.steps.size(), kSearchedFirst));
  if (!anew) {
    while (improve_by(without_steps)) continue;
    anew = begin_anew(std::min(best_.steps.size(), kMostSearched));
  }
  descend();
  // What no short trace shows is left to moves that change several things at once.
  while (!anew && best_.steps.size() <= kFewSteps &&
         (improve_by(restructured_twice) || replace_steps()))
    descend();
  // What moves have found may be none of the short traces, and shorter.
  bound_.steps = std::min(bound_.steps, best_.steps.size());
  bound_.needed = std::min(bound_.needed, bound_.steps);
  return Shrunk{best_, trials_made_, bound_};
}

/// Down to where no single move makes it plainer.
void Shrinker::descend() {
  for (bool again = true; again;) {
    again = false;
    while (improve_by(without_steps)) again = true;
    if (best_.steps.size() > kMostSteps) continue;
    for (const auto moves : {with_fewer_objects, relocated, with_plainer_calls, with_fewer_flags,
                             with_plainer_values, reordered})
      while (improve_by(moves)) again = true;
  }
}

/// Goes over to the plainest of the shortest traces that show it, if there is one of at most so
/// many steps.
bool Shrinker::begin_anew(std::size_t most) {
  while (searched_ < most) {
    const std::size_t steps = ++searched_;
    ShortTraces& known = store_.get(best_, wanted_, steps);
    ShortTraces kept;
    if (keeps_)
      std::copy_if(known.traces.begin(), known.traces.end(), std::back_inserter(kept.traces),
                   [&](const model::Trace& trace) { return is_kept(trace); });
    if (const auto seen = first_showing(keeps_ ? kept : known)) {
      adopt(*seen);
      return true;
    }
    searched_all_ = searched_all_ && known.all;
    if (!searched_all_) continue;
    bound_.steps = steps + 1;
    bound_.by_model = bound_.by_model && known.traces.empty();
    if (bound_.by_model) bound_.needed = bound_.steps;
  }
  return false;
}

/// Whether the trace has no verbs and access flags but those of the given one.
bool Shrinker::is_kept(const model::Trace& trace) const {
  const auto flags_of = [](const model::Trace& all) {
    auto flags = Plain::flags(0);
    for (const model::Step& step : all.steps) flags = flags | step.call.access;
    return flags;
  };
  if ((flags_of(trace) & ~flags_of(given_)).value() != 0) return false;
  return std::all_of(trace.steps.begin(), trace.steps.end(), [&](const model::Step& step) {
    return std::any_of(given_.steps.begin(), given_.steps.end(),
                       [&](const model::Step& s) { return s.call.verb == step.call.verb; });
  });
}

/// Tries the traces in their order.
std::optional<model::Trace> Shrinker::first_showing(ShortTraces& known) {
  const std::span<const model::Trace> all(known.traces);
  while (known.tried < all.size()) {
    const auto batch = all.subspan(known.tried, std::min(kMostInBatch, all.size() - known.tried));
    if (progress_) progress_({trials_made_, best_.steps.size()});
    trials_made_ += batch.size();
    auto seen = trials_.first_showing(batch, wanted_);
    if (!seen) {
      known.tried += batch.size();
      continue;
    }
    const auto text = calls_text(*seen);
    while (calls_text(all[known.tried]) != text) ++known.tried;
    return seen;
  }
  return std::nullopt;
}

void Shrinker::adopt(const model::Trace& seen) {
  tried_.erase(weight_.text);  // it was shown, and may be come back to
  best_ = seen;
  best_.comments.clear();
  form_ = numbered(best_);
  like_ = best_;
  like_.steps.clear();
  for (model::Step& step : form_.steps) {  // only ballast for moves
    step.annotations.clear();
    step.remarks.clear();
    step.bytes.clear();
  }
  weight_ = weight_of(best_);
  foreseeable_ = foreseeable_ || model::predict(best_, wanted_) == model::Prospect::possible;
}

bool Shrinker::promising(model::Prospect prospect) const {
  return prospect == model::Prospect::possible ||
         (prospect == model::Prospect::hopeless && !foreseeable_);
}

bool Shrinker::improve_by(void (*moves)(const ShrinkForm&, const Propose&)) {
  Candidates candidates;
  moves(form_, [&](const ShrinkForm& form) {
    if (const auto trace = trace_of(form, like_, weight_)) consider(*trace, candidates);
  });
  return improve(std::move(candidates));
}

/// Takes the trace for a candidate, if it is plainer than the best one so far, and new. Most are
/// not, so that comes before all that costs more.
void Shrinker::consider(const model::Trace& trace, Candidates& candidates) {
  auto text = calls_text(trace);
  if (!tried_.insert(text).second) return;
  auto clean = cleaned(trace, text);
  if (!clean) return;
  TraceWeight weight{weight_parts(*clean), std::move(text)};
  if (weight >= weight_ || !promising(model::predict(*clean, wanted_))) return;
  candidates.emplace_back(std::move(weight), std::move(*clean));
}

/// Tries the candidates, the plainest first.
bool Shrinker::improve(Candidates plainer) {
  std::sort(plainer.begin(), plainer.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t from = 0; from < plainer.size(); from += kMostInBatch) {
    const std::size_t to = std::min(plainer.size(), from + kMostInBatch);
    std::vector<model::Trace> batch;
    for (std::size_t i = from; i < to; ++i) batch.push_back(plainer[i].second);
    if (progress_) progress_({trials_made_, best_.steps.size()});
    const auto seen = trials_.first_showing(batch, wanted_);
    trials_made_ += batch.size();
    if (!seen) continue;
    // Those after it were not tried.
    const std::string text = calls_text(*seen);
    for (std::size_t i = plainer.size(); i-- > from && plainer[i].first.text != text;)
      tried_.erase(plainer[i].first.text);
    adopt(*seen);
    return true;
  }
  return false;
}

/// Puts a plainer call of the small alphabet in the place of a step.
bool Shrinker::replace_steps() {
  Candidates candidates;
  const Rulebook& book = *find_rulebook(best_.dialect);
  State<Plain> state = model::initial_state(best_.setup, best_.can, book.defined_access());
  for (std::size_t at = 0; at < best_.steps.size(); ++at) {
    replacements_of(at, state, candidates);
    model::Step step = best_.steps[at];
    model::resolve_keys(step, state);
    const auto next = model::predicted(book, state, step);
    if (!next) break;
    state = *next;
  }
  return improve(std::move(candidates));
}

void Shrinker::replacements_of(std::size_t at, const State<Plain>& state, Candidates& candidates) {
  const Rulebook& book = *find_rulebook(best_.dialect);
  const model::Step& now = best_.steps[at];
  const bool last = at + 1 == best_.steps.size();
  model::Trace other = best_;
  for (std::size_t i = 0; i < kVerbs; ++i) {
    const auto verb = static_cast<Verb>(i);
    const bool same = verb == now.call.verb;
    if (!book.has(verb) || (!same && (last || !alike(verb, now.call.verb)))) continue;
    model::each_call(state, verb, same ? 1 : 0, [&](const model::Step& call) {
      other.steps[at] = call;
      if (weight_parts(other) > weight_.parts || !promising(model::predict(other, wanted_))) return;
      if (const auto trace = trace_of(numbered(other), like_, weight_))
        consider(*trace, candidates);
    });
  }
}

model::Trace presentable(const Shrunk& shrunk, const model::Annotation& wanted) {
  model::Trace trace = shrunk.trace;
  for (model::Step& step : trace.steps) {
    const Verb verb = step.call.verb;
    if (verb == Verb::fill || verb == Verb::protect) step.observed = false;
    if (&step != &trace.steps.back() && !step.annotations.empty() &&
        step.annotations.front().verdict == Verdict::conforms)
      step.annotations.clear();
  }
  model::Trace bare = trace;
  for (model::Step& step : bare.steps) {
    step.keys_seen = false;
    step.result.lkey = step.result.rkey = Plain::key(0);
  }
  if (wanted.verdict != Verdict::deviates) return bare;
  try {
    const model::Trace again =
        model::judge_trace(model::parse_trace(model::print_trace(bare), ""),
                           *find_rulebook(bare.dialect), "", specs::explain_deviation);
    const model::Annotation* told = told_by(again);
    return told != nullptr && *told == wanted ? bare : trace;
  } catch (const model::TraceError&) {
    return trace;
  }
}

}  // namespace mrproof::property_tests
