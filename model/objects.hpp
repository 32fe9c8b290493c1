// Containers of objects, and the questions that rules ask of them.
//
// Rules name an object by its slot, or ask about all objects for which something may hold: those
// with a key, of a PD, on a region, through a queue pair. They enumerate nothing else and do no
// arithmetic on slots but for the partner of a queue pair (peer_of()), so that what they say does
// not depend on how many objects there are, and the domain chooses the container: arrays of a few
// slots for explorer and prover, tables of any size for the oracle, which find what is asked for by
// index.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/domain.hpp"

namespace mrproof::model {

/// Which key of a region is meant. Windows have a remote key only.
enum class KeyKind : std::uint8_t { local, remote };

/// Which objects are asked for. A container shows at least these; it may show others, dead ones
/// too, and one of them twice: who asks says itself what has to hold.
template <class Slot> struct InPd { Slot pd; };          ///< that belong to the PD
template <class Slot> struct OnRegion { Slot region; };  ///< windows on the region
template <class Slot> struct ThroughQp { Slot qp; };     ///< windows bound through the queue pair
/// Whose key of that kind has the key's index.
template <class Key> struct WithKey {
  Key key;
  KeyKind kind;
};
template <class Key> struct WithRkey { Key key; };         ///< whose rkey has the key's index
template <class Key> struct WithKeys { Key lkey, rkey; };  ///< the one or the other
struct Everywhere {};                                      ///< all, one by one
// clang 14 does not deduce them by itself.
template <class Slot> InPd(Slot) -> InPd<Slot>;
template <class Slot> OnRegion(Slot) -> OnRegion<Slot>;
template <class Slot> ThroughQp(Slot) -> ThroughQp<Slot>;
template <class Key> WithKey(Key, KeyKind) -> WithKey<Key>;
template <class Key> WithRkey(Key) -> WithRkey<Key>;
template <class Key> WithKeys(Key, Key) -> WithKeys<Key>;

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
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] const T& at(std::size_t place) const { return entry(place).object; }

  /// Changes an object by how(object), of which there are more afterwards if it is behind the last.
  void change(std::size_t place, auto&& how) {
    if (place >= size_) grow(place + 1);
    T& object = entry(place).object;
    const auto before = Links<T>::numbers(object);
    how(object);
    const auto after = Links<T>::numbers(object);
    for (std::size_t link = 0; link < kLinks; ++link) {
      if (before[link] == after[link]) continue;
      if (before[link]) take_out(link, *before[link], place);
      if (after[link]) put_in(link, *after[link], place);
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

 public:
  /// Goes through those that are asked for. The one that was shown last may change.
  template <class Which> class Walk {
   public:
    /// No objects: it ends at once.
    Walk(const LinkedObjects* objects, const Which& which) : objects_(objects), which_(which) {
      if (objects_ != nullptr) begin();
    }
    /// Whether there is one more; place() says where.
    bool next() {
      if (objects_ == nullptr || ahead_ == kNone) return false;
      place_ = ahead_;
      if constexpr (kAll) {
        ahead_ = place_ + 1 < objects_->size() ? place_ + 1 : kNone;
      } else {
        const auto links = Links<T>::of(which_);
        ahead_ = objects_->entry(place_).next[links[link_].link];
        while (ahead_ == kNone && ++link_ < links.size()) ahead_ = objects_->head(links[link_]);
      }
      return true;
    }
    [[nodiscard]] std::size_t place() const { return place_; }
    [[nodiscard]] const T& object() const { return objects_->at(place_); }

   private:
    static constexpr bool kAll = std::is_same_v<Which, Everywhere>;
    void begin() {
      if constexpr (kAll) {
        ahead_ = objects_->size() == 0 ? kNone : 0;
      } else {
        const auto links = Links<T>::of(which_);
        ahead_ = objects_->head(links[0]);
        while (ahead_ == kNone && ++link_ < links.size()) ahead_ = objects_->head(links[link_]);
      }
    }
    const LinkedObjects* objects_;
    const Which& which_;
    std::size_t link_ = 0;
    Place place_ = kNone, ahead_ = kNone;
  };

 private:
  [[nodiscard]] std::size_t bucket(std::uint32_t number) const {
    return (number * 0x9e3779b97f4a7c15ULL >> 32U) & (heads_.size() - 1);
  }
  [[nodiscard]] Place head(const Link& link) const {
    return heads_[bucket(link.number)][link.link];
  }
  void put_in(std::size_t link, std::uint32_t number, std::size_t place) {
    Place& first = heads_[bucket(number)][link];
    entry(place).next[link] = first;
    entry(place).previous[link] = kNone;
    if (first != kNone) entry(first).previous[link] = static_cast<Place>(place);
    first = static_cast<Place>(place);
  }
  void take_out(std::size_t link, std::uint32_t number, std::size_t place) {
    const Place next = entry(place).next[link], previous = entry(place).previous[link];
    (previous == kNone ? heads_[bucket(number)] : entry(previous).next)[link] = next;
    if (next != kNone) entry(next).previous[link] = previous;
  }
  /// The blocks are of 64 entries, 128, 256 and so on: they stay where they are.
  static std::pair<std::size_t, std::size_t> block_of(std::size_t place) {
    const std::size_t from_64 = place + 64;
    const auto block = static_cast<std::size_t>(std::bit_width(from_64)) - 7;
    return {block, from_64 - (std::size_t{64} << block)};
  }
  [[nodiscard]] const Entry& entry(std::size_t place) const {
    const auto [block, at] = block_of(place);
    return blocks_[block][at];
  }
  Entry& entry(std::size_t place) {
    const auto [block, at] = block_of(place);
    return blocks_[block][at];
  }
  void grow(std::size_t size) {
    size_ = size;
    while (blocks_.size() <= block_of(size - 1).first)
      blocks_.emplace_back(std::size_t{64} << blocks_.size());
    std::size_t buckets = heads_.empty() ? 16 : heads_.size();
    while (buckets < size) buckets *= 2;
    if (buckets == heads_.size()) return;
    std::array<Place, kLinks> none;
    none.fill(kNone);
    heads_.assign(buckets, none);
    for (std::size_t place = 0; place < size; ++place) {
      const auto numbers = Links<T>::numbers(at(place));
      for (std::size_t link = 0; link < kLinks; ++link)
        if (numbers[link]) put_in(link, *numbers[link], place);
    }
  }
  std::size_t size_ = 0;
  std::vector<std::vector<Entry>> blocks_;
  std::vector<std::array<Place, kLinks>> heads_;
};

/// Any number of slots. The first `Few` are shown to everybody who asks, as in an array: most cases
/// have no others. Those behind them are found by their links.
///
/// What is behind the few is looked at in functions of their own: what is left is small enough that
/// compilers put the caller's function in its place, without which cases of few objects are slow.
template <class T, std::size_t Few> class ObjectTable {
  using More = LinkedObjects<T>;

 public:
  /// How many slots there are to look at; all others are empty.
  [[nodiscard]] std::size_t size() const { return Few + (more_ ? more_->size() : 0); }
  [[nodiscard]] const T& at(std::size_t slot) const {
    if (slot < Few) [[likely]]
      return few_[slot];
    return at_more(slot);
  }
  const T& operator[](std::size_t slot) const { return at(slot); }
  void put(std::size_t slot, const T& object) {
    if (slot < Few)
      few_[slot] = object;
    else
      change_more(slot, [&](T& old) { old = object; });
  }
  void change(std::size_t slot, auto&& how) {
    if (slot < Few) [[likely]]
      how(few_[slot]);
    else
      change_more(slot, how);
  }
  void change_all(const auto& which, auto&& how) {
    for (T& object : few_) how(object);
    if (more_) [[unlikely]]
      change_behind(which, how);
  }
  void visit(const auto& which, auto&& visit) const {
    for (const T& object : few_)
      if (!visit(object)) return;
    if (more_) [[unlikely]]
      visit_behind(which, visit);
  }
  template <class D> void named(const typename D::Slot& slot, auto&& visit) const {
    visit(D::bit(true), at(slot.value()));
  }
  template <class D>
  static auto alike(const typename D::Slot& one, const typename D::Slot& other, auto&& fact) {
    return D::bit(fact(one.value()) == fact(other.value()));
  }
  /// Goes through those that are asked for behind the few.
  template <class Which> [[nodiscard]] auto walk(const Which& which) const {
    return typename More::template Walk<Which>(more(), which);
  }
  /// Calls visit(slot, object) for each of these.
  void visit_more(const auto& which, auto&& visit) const {
    for (auto walk = this->walk(which); walk.next();) visit(Few + walk.place(), walk.object());
  }
  /// The slots that every question shows; whether there are others.
  [[nodiscard]] const std::array<T, Few>& few() const { return few_; }
  [[nodiscard]] T& few(std::size_t slot) { return few_.at(slot); }
  [[nodiscard]] const More* more() const { return more_ ? &*more_ : nullptr; }

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
  [[gnu::noinline]] const T& at_more(std::size_t slot) const {
    return slot < size() ? more_->at(slot - Few) : kEmpty;
  }
  [[gnu::noinline]] void visit_behind(const auto& which, auto&& visit) const {
    for (auto walk = this->walk(which); walk.next();)
      if (!visit(walk.object())) return;
  }
  [[gnu::noinline]] void change_behind(const auto& which, auto&& how) {
    for (auto walk = this->walk(which); walk.next();) more_->change(walk.place(), how);
  }
  [[gnu::noinline]] void change_more(std::size_t slot, auto&& how) {
    if (!more_) more_.emplace();
    more_->change(slot - Few, how);
  }
  inline static const T kEmpty{};
  std::array<T, Few> few_{};
  std::optional<More> more_;
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
