#include "specs/prover/deciding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>

#include "model/access.hpp"
#include "specs/prover/questions.hpp"
#include "specs/prover/step_questions.hpp"

namespace mrproof::specs {

using smt::Answer;
using smt::Ref;
using smt::Store;

namespace {

/// Something that devices may be without: one of its members.
using Part = DeviceParts;

constexpr std::array<Part, 22> kParts{{
    {model::kRemoteAtomic},
    {model::kAllocateMr},
    {model::kMwBind},
    {model::kZeroBased},
    {model::kOnDemand},
    {model::kHugetlb},
    {0, model::kMwType1},
    {0, model::kMwType2A},
    {0, model::kMwType2B},
    {0, model::kMemoryExtensions},
    {0, model::kImplicitOnDemand},
    {0, model::kAtomics},
    {0, model::kReregTranslation},
    {0, model::kReregPd},
    {0, model::kReregAccess},
    {0, model::kAdviseMr},
    {0, model::kNullMr},
    {0, model::kDmabufMr},
    {0, model::kRegMrEx},
    {0, model::kIwarp},
    {0, 0, false, true},
    {0, 0, true, false},
}};

/// What windows need, and the key of one.
constexpr std::uint32_t kWindows =
    model::kMwType1 | model::kMwType2A | model::kMwType2B | model::kMemoryExtensions;

void add(DeviceParts& to, const Part& part) {
  to.access |= part.access;
  to.features |= part.features;
  to.roce = to.roce || part.roce;
  to.memory = to.memory || part.memory;
}

/// No two buffers are a message that is too long, and what fits into a page is none either.
Ref memory_is_small(const model::State<Terms>& state) {
  auto small = Terms::address(4096) <= state.can.max_message;
  for (const auto& b : state.buffers) {
    const auto more = b.last - b.first;
    small = small & (more + more + Terms::address(1) < state.can.max_message);
  }
  return small.ref();
}

/// The device is without that part, and has never shown it.
Ref without(const Part& part, const model::State<Terms>& state) {
  if (part.memory) return memory_is_small(state);
  if (part.roce) return model::is_iwarp(state).ref();
  if (part.access != 0)
    return (((state.can.claimed & part.access) == 0) &
            ((state.demonstrated_access & part.access) == 0))
        .ref();
  return (((state.can.features & part.features) == 0) &
          ((state.demonstrated_features & part.features) == 0))
      .ref();
}

/// The device has that part.
Ref with(const Part& part, const model::State<Terms>& state) {
  if (part.access != 0) return model::has<Terms>(state.can.claimed, part.access).ref();
  return model::has<Terms>(state.can.features, part.features).ref();
}

/// Asks about one condition of a row.
class Question {
 public:
  Question(const Row& row, std::size_t term, bool reason, const ProofOptions& options, Known& known)
      : row_(row), term_(term), reason_(reason), options_(options), known_(known) {
    const auto& of = reason ? row.rule.reasons : row.rule.requires_all;
    of_ = {row.id, of[term].condition->id, reason, row.dialects, false, {}, {}, {}, true};
  }

  Deciding answer() {
    const std::vector<Part> poorest(kParts.begin(), kParts.end() - 1);
    if (!possible(poorest, {})) {  // most are possible there
      if (!possible({}, {})) {
        of_.never = true;
        return of_;
      }
      look_for_needs();
    } else if (!possible({kParts.back()}, {})) {
      add(of_.all, kParts.back());
    }
    look_for_hindrances();
    return of_;
  }

  /// Whether it is proved that there is no state and call on a device that has just these.
  bool never_on(const DeviceParts& has, std::uint64_t max_message) {
    max_message_ = max_message;
    std::vector<Part> absent, present;
    for (const Part& part : kParts) {
      const bool flagged = ((has.access & part.access) | (has.features & part.features)) != 0;
      if (!flagged && !(part.roce && has.roce) && !(part.memory && has.memory))
        absent.push_back(part);
      else if (flagged)
        present.push_back(part);
    }
    return !possible(absent, present) && of_.decided;
  }

