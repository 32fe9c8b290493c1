#include "conformance/commands/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "conformance/run/exit_codes.hpp"

namespace mrproof::conformance {
namespace {

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

/// What troff takes for itself is escaped.
std::string plain(const std::string& text) {
  std::string safe = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '-')
      safe += "\\-";
    else if (c == '\\')
      safe += "\\e";
    else
      safe += c;
  }
  return safe;
}

/// "-o,--out" in pieces.
std::vector<std::string> names_of(const CLI::Option& option) {
  const std::string all = option.get_name(false, true);
  std::vector<std::string> names;
  for (std::size_t at = 0; at <= all.size();) {
    const auto end = std::min(all.find(',', at), all.size());
    auto name = all.substr(at, end - at);
    names.push_back(name.substr(0, name.find('{')));
    at = end + 1;
  }
  return names;
}

bool is_shown(const CLI::Option& option) { return !option.get_group().empty(); }

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

std::string value_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::string option_entry(const CLI::Option& option) {
  std::string tag;
  if (option.get_positional()) {
    tag = fmt::format("\\fI{}\\fR", plain(option.get_name(true)));
  } else {
    for (const auto& name : names_of(option))
      tag += fmt::format("{}\\fB{}\\fR", tag.empty() ? "" : ", ", plain(name));
    if (!is_flag(option)) tag += fmt::format(" \\fI{}\\fR", plain(value_of(option)));
  }
  std::string text = option.get_description();
  if (const auto def = option.get_default_str(); !def.empty() && !is_flag(option))
    text += fmt::format(" (default: {})", def);
  std::string needed;
  for (const auto* other : option.get_needs())
    needed += fmt::format("{}{}", needed.empty() ? "" : ", ", other->get_name(false, false));
  if (!needed.empty()) text += fmt::format(" (with {})", needed);
  return fmt::format(".TP\n{}\n{}\n", tag, plain(text));
}

std::string options_section(const CLI::App& app, bool positionals) {
  std::string entries;
  for (const auto* option : app.get_options())
    if (option->get_positional() == positionals && is_shown(*option))
      entries += option_entry(*option);
  if (entries.empty()) return "";
  return fmt::format(".SH {}\n{}", positionals ? "ARGUMENTS" : "OPTIONS", entries);
}

std::string option_words(const CLI::App& app) {
  std::string words;
  for (const auto* option : app.get_options())
    if (!option->get_positional() && is_shown(*option)) words += " " + names_of(*option).back();
  return words;
}

std::string command_words(const CLI::App& program) {
  std::string words;
  for (const auto* command : commands_of(program))
    words += (words.empty() ? "" : " ") + command->get_name();
  return words;
}

std::string exit_status() {
  return fmt::format(
      ".SH EXIT STATUS\n"
      "{}: as expected. {}: something deviates. {}: an error, which says nothing of what was "
      "tested.\n"
      "{}: nothing could be tested.\n",
      kExitExpected, kExitDeviation, kExitError, kExitNothingTested);
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& program) {
  auto commands = program.get_subcommands(
      [](const CLI::App* command) { return !command->get_group().empty(); });
  return {commands.begin(), commands.end()};
}

std::string manual_page(const CLI::App& program, const CLI::App* command) {
  const CLI::App& app = command == nullptr ? program : *command;
  const auto name =
      command == nullptr ? program.get_name() : program.get_name() + "-" + command->get_name();
  auto page = fmt::format(".TH {} 1 \"\" \"{}\"\n.SH NAME\n{} \\- {}\n", plain(upper(name)),
                          program.version(), plain(name), plain(app.get_description()));
  page += fmt::format(".SH SYNOPSIS\n.B {}{}\n", program.get_name(),
                      command == nullptr ? "" : " " + command->get_name());
  if (command == nullptr) page += "\\fICOMMAND\\fR ";
  page += "[\\fIOPTIONS\\fR]";
  for (const auto* option : app.get_options())
    if (option->get_positional()) {
      const auto argument = fmt::format("\\fI{}\\fR", plain(option->get_name(true)));
      page += option->get_required() ? " " + argument : fmt::format(" [{}]", argument);
    }
  page += "\n" + options_section(app, true) + options_section(app, false);
  if (command != nullptr) {
    for (const auto* part : commands_of(*command))
      page += fmt::format(".SH \"{} {}\"\n{}\n", upper(command->get_name()),
                          upper(part->get_name()), plain(part->get_description())) +
              options_section(*part, true) + options_section(*part, false);
    return page + ".SH SEE ALSO\n.BR mrproof (1),\n.BR mrproof\\-trace (5)\n";
  }
  page += ".SH COMMANDS\n";
  for (const auto* one : commands_of(program))
    page += fmt::format(".TP\n.BR mrproof\\-{} (1)\n{}\n", one->get_name(),
                        plain(one->get_description()));
  return page + exit_status() + ".SH SEE ALSO\n.BR mrproof\\-trace (5)\n";
}

std::string bash_completion(const CLI::App& program) {
  std::string cases;
  for (const auto* command : commands_of(program))
    cases +=
        fmt::format("        {}) words=\"{}\" ;;\n", command->get_name(), option_words(*command));
  return fmt::format(
      "_mrproof() {{\n"
      "    local word=${{COMP_WORDS[COMP_CWORD]}} words=\n"
      "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
      "        COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n"
      "        return\n"
      "    fi\n"
      "    case ${{COMP_WORDS[1]}} in\n{}    esac\n"
      "    case $word in\n"
      "        -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
      "        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n"
      "    esac\n"
      "}}\n"
      "complete -o filenames -F _mrproof mrproof\n",
      command_words(program), cases);
}

std::string zsh_completion(const CLI::App& program) {
  std::string cases;
  for (const auto* command : commands_of(program))
    cases += fmt::format("  {}) compadd --{} ;;\n", command->get_name(), option_words(*command));
  return fmt::format(
      "#compdef mrproof\n"
      "if (( CURRENT == 2 )); then\n"
      "  compadd {}\n"
      "  return\n"
      "fi\n"
      "[[ $PREFIX == -* ]] || {{ _files; return; }}\n"
      "case $words[2] in\n{}esac\n",
      command_words(program), cases);
}

}  // namespace mrproof::conformance
