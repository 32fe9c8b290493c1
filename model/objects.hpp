// Containers of objects, and the questions that rules ask of them.
//
// Rules name an object by its slot, or ask about all objects for which something may hold: those
// with a key, of a PD, on a region, through a queue pair. They enumerate nothing else and do no
// arithmetic on slots, so that what they say does not depend on how many objects there are, and
// the domain chooses the container: arrays of a few slots for explorer and prover, tables of any
// size for the oracle, which find what is asked for by index.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "model/domain.hpp"

namespace mrproof::model {

/// Which objects are asked for. A container shows at least these; it may show others, dead ones
/// too, and one of them twice: who asks says itself what has to hold.
template <class Slot> struct InPd { Slot pd; };            ///< that belong to the PD
template <class Slot> struct OnRegion { Slot region; };    ///< windows on the region
template <class Slot> struct ThroughQp { Slot qp; };       ///< windows bound through the queue pair
template <class Key> struct WithLkey { Key key; };         ///< whose lkey has the key's index
template <class Key> struct WithRkey { Key key; };         ///< whose rkey has the key's index
template <class Key> struct WithKeys { Key lkey, rkey; };  ///< the one or the other
struct Everywhere {};                                      ///< all, one by one

/// The part of a key that the consumer of a type 2 window does not choose.
constexpr auto key_index(auto key) { return key & 0xffffff00U; }

/// N slots, of which every one is shown to who asks.
template <class T, std::size_t N> struct ObjectArray : std::array<T, N> {
  constexpr void put(std::size_t slot, const T& object) { this->at(slot) = object; }
  constexpr void change(std::size_t slot, auto&& how) { how(this->at(slot)); }
  /// Calls how(object) for all that are asked for; what is not meant it has to leave as it is.
  constexpr void change_all(const auto& /*which*/, auto&& how) {
    for (T& object : *this) how(object);
  }
  /// Calls visit(object) for all that are asked for, until it says false.
  constexpr void visit(const auto& /*which*/, auto&& visit) const {
    for (const T& object : *this)
      if (!visit(object)) return;
  }
  /// Calls visit(bit, object) for what the slot may name; the bit: that it does.
  template <class D> constexpr void named(const typename D::Slot& slot, auto&& visit) const {
    for (std::size_t i = 0; i < N; ++i)
      if (const typename D::Bit here = slot == D::slot(i); D::possible(here))
        visit(here, (*this)[i]);
  }
  /// Whether a plain fact of slots is the same for both.
  template <class D>
  static constexpr auto alike(
      const typename D::Slot& one, const typename D::Slot& other, auto&& fact) {
    auto same = D::bit(true);
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t j = 0; j < N; ++j)
        if (fact(i) != fact(j)) same = same & !((one == D::slot(i)) & (other == D::slot(j)));
    return same;
  }
};

/// What objects are found by: for a live object of type T, a number for each of its links; a
/// specialisation stands beside the type. `of(which)` are the links, with their numbers, that lead
/// to what is asked for.
template <class T> struct Links;

/// A link and the number that it has.
struct Link {
  std::size_t link;
  std::uint32_t number;
};

/// Objects in chains: those whose links have a number are found without looking at the others.
template <class T> class LinkedObjects {
 public:
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const T& at(std::size_t place) const { return entries_[place].object; }

  void change(std::size_t place, auto&& how) {
    if (place >= entries_.size()) grow(place + 1);
    T& object = entries_[place].object;
    const auto before = Links<T>::numbers(object);
    how(object);
    const auto after = Links<T>::numbers(object);
    for (std::size_t link = 0; link < kLinks; ++link) {
      if (before[link] == after[link]) continue;
      if (before[link]) take_out(link, *before[link], place);
      if (after[link]) put_in(link, *after[link], place);
    }
  }
  /// As those of a table, which has asked its first slots before.
  void change_all(const auto& which, auto&& how) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(which)>, Everywhere>)
      for (std::size_t place = 0; place < entries_.size(); ++place) change(place, how);
    else
      for (const Link link : Links<T>::of(which))
        for (Place place = head(link), next = kNone; place != kNone; place = next) {
          next = entries_[place].next[link.link];
          change(place, how);
        }
  }
  void visit(const auto& which, auto&& visit) const {
    visit_places(which, [&](std::size_t /*place*/, const T& object) { return visit(object); });
  }
  void visit_places(const auto& which, auto&& visit) const {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(which)>, Everywhere>) {
      for (std::size_t place = 0; place < entries_.size(); ++place)
        if (!visit(place, entries_[place].object)) return;
    } else {
      for (const Link link : Links<T>::of(which))
        for (Place place = head(link); place != kNone; place = entries_[place].next[link.link])
          if (!visit(place, entries_[place].object)) return;
    }
  }

 private:
  using Place = std::uint32_t;
  static constexpr Place kNone = ~Place{0};
  static constexpr std::size_t kLinks = Links<T>::kLinks;
  struct Entry {
    T object{};
    std::array<Place, kLinks> next, previous;  // in the chains that it is in
  };

  [[nodiscard]] std::size_t bucket(std::uint32_t number) const {
    return (number * 0x9e3779b97f4a7c15ULL >> 32U) & (heads_.size() - 1);
  }
  [[nodiscard]] Place head(const Link& link) const {
    return heads_[bucket(link.number)][link.link];
  }
  void put_in(std::size_t link, std::uint32_t number, std::size_t place) {
    Place& first = heads_[bucket(number)][link];
    entries_[place].next[link] = first;
    entries_[place].previous[link] = kNone;
    if (first != kNone) entries_[first].previous[link] = static_cast<Place>(place);
    first = static_cast<Place>(place);
  }
  void take_out(std::size_t link, std::uint32_t number, std::size_t place) {
    const Place next = entries_[place].next[link], previous = entries_[place].previous[link];
    (previous == kNone ? heads_[bucket(number)] : entries_[previous].next)[link] = next;
    if (next != kNone) entries_[next].previous[link] = previous;
  }
  void grow(std::size_t size) {
    entries_.resize(size);
    std::size_t buckets = heads_.empty() ? 16 : heads_.size();
    while (buckets < size) buckets *= 2;
    if (buckets == heads_.size()) return;
    std::array<Place, kLinks> none;
    none.fill(kNone);
    heads_.assign(buckets, none);
    for (std::size_t place = 0; place < entries_.size(); ++place) {
      const auto numbers = Links<T>::numbers(entries_[place].object);
      for (std::size_t link = 0; link < kLinks; ++link)
        if (numbers[link]) put_in(link, *numbers[link], place);
    }
  }
  std::deque<Entry> entries_;
  std::vector<std::array<Place, kLinks>> heads_;
};