 private:
  /// What the device of an answer has, and has shown.
  struct Device {
    smt::Number access = 0, features = 0;
    [[nodiscard]] bool is_without(const Part& part) const {
      if (part.roce) return (features & model::kIwarp) != 0;
      if (part.memory) return false;  // not looked at
      return ((access & part.access) | (features & part.features)) == 0;
    }
  };

  /// What is needed of each device; then, where the poorest has to be given more, what it has to
  /// have one of.
  void look_for_needs() {
    const Device witness = seen_;  // what it is without is not needed
    std::vector<Part> absent;
    for (const Part& part : kParts) {
      if (!witness.is_without(part) && !possible({part}, {}))
        add(of_.all, part);
      else if (!part.roce)
        absent.push_back(part);
    }
    if (absent.size() + 1 < kParts.size() && possible(absent, {})) return;
    look_for_one_of(std::move(absent));
  }

  /// Of what is absent the least that is impossible without: any device has to have one of it,
  /// and perhaps something beside it. Windows are left out first: where they are needed beside
  /// something else, it is that which devices are without.
  void look_for_one_of(std::vector<Part> absent) {
    std::stable_partition(absent.begin(), absent.end(),
                          [](const Part& part) { return (part.features & kWindows) != 0; });
    for (std::size_t i = 0; i < absent.size();) {
      auto fewer = absent;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (possible(fewer, {}))
        ++i;
      else
        absent = std::move(fewer);
    }
    for (const Part& part : absent) add(of_.any, part);
  }

  /// Where the condition speaks of what devices have: what a device that has all else has to be
  /// without, any of it. It has windows of type 2B, since there is none that has 2A as well.
  void look_for_hindrances() {
    if (!speaks_of_device()) return;
    std::vector<Part> all;
    for (const Part& part : kParts)
      if (!part.roce && !part.memory && part.features != model::kIwarp &&
          part.features != model::kMwType2A)
        all.push_back(part);
    if (possible({}, all)) return;
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto others = all;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      if (possible({all[i]}, others)) add(of_.without, all[i]);
    }
  }

  [[nodiscard]] bool speaks_of_device() const {
    const auto shapes = shapes_of(row_.verb, false);
    return std::any_of(shapes.begin(), shapes.end(), [&](const Shape& shape) {
      const Store store;
      const auto state = unknown_state("before.");
      const auto call = unknown_call("call.", shape);
      const auto nothing = unknown_result("result.", Outcome::none);
      const auto& terms = reason_ ? row_.rule.reasons : row_.rule.requires_all;
      const auto holds = row_.holds(terms[term_], model::View<Terms>{state, call, nothing});
      const auto cone = store.cone({holds.ref()});
      return std::any_of(cone.begin(), cone.end(), [&](Ref part) {
        return part == state.can.claimed.ref() || part == state.can.features.ref();
      });
    });
  }

  /// Whether there is a state and a call, on a device without and with those parts. Shapes of calls
  /// that are of no use on any device are not asked again.
  bool possible(const std::vector<Part>& absent, const std::vector<Part>& present) {
    const auto shapes = shapes_of(row_.verb, false);
    useless_.resize(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      if (useless_[i]) continue;
      const Store store;
      Questions questions(options_.solver, known_, {});
      const auto state = unknown_state("before.");
      const auto call = unknown_call("call.", shapes[i]);
      const auto nothing = unknown_result("result.", Outcome::none);
      std::vector<Ref> all;
      for (const auto bit :
           decides_alone(row_, term_, reason_, model::View<Terms>{state, call, nothing}))
        all.push_back(bit.ref());
      for (const auto& fact : facts_of(state)) all.push_back(fact.holds.ref());
      all.push_back(writable(call).ref());
      if (max_message_)
        all.push_back((state.can.max_message == Terms::address(*max_message_)).ref());
      for (const Part& part : absent) all.push_back(without(part, state));
      for (const Part& part : present) all.push_back(with(part, state));
      const auto reply = questions.possible("deciding", all);
      if (reply.answer == Answer::satisfiable) {
        see(store, reply);
        return true;
      }
      useless_[i] = absent.empty() && present.empty() && reply.answer == Answer::unsatisfiable;
      of_.decided = of_.decided && reply.answer == Answer::unsatisfiable;
    }
    return false;
  }

