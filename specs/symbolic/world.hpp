// States, calls and results whose every value is an unknown.
#pragma once

#include <string>
#include <vector>

#include "model/judge/dialects.hpp"
#include "specs/smt/values.hpp"
#include "specs/symbolic/fields.hpp"

namespace mrproof::specs {

/// The slots that proofs speak of. specs/README.md says what follows for more of them.
using Terms = smt::Symbolic<2, 3, 3, 2, 2>;

/// A call without its values: the verb, the slots it names, its options.
struct Shape {
  model::Verb verb = model::Verb::fill;
  std::uint8_t pd = 0;
  std::uint8_t mr = 0;
  std::uint8_t mw = 0;
  std::uint8_t qp = 0;
  std::uint8_t source = 1;
  std::uint8_t option = 0;
  std::uint8_t elements = 1;
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// "reg_mr", and what of the shape is not the first of its kind: "alloc_mw option=2 mw=1".
std::string text_of(const Shape& shape);

/// The shapes of a verb's calls. States are alike under a renaming of slots, so the first slots of
/// each kind stand for all; `every_slot` has all of them.
std::vector<Shape> shapes_of(model::Verb verb, bool every_slot);

/// Whether the fact of that name ("mw0 mr1 range") stands for those that differ from it in slots
/// which the call does not name: these are alike, so the first of them will do.
bool stands_for_others(const Shape& shape, const std::string& fact);

/// Whether the shape's calls have a value in the field of Call that call_fields() calls so.
bool has_value(const Shape& shape, const std::string& field);

/// A state of unknowns named PREFIX + path.
model::State<Terms> unknown_state(const std::string& prefix);
/// A result of unknowns.
model::Result<Terms> unknown_result(const std::string& prefix, model::Outcome outcome);
/// A call of unknowns where the verb has values, zeros where it has none.
model::Call<Terms> unknown_call(const std::string& prefix, const Shape& shape);
/// What is true of every call that can be written down: the length of an element is a uint32_t
/// (ibv_post_send(3), struct ibv_sge).
Terms::Bit writable(const model::Call<Terms>& call);

}  // namespace mrproof::specs
