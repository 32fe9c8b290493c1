// Errors that say nothing about a device.
#pragma once

#include <stdexcept>

namespace mrproof::model {

/// Something that says nothing about a device: bad input, a full disk, no permission. what() is one
/// line that names the place and the remedy. The program ends with exit code 2.
class ToolError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace mrproof::model
