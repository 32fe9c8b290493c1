// Man pages and completions, of what the program says of its options itself.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace mrproof::conformance {

/// mrproof(1), or the page of one of its commands, as troff.
std::string manual_page(const CLI::App& program, const CLI::App* command);
/// For bash: a file to be sourced.
std::string bash_completion(const CLI::App& program);
/// For zsh: the file _mrproof.
std::string zsh_completion(const CLI::App& program);

/// Commands that are for people, in the order of --help.
std::vector<const CLI::App*> commands_of(const CLI::App& program);

}  // namespace mrproof::conformance
