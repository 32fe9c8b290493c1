#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "conformance/commands/commands.hpp"
#include "conformance/commands/manual.hpp"
#include "conformance/commands/validators.hpp"
#include "model/trace/write_file.hpp"

namespace mrproof::conformance {
namespace {

const CLI::App& find_command(const CLI::App& program, const std::string& name) {
  for (const auto* command : commands_of(program))
    if (command->get_name() == name) return *command;
  throw std::runtime_error(fmt::format("help: there is no command '{}'; see mrproof --help", name));
}

/// What a package puts into its folders for manuals and completions.
void write_manual(const CLI::App& program, const std::string& folder) {
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    model::write_whole_file(folder + "/" + name, text);
  };
  write("mrproof.1", manual_page(program, nullptr));
  for (const auto* command : commands_of(program))
    write(fmt::format("mrproof-{}.1", command->get_name()), manual_page(program, command));
  write("mrproof.bash", bash_completion(program));
  write("_mrproof", zsh_completion(program));
}

}  // namespace

void add_help_command(CLI::App& app, int& exit_code) {
  auto name = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>();
  auto* command = app.add_subcommand("help", "Print the help of a command");
  command->add_option("command", *name, "the command; none: of the program");
  command
      ->add_option("--write", *folder,
                   "write man pages of all commands, and completions for bash and zsh, to a folder")
      ->check(kNotEmpty);
  command->callback([&app, name, folder, &exit_code] {
    if (!folder->empty()) {
      write_manual(app, *folder);
    } else {
      // The program's own help() would be that of the command that is called now.
      const CLI::App& asked = name->empty() ? app : find_command(app, *name);
      const auto called = name->empty() ? app.get_name() : app.get_name() + " " + *name;
      const auto mode = CLI::AppFormatMode::Normal;
      fmt::print("{}", asked.get_formatter()->make_help(&asked, called, mode));
    }
    exit_code = kExitExpected;
  });
}

}  // namespace mrproof::conformance
