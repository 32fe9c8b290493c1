// Writes files whole or not at all: a full disk does not cost the file that was there before.
#pragma once

#include <string>

namespace mrproof::model {

/// Writes the file: whole, or not at all. A file that was there is replaced, with its mode, once
/// all of the new one is written; what is no regular file (/dev/stdout, a pipe, a symbolic link) is
/// written through. Throws ToolError with the reason where it cannot be written.
void write_whole_file(const std::string& path, const std::string& text);

/// Throws the same ToolError if it is clear beforehand that the file cannot be written. Creates and
/// changes nothing.
void check_writable(const std::string& path);

/// Makes the folder if it is missing. Throws ToolError unless it is there then, and empty.
void make_empty_folder(const std::string& path);

}  // namespace mrproof::model
