// Which values of a finding do not matter.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/report/finding_words.hpp"
#include "model/trace/notation.hpp"
#include "model/trace/trace_form.hpp"

namespace mrproof::conformance {

using namespace model;

namespace {

/// A value of a step, its name, and calls that have another one in its place.
struct Candidate {
  std::string name;
  std::vector<Call<Plain>> others;
};

constexpr std::initializer_list<std::uint64_t> kLengths{1, 3, 8, 64, 4096};
constexpr std::initializer_list<std::uint64_t> kDistances{8, 24, 4096};

/// A number in that field of the call, called so, and others in its place: where `from` is the
/// number itself, such that lie so far behind it.
Candidate number(const std::string& name, const Call<Plain>& call,
                 Plain::Address Call<Plain>::*field, std::initializer_list<std::uint64_t> values,
                 std::uint64_t from = 0) {
  Candidate candidate{name, {}};
  for (const std::uint64_t value : values) {
    if ((call.*field).value() == from + value) continue;
    candidate.others.push_back(call);
    candidate.others.back().*field = Plain::address(from + value);
  }
  return candidate;
}

Candidate flag(const Call<Plain>& call, const model::NamedValue& access) {
  Call<Plain> other = call;
  other.access = call.access & ~Plain::flags(access.flag);
  return {"access " + std::string(access.name), {other}};
}

void add_argument(model::Argument argument, const Call<Plain>& c, std::vector<Candidate>& all) {
  using Fields = Call<Plain>;
  const auto put = [&](const char* name, Plain::Address Fields::*field,
                       std::initializer_list<std::uint64_t> values) {
    all.push_back(number(fmt::format("{} {}", name, (c.*field).value()), c, field, values));
  };
  const auto place = [&](const char* name, Plain::Address Fields::*field,
                         std::initializer_list<std::uint64_t> distances) {
    const auto now = (c.*field).value();
    all.push_back(
        number(fmt::format("{} {}", name, model::print_address(now)), c, field, distances, now));
  };
  switch (argument) {
    case model::Argument::elements: put("length", &Fields::length, kLengths); [[fallthrough]];
    case model::Argument::address: return place("address", &Fields::address, kDistances);
    case model::Argument::length:
    case model::Argument::stretch: return put("length", &Fields::length, kLengths);
    case model::Argument::remote: return place("remote address", &Fields::remote, kDistances);
    case model::Argument::iova: return place("IOVA", &Fields::iova, {4096, 8192});
    case model::Argument::operand: return put("operand", &Fields::operand, {0, 1, 0x1234567});
    case model::Argument::swap: return put("swap", &Fields::swap, {0, 1, 77});
    case model::Argument::access:
      for (const auto& name : model::kAccessNames)
        if (has<Plain>(c.access, name.flag).truth()) all.push_back(flag(c, name));
      return;
    default: return;
  }
}

/// Whether all is judged as it was.
bool same_judgement(const Evidence& one, const Evidence& other) {
  return std::equal(one.trace.steps.begin(), one.trace.steps.end(), other.trace.steps.begin(),
                    other.trace.steps.end(),
                    [](const model::Step& a, const model::Step& b) {
                      return a.annotations == b.annotations;
                    }) &&
         one.open == other.open;
}

bool changes_nothing(const Evidence& evidence, std::size_t step, const Call<Plain>& call) {
  model::Trace trace = evidence.trace;
  trace.steps.at(step).call = call;
  try {
    return same_judgement(evidence, gather_evidence(trace, *evidence.book, ""));
  } catch (const model::TraceError&) {
    return false;  // a call that nobody may make there
  }
}

}  // namespace

std::vector<std::vector<std::string>> irrelevant_values(const Evidence& evidence) {
  constexpr std::size_t kMostSteps = 200;  // for each value all steps are judged again
  std::vector<std::vector<std::string>> all(evidence.trace.steps.size());
  if (all.size() > kMostSteps) return all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& call = evidence.trace.steps.at(i).call;
    std::vector<Candidate> candidates;
    for (const model::Argument argument : model::form_of(call.verb).arguments)
      add_argument(argument, call, candidates);
    for (const auto& candidate : candidates)
      if (std::all_of(candidate.others.begin(), candidate.others.end(),
                      [&](const auto& other) { return changes_nothing(evidence, i, other); }))
        all.at(i).push_back(candidate.name);
  }
  return all;
}

}  // namespace mrproof::conformance