  void see(const Store& store, const smt::Reply& reply) {
    seen_ = {};
    const auto& names = store.names();
    for (std::size_t i = 0; i < names.size() && i < reply.values.size(); ++i) {
      if (names[i] == "before.can.claimed" || names[i] == "before.demonstrated_access")
        seen_.access |= reply.values[i];
      if (names[i] == "before.can.features" || names[i] == "before.demonstrated_features")
        seen_.features |= reply.values[i];
    }
  }

  const Row& row_;
  const std::size_t term_;
  const bool reason_;
  const ProofOptions& options_;
  Known& known_;
  Deciding of_;
  Device seen_;
  std::optional<std::uint64_t> max_message_;
  std::vector<bool> useless_;
};

std::string text_of(const DeviceParts& parts) {
  if (parts.none()) return "{}";
  return fmt::format("{{{},{},{:d},{:d}}}", parts.access, parts.features, parts.roce, parts.memory);
}

std::string line_of(const Deciding& d) {
  const auto rule = fmt::format("{{\"{}\",", d.rule);
  const auto rest =
      fmt::format("\"{}\",{:d},{},{:d},{},{},{}}},\n", d.condition, d.reason, d.dialects, d.never,
                  text_of(d.all), text_of(d.any), text_of(d.without));
  constexpr std::size_t kMostLength = 100;
  return rule + (rule.size() + rest.size() > kMostLength + 1 ? "\n" : "") + rest;
}

}  // namespace

std::vector<smt::Bit> decides_alone(const Row& row, std::size_t term, bool reason,
                                    const model::View<Terms>& view) {
  std::vector<smt::Bit> all{preconditions_kept(row, view)};
  const auto& required = row.rule.requires_all;
  for (std::size_t i = 0; i < required.size(); ++i) {
    if (required[i].condition->about != model::About::situation) continue;
    const auto holds = row.holds(required[i], view);
    all.push_back(!reason && i == term ? !holds : holds);
  }
  const auto& reasons = row.rule.reasons;
  for (std::size_t i = 0; i < reasons.size() && reason; ++i) {
    const auto holds = row.holds(reasons[i], view);
    all.push_back(i == term ? holds : !holds);
  }
  if (!reason) all.push_back(some_reason(row, view));
  return all;
}

std::vector<Deciding> deciding(const ProofOptions& options,
                               const std::function<void(const Deciding&)>& progress) {
  const auto rows = rows_of(options.dialects);
  std::vector<std::function<Deciding()>> jobs;
  Known known;
  const auto add = [&](const Row& row, std::size_t term, bool reason) {
    jobs.emplace_back([&row, term, reason, &options, &known] {
      return Question(row, term, reason, options, known).answer();
    });
  };
  for (const Row& row : rows) {
    const bool asked = options.changed.value_or(row.verb) == row.verb;
    if (!asked || row.rule.weight == model::Weight::inconclusive) continue;
    for (std::size_t i = 0; i < row.rule.requires_all.size(); ++i)
      if (row.rule.requires_all[i].condition->about == model::About::situation) add(row, i, false);
    for (std::size_t i = 0; i < row.rule.reasons.size(); ++i) add(row, i, true);
  }
  std::vector<Deciding> all(jobs.size());
  std::atomic<std::size_t> next = 0;
  std::mutex telling;
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < options.threads; ++t)
      threads.emplace_back([&] {
        for (std::size_t i = next++; i < jobs.size(); i = next++) {
          all[i] = jobs[i]();
          const std::scoped_lock lock(telling);
          if (progress) progress(all[i]);
        }
      });
  }
  return all;
}

bool never_decides_on(const DeviceParts& has, std::uint64_t max_message, const Row& row,
                      std::size_t term, bool reason, const ProofOptions& options) {
  Known known;
  return Question(row, term, reason, options, known).never_on(has, max_message);
}

std::string deciding_text(const std::vector<Deciding>& all) {
  std::string text =
      "// Made by `mrproof prove --deciding`: rule, condition, whether it is a reason, dialects,\n"
      "// whether it never decides alone; what is needed, all of it; of which one is needed; of\n"
      "// which the device has to be without one.\n";
  for (const auto& d : all)
    if (!d.needs_nothing()) text += line_of(d);
  return text;
}

}  // namespace mrproof::specs