/// Any number of slots. The first `Few` are shown to everybody who asks, as in an array: most cases
/// have no others. Those behind them are found by their links.
template <class T, std::size_t Few> class ObjectTable {
 public:
  /// How many slots there are to look at; all others are empty.
  [[nodiscard]] std::size_t size() const { return Few + (more_ ? more_->size() : 0); }
  [[nodiscard]] const T& at(std::size_t slot) const {
    if (slot < Few) return few_[slot];
    return slot < size() ? more_->at(slot - Few) : kEmpty;
  }
  const T& operator[](std::size_t slot) const { return at(slot); }
  void put(std::size_t slot, const T& object) {
    change(slot, [&](T& old) { old = object; });
  }
  void change(std::size_t slot, auto&& how) {
    if (slot < Few) return static_cast<void>(how(few_[slot]));
    if (!more_) more_.emplace();
    more_->change(slot - Few, how);
  }
  void change_all(const auto& which, auto&& how) {
    for (T& object : few_) how(object);
    if (more_) more_->change_all(which, how);
  }
  void visit(const auto& which, auto&& visit) const {
    for (const T& object : few_)
      if (!visit(object)) return;
    if (more_) more_->visit(which, visit);
  }
  template <class D> void named(const typename D::Slot& slot, auto&& visit) const {
    visit(D::bit(true), at(slot.value()));
  }
  template <class D>
  static auto alike(const typename D::Slot& one, const typename D::Slot& other, auto&& fact) {
    return D::bit(fact(one.value()) == fact(other.value()));
  }
  /// Calls visit(slot, object) for those that are asked for behind the few.
  void visit_more(const auto& which, auto&& visit) const {
    if (!more_) return;
    more_->visit_places(
        which, [&](std::size_t place, const T& object) { return visit(Few + place, object); });
  }
  /// The slots that every question shows; whether there are others.
  [[nodiscard]] const std::array<T, Few>& few() const { return few_; }
  [[nodiscard]] T& few(std::size_t slot) { return few_.at(slot); }
  [[nodiscard]] const LinkedObjects<T>* more() const { return more_ ? &*more_ : nullptr; }

  /// For who looks at a whole state, which no rule does.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using difference_type = std::ptrdiff_t;
    using value_type = T;
    using pointer = const T*;
    using reference = const T&;
    Iterator(const ObjectTable& table, std::size_t slot) : table_(&table), slot_(slot) {}
    const T& operator*() const { return table_->at(slot_); }
    Iterator& operator++() {
      ++slot_;
      return *this;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const ObjectTable* table_;
    std::size_t slot_;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

 private:
  inline static const T kEmpty{};
  std::array<T, Few> few_{};
  std::optional<LinkedObjects<T>> more_;
};

/// Whether some, whether every object that is asked for satisfies the predicate.
template <class D> constexpr auto any(const auto& objects, const auto& which, auto&& predicate) {
  auto result = D::bit(false);
  objects.visit(which, [&](const auto& object) {
    result = result | predicate(object);
    return D::possible(!result);
  });
  return result;
}
template <class D> constexpr auto all(const auto& objects, const auto& which, auto&& predicate) {
  auto result = D::bit(true);
  objects.visit(which, [&](const auto& object) {
    result = result & predicate(object);
    return D::possible(result);
  });
  return result;
}

}  // namespace mrproof::model
