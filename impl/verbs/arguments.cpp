#include "impl/verbs/arguments.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace mrproof::impl {
namespace {

using model::Plain;

ibv_sge element(Plain::Key lkey, Plain::Address address, Plain::Address length) {
  if (length.value() > std::numeric_limits<std::uint32_t>::max())
    throw std::logic_error("a length of " + std::to_string(length.value()) +
                           " does not fit into a scatter/gather element");
  return {address.value(), static_cast<std::uint32_t>(length.value()),
          static_cast<std::uint32_t>(lkey.value())};
}

}  // namespace

void report_misuse(const char* object, unsigned slot, const char* fault) {
  throw std::logic_error(object + std::to_string(slot) + " " + fault);
}

std::array<ibv_sge, 2> elements_of(const model::Call<Plain>& call) {
  if (call.elements < 1 || call.elements > 2)
    throw std::logic_error(std::to_string(call.elements) + " scatter/gather elements, not 1 or 2");
  std::array<ibv_sge, 2> elements{element(call.lkey, call.address, call.length)};
  if (call.elements == 2)
    elements[1] = element(call.second.lkey, call.second.address, call.second.length);
  return elements;
}

}  // namespace mrproof::impl
