// Whole messages over a connection of TCP.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

namespace mrproof::impl {

/// An open connection, or none.
class Stream {
 public:
  Stream() = default;
  /// Takes the descriptor. From now on silence is no longer than kSilence: a connection whose other
  /// end does not answer, be it that the link or the other kernel is dead, ends with ETIMEDOUT.
  explicit Stream(int descriptor);
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  static constexpr int kSilence = 20;  ///< seconds

  [[nodiscard]] bool is_open() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }
  /// Longest that receiving waits, in seconds; 0: however long.
  void wait_at_most(int seconds) const;
  /// Whether all bytes went, or came; if not, errno is what went wrong, or 0 if the other end has
  /// closed the connection.
  [[nodiscard]] bool send(const void* bytes, std::size_t size) const;
  [[nodiscard]] bool receive(void* bytes, std::size_t size) const;
  [[nodiscard]] bool receive(std::string& bytes, std::size_t size) const;
  template <class T>
  [[nodiscard]] bool send(const T& message) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return send(&message, sizeof message);
  }
  template <class T>
  [[nodiscard]] bool receive(T& message) const {
    static_assert(std::is_trivially_copyable_v<T>);
    return receive(&message, sizeof message);
  }

 private:
  int descriptor_ = -1;
};

}  // namespace mrproof::impl
