#include "property-tests/shrink/shrink_moves.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "model/trace/layout.hpp"
#include "property-tests/shrink/shrink_regions.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

using Object = std::pair<ObjectKind, std::uint32_t>;
using Marks = std::vector<bool>;  ///< by step

/// Traces up to this many steps are searched for any two or three steps to leave out.
constexpr std::size_t kFewSteps = 14;

/// The form without the marked steps and those that cannot be without them; nothing if the last
/// step is one of these.
bool close_over(const ShrinkForm& form, Marks& gone) {
  for (std::size_t i = 0; i < form.steps.size(); ++i) {
    if (!gone[i]) continue;
    model::Step step = form.steps[i];
    for (const auto& made : mentions(step)) {
      if (!made.makes) continue;
      for (std::size_t j = i + 1; j < form.steps.size(); ++j) {
        model::Step later = form.steps[j];
        const bool last = j + 1 == form.steps.size();
        for (const auto& m : mentions(later))
          if (m.kind == made.kind && *m.number == *made.number && !(last && m.by_key))
            gone[j] = true;
      }
    }
  }
  return !gone.back();
}

void propose_without(const ShrinkForm& form, Marks gone, const Propose& propose) {
  if (!close_over(form, gone)) return;
  ShrinkForm less = form;
  less.steps.clear();
  for (std::size_t i = 0; i < form.steps.size(); ++i)
    if (!gone[i]) less.steps.push_back(form.steps[i]);
  if (less.steps.size() < form.steps.size()) propose(less);
}

bool same_pair(const model::Step& a, const model::Step& b) {
  return a.call.qp / 2 == b.call.qp / 2;
}

bool uses_pair(Verb verb) {
  return is_transfer(verb) || verb == Verb::post_recv || verb == Verb::connect ||
         verb == Verb::query_qp || verb == Verb::modify_qp || verb == Verb::destroy_qp;
}

/// How generously a slice is cut.
enum class Slice : std::uint8_t { objects, last_receives, receives, pair, memory };

/// Keeps the steps that the last one depends on, by the objects that it mentions and they mention.
void propose_slice(const ShrinkForm& form, Slice slice, const Propose& propose) {
  std::set<Object> needed;
  Marks gone(form.steps.size(), true);
  std::array<bool, 2> received{};
  for (std::size_t i = form.steps.size(); i-- > 0;) {
    model::Step step = form.steps[i];
    const Verb verb = step.call.verb;
    const auto all = mentions(step);
    const bool last = i + 1 == form.steps.size();
    const bool changes = !is_transfer(verb) || is_bind(verb);
    bool keep = last;
    for (const auto& m : all)
      keep |= m.kind != ObjectKind::pd && changes && verb != Verb::post_recv &&
              needed.contains({m.kind, *m.number});
    for (const auto& m : all)
      keep |= m.kind == ObjectKind::pd && m.makes && needed.contains({m.kind, *m.number});
    const bool pair = uses_pair(verb) && same_pair(step, form.steps.back());
    if (pair && verb == Verb::post_recv)
      keep |= slice >= Slice::receives || (slice == Slice::last_receives &&
                                           !std::exchange(received.at(step.call.qp & 1U), true));
    keep |= slice >= Slice::pair && pair;
    keep |= slice >= Slice::memory && (verb == Verb::fill || verb == Verb::protect);
    if (!keep) continue;
    gone[i] = false;
    for (const auto& m : all) needed.insert({m.kind, *m.number});
  }
  propose_without(form, gone, propose);
}

void propose_chunks(const ShrinkForm& form, const Propose& propose) {
  const std::size_t count = form.steps.size() - 1;
  for (std::size_t size = count; size > 0; size /= 2)
    for (std::size_t from = 0; from < count; from += size) {
      Marks gone(form.steps.size());
      for (std::size_t i = from; i < std::min(count, from + size); ++i) gone[i] = true;
      propose_without(form, gone, propose);
    }
}

void propose_twos_and_threes(const ShrinkForm& form, const Propose& propose) {
  const std::size_t count = form.steps.size() - 1;
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = i + 1; j < count; ++j) {
      Marks two(form.steps.size());
      two[i] = two[j] = true;
      propose_without(form, two, propose);
      for (std::size_t k = j + 1; k < count; ++k) {
        Marks three = two;
        three[k] = true;
        propose_without(form, three, propose);
      }
    }
}

/// A PD may be given instead of allocated.
void propose_given_pds(const ShrinkForm& form, const Propose& propose) {
  for (std::size_t i = 0; i + 1 < form.steps.size(); ++i) {
    if (form.steps[i].call.verb != Verb::alloc_pd) continue;
    ShrinkForm given = form;
    given.given_pds.push_back(form.steps[i].call.pd);
    given.steps.erase(given.steps.begin() + static_cast<std::ptrdiff_t>(i));
    propose(given);
  }
}

