// The same bytes in the buffers of two hosts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mrproof::impl {

/// A host's buffers, by the file in memory whose pages they are, and what the other host's held
/// when both told each other last. Processes of one host share the bytes of their buffers; here
/// each host tells what has changed since then, and stores what the other one tells. Where both
/// have changed a byte, that of whoever tells last stays.
class MemoryTwin {
 public:
  /// The file has `size` bytes, as has that of the other host, and both hold the same.
  MemoryTwin(int file, std::size_t size);
  /// What has changed in the file since the last call of either function, as bytes to be sent.
  /// Throws DeviceError where the file cannot be read.
  std::string changes();
  /// Stores what the other host's changes() gave. Throws std::logic_error, and stores nothing, if
  /// that is not what changes() gives for a file of this size.
  void take(std::string_view changes);

 private:
  int file_;
  std::vector<char> known_, now_;
};

}  // namespace mrproof::impl
