// The form in which traces are shrunk: objects by numbers of their own instead of slots.
//
// A slot may name one object after the other. Deleting a step must not make a later call mean
// another object. So each object has a number here; when the trace is needed again, slots are
// assigned anew, the lowest free one first.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace/trace.hpp"

namespace mrproof::property_tests {

/// What a number of the form names.
enum class ObjectKind : std::uint8_t { pd, mr, mw };

/// A mention of an object in a step.
struct Mention {
  ObjectKind kind;
  std::uint32_t* number;
  bool makes;   ///< the step makes the object
  bool by_key;  ///< it is mentioned as the owner of a key
};

/// All mentions of protection domains, regions and windows in a step.
std::vector<Mention> mentions(model::Step& step);
/// Whether the step mentions the object.
bool mentions_object(const model::Step& step, ObjectKind kind, std::uint32_t number);
/// Whether the step makes the object.
bool makes_object(const model::Step& step, ObjectKind kind, std::uint32_t number);
/// Whether the key is one of a window.
bool is_window_key(const model::KeyName& key);

/// A trace whose handles and keys hold object numbers instead of slots. Objects that the setup
/// gives, and those that never were, have numbers, too. Queue pairs keep their slots; the setup
/// holds object numbers of PDs.
struct ShrinkForm {
  std::vector<model::Step> steps;
  std::array<std::uint32_t, model::Plain::kQps> qp_pd{};
  std::vector<std::uint32_t> given_pds;  ///< their numbers
  std::vector<std::uint32_t> other_pds;  ///< of those, the ones that belong to process 1
};

/// Numbers the objects of a trace.
ShrinkForm numbered(const model::Trace& trace);

/// Gives the objects slots, in the order in which they are needed, and takes from `like` all but
/// setup and steps. PDs and pairs that nothing mentions are left out.
model::Trace with_slots(const ShrinkForm& form, const model::Trace& like);

/// How plain a trace is: smaller is better, and only traces with the same calls have the same
/// weight.
struct TraceWeight {
  std::vector<std::uint64_t> parts;
  std::string text;  ///< setup and calls, without results
  auto operator<=>(const TraceWeight&) const = default;
};
TraceWeight weight_of(const model::Trace& trace);
/// The weight's parts alone, which cost less.
std::vector<std::uint64_t> weight_parts(const model::Trace& trace);

/// How plain a number is, from 0; plain ones first when candidates are made.
std::uint64_t length_weight(std::uint64_t length);
std::uint64_t address_weight(std::uint64_t address);

/// Microseconds before a call, plainest first.
inline constexpr std::initializer_list<std::uint64_t> kRoundDelays{10, 100, 1000, 20, 50, 200, 500};

/// Leaves out completions of what is not in flight, and requests whose label is taken; ends lists
/// that do not go on.
void drop_strays(std::vector<model::Step>& steps);

/// Setup and calls as text, without results: the same for the same candidate.
std::string calls_text(const model::Trace& trace);

}  // namespace mrproof::property_tests
