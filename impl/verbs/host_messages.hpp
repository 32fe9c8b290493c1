// What two hosts tell each other: plain bytes, since both run the same build of the program.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "impl/verbs/process.hpp"
#include "impl/verbs/reply.hpp"

namespace mrproof::impl {

/// Text in a message; what is too long is cut off.
template <std::size_t kSize>
struct Text {
  std::array<char, kSize> bytes{};  ///< ends with a zero
  Text() = default;
  explicit Text(std::string_view text) {
    std::copy_n(text.begin(), std::min(text.size(), kSize - 1), bytes.begin());
  }
  [[nodiscard]] std::string string() const { return {bytes.data(), strnlen(bytes.data(), kSize)}; }
};

/// The messages, in the order in which they are sent: first of all the peer greets.
struct Greeting {
  Text<32> what;   ///< kWhat
  Text<64> build;  ///< build_id()
  Text<64> salt;   ///< of crypt(3), another one each time
  static constexpr const char* kWhat = "mrproof peer 1";
};
/// Who has connected answers.
struct Claim {
  Text<64> build;
  Text<128> proof;                    ///< crypt(3) of the secret, with the salt
  bool brisk = false, lossy = false;  ///< as VerbsOptions says
};
/// What the peer has, or the exception that there was.
struct Welcome {
  Reply reply;
  Text<64> device, driver, kernel, rdma_core, firmware;
  Text<128> which;  ///< device_identity()
  std::uint32_t claimed = 0, features = 0;
  std::uint64_t max_message = 0;
};
/// An order, and what follows it.
struct OrderMessage {
  Order order;
  std::uint64_t changes = 0;  ///< bytes of MemoryTwin::changes()
};
/// What came of it, and what follows.
struct ReplyMessage {
  Reply reply;
  std::int32_t died_of = 0;  ///< the signal that the peer died of; nothing else counts then
  std::uint64_t warnings = 0, changes = 0;
};

}  // namespace mrproof::impl
