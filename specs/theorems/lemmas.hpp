// Facts about numbers and flags that the rules and the theorems rely on.
#pragma once

#include "model/rules/registration.hpp"
#include "specs/theorems/invariants.hpp"
#include "specs/theorems/wide.hpp"

namespace mrproof::specs {

/// The facts of the lemmas. In the oracle's domain the unknowns are zeros.
template <class D>
struct LemmaFacts {
  using F = Facts<D>;
  using Address = typename D::Address;

  static Address number(const char* name) { return Address::unknown(name); }

  static void ranges_are_numbers(F& facts) {
    const auto start = number("start");
    const auto length = number("length");
    const auto first = number("first");
    const auto last = number("last");
    const auto zero = D::address(0);
    const auto inside = (first <= start) & ends_by(start, length, last);
    facts.add("within",
              implies(length != zero, model::within<D>(start, length, first, last) == inside));
    facts.add("empty", implies(length == zero, !model::within<D>(start, length, first, last)));
    const auto more = length - D::address(1);
    facts.add("lies", implies(length != zero, lies<D>(start, more, first, last) == inside));
  }

  static void ranges_are_their_bytes(F& facts) {
    const auto start = number("start");
    const auto length = number("length");
    const auto first = number("first");
    const auto last = number("last");
    const auto offset = number("offset");
    const auto within = model::within<D>(start, length, first, last);
    const auto byte = (first <= start + offset) & reaches(start, offset, last);
    facts.add("each byte", implies(within & (offset < length), byte));
    const auto final = length - D::address(1);
    facts.add("last byte",
              implies((length != D::address(0)) & (first <= start) & reaches(start, final, last),
                      within));
  }

  static void wrapping_ranges_are_outside(F& facts) {
    const auto start = number("start");
    const auto length = number("length");
    const auto within = model::within<D>(start, length, number("first"), number("last"));
    facts.add("wraps",
              implies(start + length < start, (!within) | (start + length == D::address(0))));
  }

  /// A registration with an iova: the byte of memory behind an address of its keys.
  static void iova_keeps_distances(F& facts) {
    const auto memory = number("memory");
    const auto first = number("first");
    const auto start = number("start");
    const auto offset = number("offset");
    facts.add("byte", memory + (start + offset - first) == memory + (start - first) + offset);
    facts.add("identity", implies(first == memory, memory + (start - first) == start));
  }

  /// The rule on flags against its truth table, over all combinations of the three flags.
  static void flags_are_their_table(F& facts) {
    using model::has;
    const auto access = D::Flags::unknown("access");
    const auto rule = implies(model::has_any<D>(access, model::kRemoteWrite | model::kRemoteAtomic),
                              has<D>(access, model::kLocalWrite));
    for (unsigned row = 0; row < 8; ++row) {
      const bool local = (row & 1U) != 0;
      const bool write = (row & 2U) != 0;
      const bool atomic = (row & 4U) != 0;
      const auto these = (has<D>(access, model::kLocalWrite) == D::bit(local)) &
                         (has<D>(access, model::kRemoteWrite) == D::bit(write)) &
                         (has<D>(access, model::kRemoteAtomic) == D::bit(atomic));
      facts.add("row " + std::to_string(row),
                implies(these, rule == D::bit(local || (!write && !atomic))));
    }
  }
};

}  // namespace mrproof::specs
