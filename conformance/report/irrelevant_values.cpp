// Which values of a finding do not matter.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

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

/// Calls with other numbers in the field.
template <class Field>
std::vector<Call<Plain>> with_other(const Call<Plain>& call, Field field,
                                    std::initializer_list<std::uint64_t> values) {
  std::vector<Call<Plain>> others;
  for (const std::uint64_t value : values) {
    Call<Plain> other = call;
    if (field(other).value() == value) continue;
    field(other) = Plain::address(value);
    others.push_back(other);
  }
  return others;
}

Candidate flag(const Call<Plain>& call, const model::NamedValue& access) {
  Call<Plain> other = call;
  other.access = call.access & ~Plain::flags(access.flag);
  return {"access " + std::string(access.name), {other}};
}

void add_argument(model::Argument argument, const Call<Plain>& c, std::vector<Candidate>& all) {
  const auto length = [](Call<Plain> & call) -> auto& { return call.length; };
  const auto place = [](Call<Plain> & call) -> auto& { return call.address; };
  const auto lengths = [&] {
    all.push_back(
        {fmt::format("length {}", c.length.value()), with_other(c, length, {1, 3, 8, 64, 4096})});
  };
  const auto places = [&](const char* name) {
    const auto now = c.address.value();
    all.push_back({fmt::format("{} {}", name, model::print_address(now)),
                   with_other(c, place, {now + 8, now + 24, now + 4096})});
  };
  switch (argument) {
    case model::Argument::address: return places("address");
    case model::Argument::length:
    case model::Argument::stretch: return lengths();
    case model::Argument::elements: lengths(); return places("address");
    case model::Argument::remote: {
      const auto now = c.remote.value();
      const auto remote = [](Call<Plain> & call) -> auto& { return call.remote; };
      all.push_back({"remote address " + model::print_address(now),
                     with_other(c, remote, {now + 8, now + 24, now + 4096})});
      return;
    }
    case model::Argument::iova: {
      const auto now = c.iova.value();
      const auto iova = [](Call<Plain> & call) -> auto& { return call.iova; };
      all.push_back(
          {"IOVA " + model::print_address(now), with_other(c, iova, {now + 4096, now + 8192})});
      return;
    }
    case model::Argument::operand: {
      const auto operand = [](Call<Plain> & call) -> auto& { return call.operand; };
      all.push_back({fmt::format("operand {}", c.operand.value()),
                     with_other(c, operand, {0, 1, 0x1234567})});
      return;
    }
    case model::Argument::swap: {
      const auto swap = [](Call<Plain> & call) -> auto& { return call.swap; };
      all.push_back({fmt::format("swap {}", c.swap.value()), with_other(c, swap, {0, 1, 77})});
      return;
    }
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

std::vector<std::vector<std::string>> immaterial_values(const Evidence& evidence) {
  std::vector<std::vector<std::string>> all(evidence.trace.steps.size());
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