std::set<std::uint32_t> numbers_of(const ShrinkForm& form, ObjectKind kind) {
  std::set<std::uint32_t> numbers;
  for (model::Step step : form.steps)
    for (const auto& mention : mentions(step))
      if (mention.kind == kind) numbers.insert(*mention.number);
  if (kind == ObjectKind::pd)
    for (const auto pd : form.qp_pd)
      if (pd != model::Setup::kAbsent) numbers.insert(pd);
  return numbers;
}

/// The region gets another length, and what goes to it stays as far from its end; lengths of the
/// uses may change, too.
void propose_resized(const ShrinkForm& form, std::size_t at, const Propose& propose) {
  const auto& maker = form.steps[at].call;
  constexpr std::uint64_t kKeep = 3;
  for (const std::uint64_t length : {8U, 64U, 4096U, 8192U, 1U})
    for (const std::uint64_t use : {std::uint64_t{8}, std::uint64_t{64}, std::uint64_t{1}, kKeep})
      for (const auto which : {Uses::all, Uses::remote, Uses::local, Uses::binds}) {
        ShrinkForm resized = form;
        resized.steps[at].call.length = Plain::address(length);
        shift_uses(resized, maker.mr, length - maker.length.value(), which);
        for (model::Step& step : resized.steps) {
          if (use == kKeep || !uses_region(step, maker.mr, which)) continue;
          const std::uint64_t by = step.call.length.value() - use;
          step.call.length = Plain::address(use);
          if (which != Uses::remote)
            step.call.address = Plain::address(step.call.address.value() + by);
          if (which == Uses::all || which == Uses::remote)
            step.call.remote = Plain::address(step.call.remote.value() + by);
        }
        propose(resized);
      }
}

/// The region's maker replaced, all uses moved along.
void propose_maker(const ShrinkForm& form, std::size_t at, const model::Step& maker,
                   const Propose& propose) {
  ShrinkForm moved = form;
  const std::uint64_t by = base_of(maker) - base_of(form.steps[at]);
  moved.steps[at] = maker;
  propose(moved);
  if (by == 0) return;
  for (const auto which : {Uses::all, Uses::local, Uses::remote, Uses::binds}) {
    ShrinkForm shifted = moved;
    shift_uses(shifted, maker.call.mr, by, which);
    propose(shifted);
  }
}

void propose_merged(const ShrinkForm& form, ObjectKind kind, const Propose& propose) {
  const auto numbers = numbers_of(form, kind);
  for (const auto keep : numbers)
    for (const auto drop : numbers) {
      if (keep == drop) continue;
      ShrinkForm merged = form;
      std::erase_if(merged.steps, [&](const model::Step& step) {
        return &step != &merged.steps.back() && makes_object(step, kind, drop);
      });
      replace_object(merged, kind, drop, keep);
      propose(merged);
    }
}

/// One step's PD changed for another.
void propose_other_pds(const ShrinkForm& form, const Propose& propose) {
  const auto numbers = numbers_of(form, ObjectKind::pd);
  for (std::size_t i = 0; i < form.steps.size(); ++i) {
    model::Step step = form.steps[i];
    for (const auto& mention : mentions(step)) {
      if (mention.kind != ObjectKind::pd || mention.makes) continue;
      for (const auto pd : numbers) {
        *mention.number = pd;
        ShrinkForm other = form;
        other.steps[i] = step;
        propose(other);
      }
    }
  }
  for (std::size_t qp = 0; qp < form.qp_pd.size(); ++qp)
    for (const auto pd : numbers) {
      ShrinkForm other = form;
      if (other.qp_pd.at(qp) == model::Setup::kAbsent) continue;
      other.qp_pd.at(qp) = pd;
      propose(other);
    }
}

/// Pairs and their ends exchanged, in the whole trace or in one step; all on one pair.
void propose_other_qps(const ShrinkForm& form, const Propose& propose) {
  with_flipped_pairs(form, propose);
  for (unsigned flip = 1; flip < 4; ++flip) {
    for (std::size_t i = 0; i < form.steps.size(); ++i) {
      ShrinkForm one = form;
      one.steps[i].call.qp = static_cast<std::uint32_t>(one.steps[i].call.qp ^ flip);
      propose(one);
    }
  }
  for (const unsigned keep : {1U, 0U}) {
    ShrinkForm joined = form;
    for (auto& step : joined.steps) step.call.qp = static_cast<std::uint32_t>(step.call.qp & keep);
    propose(joined);
  }
}

/// What its thread makes behind the call, is made behind the one before it.
void take_out(ShrinkForm& form, const model::Call<Plain>& call) {
  for (auto& step : form.steps)
    if (step.call.follows == call.label) step.call.follows = call.follows;
}

