// All fields of states, calls and results by name, of several of them side by side: what makes
// unknowns, compares two states, and takes a state from one domain to another.
//
// The function is called as f(path, field of the first, field of the second, ...). Slots are walked
// as far as all of them have them. A path is a std::string, or whatever else names can be added to.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include "model/rule.hpp"

namespace mrproof::specs {

/// "NAME" + number + ".": the path of a slot's fields.
inline std::string slot_path(const char* name, std::size_t slot) {
  return name + std::to_string(slot) + ".";
}

/// The fields of elements.
template <class F, class P, class... E>
void element_fields(F&& f, const P& path, E&... e) {
  f(path + "lkey", e.lkey...);
  f(path + "address", e.address...);
  f(path + "length", e.length...);
}

/// The fields of regions.
template <class F, class P, class... R>
void region_fields(F&& f, const P& path, R&... r) {
  f(path + "live", r.live...);
  f(path + "empty", r.empty...);
  f(path + "undefined", r.undefined...);
  f(path + "null", r.null...);
  f(path + "outside_buffers", r.outside_buffers...);
  f(path + "unmapped", r.unmapped...);
  f(path + "pd", r.pd...);
  f(path + "access", r.access...);
  f(path + "first", r.first...);
  f(path + "last", r.last...);
  f(path + "memory", r.memory...);
  f(path + "unmapped_first", r.unmapped_first...);
  f(path + "unmapped_last", r.unmapped_last...);
  f(path + "lkey", r.lkey...);
  f(path + "rkey", r.rkey...);
  f(path + "old_lkey", r.old_lkey...);
  f(path + "old_rkey", r.old_rkey...);
}

/// The fields of windows.
template <class F, class P, class... W>
void window_fields(F&& f, const P& path, W&... w) {
  f(path + "live", w.live...);
  f(path + "two", w.two...);
  f(path + "bound", w.bound...);
  f(path + "undefined", w.undefined...);
  f(path + "pd", w.pd...);
  f(path + "region", w.region...);
  f(path + "qp", w.qp...);
  f(path + "access", w.access...);
  f(path + "first", w.first...);
  f(path + "last", w.last...);
  f(path + "memory", w.memory...);
  f(path + "rkey", w.rkey...);
  f(path + "old_rkey", w.old_rkey...);
}

/// The fields of queue pairs.
template <class F, class P, class... Q>
void queue_pair_fields(F&& f, const P& path, Q&... q) {
  f(path + "live", q.live...);
  f(path + "pd", q.pd...);
  f(path + "state", q.state...);
  f(path + "access", q.access...);
  f(path + "posted", q.posted...);
  f(path + "two", q.two...);
  for (std::size_t i = 0; i < 2; ++i) {
    if constexpr (std::is_same_v<P, std::string>)
      element_fields(f, path + slot_path("element", i), q.elements.at(i)...);
    else  // nobody reads the path, so it is not made
      element_fields(f, path, q.elements.at(i)...);
  }
}

/// The fields of buffers.
template <class F, class P, class... B>
void buffer_fields(F&& f, const P& path, B&... b) {
  f(path + "first", b.first...);
  f(path + "last", b.last...);
  f(path + "hole", b.hole...);
  f(path + "read_only", b.read_only...);
  f(path + "hole_first", b.hole_first...);
  f(path + "hole_last", b.hole_last...);
}

/// The object in a slot, to be changed if the state may be: of a table, one of the first slots.
template <class Objects>
decltype(auto) object_in(Objects& objects, std::size_t slot) {
  if constexpr (requires { objects.few(slot).live; })
    return (objects.few(slot));
  else
    return (objects.at(slot));
}

/// Gives a field the value that it has in another domain of plain numbers.
inline constexpr auto copy_field = [](const std::string& /*path*/, auto& to, const auto& value) {
  if constexpr (std::is_assignable_v<decltype(to), decltype(value)>)
    to = value;
  else
    to = std::decay_t<decltype(to)>(value.value());
};

/// The fields of states.
template <class F, class... S>
void state_fields(F&& f, S&... s) {
  const auto slots = [](auto... sizes) { return std::min({sizes...}); };
  for (std::size_t i = 0; i < slots(s.pds.size()...); ++i)
    f(slot_path("pd", i) + "live", object_in(s.pds, i).live...);
  for (std::size_t i = 0; i < slots(s.regions.size()...); ++i)
    region_fields(f, slot_path("mr", i), object_in(s.regions, i)...);
  for (std::size_t i = 0; i < slots(s.windows.size()...); ++i)
    window_fields(f, slot_path("mw", i), object_in(s.windows, i)...);
  for (std::size_t i = 0; i < slots(s.qps.size()...); ++i)
    queue_pair_fields(f, slot_path("qp", i), object_in(s.qps, i)...);
  for (std::size_t i = 0; i < slots(s.buffers.size()...); ++i)
    buffer_fields(f, slot_path("buf", i), s.buffers.at(i)...);
  f("can.claimed", s.can.claimed...);
  f("can.max_message", s.can.max_message...);
  f("can.features", s.can.features...);
  f("defined", s.defined...);
  f("demonstrated_access", s.demonstrated_access...);
  f("demonstrated_features", s.demonstrated_features...);
}

/// Gives a state the values of the fields that it shares with `like`, in their order.
template <class Like, class To, class Numbers>
void set_fields(const Like& like, To& to, const Numbers& numbers) {
  auto next = numbers.begin();
  state_fields(
      [&](const std::string&, const auto&, auto& field) {
        using Field = std::decay_t<decltype(field)>;
        if constexpr (std::is_same_v<Field, model::Bit>)
          field = model::Bit(*next++ != 0);
        else
          field = Field(static_cast<std::uint64_t>(*next++));
      },
      like, to);
}

/// Which verb a call is of, which slots it names, its options: the same in all domains.
template <class To, class From>
void copy_slots(To& to, const From& from) {
  to.verb = from.verb;
  to.pd = from.pd;
  to.mr = from.mr;
  to.mw = from.mw;
  to.qp = from.qp;
  to.source = from.source;
  to.option = from.option;
  to.seed = from.seed;
  to.elements = from.elements;
}

/// The values of calls, whichever the verb has; not the slots and options, which are plain numbers.
template <class F, class... C>
void call_fields(F&& f, C&... c) {
  f("access", c.access...);
  f("flags", c.flags...);
  f("address", c.address...);
  f("length", c.length...);
  f("lkey", c.lkey...);
  element_fields(f, std::string("second."), c.second...);
  f("rkey", c.rkey...);
  f("remote", c.remote...);
  f("iova", c.iova...);
  f("operand", c.operand...);
  f("swap", c.swap...);
}

/// The values of results; not the outcome.
template <class F, class... R>
void result_fields(F&& f, R&... r) {
  f("error", r.error...);
  f("reason", r.reason...);
  f("lkey", r.lkey...);
  f("rkey", r.rkey...);
  f("completion_matches", r.completion_matches...);
  f("qp_state", r.qp_state...);
  f("peer_state", r.peer_state...);
  f("own_receive", r.own_receive...);
  f("peer_receive", r.peer_receive...);
  f("received", r.received...);
  f("rights", r.rights...);
}

}  // namespace mrproof::specs
