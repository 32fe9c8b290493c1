// What comes back from a process elsewhere: an answer, or an exception's text.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>

#include "impl/device.hpp"
#include "impl/verbs/process.hpp"

namespace mrproof::impl {

/// Whose fault it is that there is no answer.
enum class Blame : std::uint8_t { none, device, caller };

/// An answer on its way. Plain bytes: both ends are of the same build.
struct Reply {
  Answer answer;
  Blame blame = Blame::none;
  std::array<char, 512> text{};  ///< of the exception; ends with a zero
};
static_assert(std::is_trivially_copyable_v<Reply>);

/// The exception's text on its way.
inline Reply failure(Blame blame, const std::exception& error) {
  Reply reply;
  reply.blame = blame;
  const std::string text = error.what();
  std::copy_n(text.begin(), std::min(text.size(), reply.text.size() - 1), reply.text.begin());
  return reply;
}

/// What `make` gives, or what it throws.
template <class Make>
Reply reply_of(Make make) {
  try {
    Reply reply;
    reply.answer = make();
    return reply;
  } catch (const std::logic_error& error) {
    return failure(Blame::caller, error);
  } catch (const std::exception& error) {
    return failure(Blame::device, error);
  }
}

/// The answer. Throws what was thrown there: std::logic_error, or DeviceError, with `where` in
/// front of its text.
inline Answer answer_of(const Reply& reply, const std::string& where) {
  if (reply.blame == Blame::caller) throw std::logic_error(reply.text.data());
  if (reply.blame == Blame::device) throw DeviceError(where + ": " + reply.text.data());
  return reply.answer;
}

}  // namespace mrproof::impl