/// A request that is not in flight, but waited for; or a call that is made before others overlap,
/// or not at all.
void propose_landed(const ShrinkForm& form, const Propose& propose) {
  for (std::size_t at = 0; at < form.steps.size(); ++at) {
    const auto& begun = form.steps[at].call;
    if (begun.part != Part::posted) continue;
    ShrinkForm landed = form;
    auto& steps = landed.steps;
    const auto place = [&](std::size_t index) {
      return steps.begin() + static_cast<std::ptrdiff_t>(index);
    };
    const auto end = std::find_if(place(at) + 1, steps.end(),
                                  [&](const auto& s) { return s.call.label == begun.label; });
    if (end != steps.end()) steps.erase(end);
    take_out(landed, begun);
    if (!model::is_transfer(begun.verb)) {
      ShrinkForm without = landed;
      without.steps.erase(without.steps.begin() + static_cast<std::ptrdiff_t>(at));
      propose(without);
    }
    auto& call = steps[at].call;
    call.part = Part::whole;
    call.label = 0;
    if (model::is_transfer(call.verb)) {
      call.flags = call.flags & ~Plain::flags(kLinked);
    } else {
      call.delay = 0;
      call.follows = 0;
      std::size_t first = at;
      while (first > 0 && model::is_overlapping(steps[first - 1].call)) --first;
      std::rotate(place(first), place(at), place(at) + 1);
    }
    propose(landed);
  }
}

}  // namespace

void without_steps(const ShrinkForm& form, const Propose& propose) {
  if (form.steps.size() < 2) return;
  propose_given_pds(form, propose);
  for (const auto slice :
       {Slice::objects, Slice::last_receives, Slice::receives, Slice::pair, Slice::memory})
    propose_slice(form, slice, propose);
  propose_chunks(form, propose);
  propose_landed(form, propose);
  if (form.steps.size() <= kFewSteps) propose_twos_and_threes(form, propose);
}

void with_flipped_pairs(const ShrinkForm& form, const Propose& propose) {
  for (unsigned flip = 1; flip < 4; ++flip) {
    ShrinkForm other = form;
    for (auto& step : other.steps) step.call.qp = static_cast<std::uint32_t>(step.call.qp ^ flip);
    for (std::size_t qp = 0; qp < form.qp_pd.size(); ++qp)
      other.qp_pd.at(qp ^ flip) = form.qp_pd.at(qp);
    propose(other);
  }
}

void with_fewer_objects(const ShrinkForm& form, const Propose& propose) {
  if (!form.other_pds.empty()) {  // all in one process
    ShrinkForm one = form;
    one.other_pds.clear();
    propose(one);
  }
  propose_merged(form, ObjectKind::mr, propose);
  propose_merged(form, ObjectKind::mw, propose);
  propose_merged(form, ObjectKind::pd, propose);
  propose_other_pds(form, propose);
  propose_other_qps(form, propose);
}

void relocated(const ShrinkForm& form, const Propose& propose) {
  for (std::size_t at = 0; at < form.steps.size(); ++at) {
    const model::Step& old = form.steps[at];
    if (!makes_region(old.call.verb)) continue;
    propose_resized(form, at, propose);
    model::Step maker = old;
    if (old.call.verb == Verb::reg_mr_iova || old.call.verb == Verb::reg_mr_ex) {
      maker.call.verb = Verb::reg_mr;
      maker.call.iova = Plain::address(0);
      propose_maker(form, at, maker, propose);
      maker = old;
      maker.call.iova = maker.call.address;
      propose_maker(form, at, maker, propose);
    }
    maker = old;
    maker.call.access = maker.call.access & ~Plain::flags(kZeroBased);
    propose_maker(form, at, maker, propose);
    for (std::size_t buffer = 0; buffer < model::kBufferCount; ++buffer)
      for (const std::uint64_t offset : {std::uint64_t{0}, model::kPageSize}) {
        maker = old;
        maker.call.address = Plain::address(model::buffer_address(buffer) + offset);
        if ((old.call.iova == old.call.address).truth()) maker.call.iova = maker.call.address;
        propose_maker(form, at, maker, propose);
      }
  }
}

void reordered(const ShrinkForm& form, const Propose& propose) {
  for (std::size_t i = 0; i + 1 < form.steps.size(); ++i)
    for (std::size_t j = 0; j + 1 < form.steps.size(); ++j) {
      if (i == j) continue;
      ShrinkForm other = form;
      const model::Step moved = other.steps[i];
      other.steps.erase(other.steps.begin() + static_cast<std::ptrdiff_t>(i));
      other.steps.insert(other.steps.begin() + static_cast<std::ptrdiff_t>(j), moved);
      propose(other);
      other = form;
      std::swap(other.steps[i], other.steps[j]);
      if (i < j) propose(other);
    }
}

}  // namespace mrproof::property_tests
