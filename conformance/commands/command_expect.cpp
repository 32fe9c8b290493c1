#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include "conformance/commands/commands.hpp"
#include "conformance/run/expectations.hpp"

namespace mrproof {
namespace {

struct ExpectOptions {
  std::string report;
  std::string file;
  std::string reason;
};

std::string read_file(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw ToolError(fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  return text.str();
}

int update(const ExpectOptions& options) {
  const auto before = read_file(options.file);
  std::string after;
  try {
    after = updated_expectations(before, read_file(options.report), options.reason);
  } catch (const ToolError& error) {
    throw ToolError(fmt::format("{}: {}", options.report, error.what()));
  }
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  if (after == before) {
    fmt::print("{}: nothing to change\n", options.file);
    return kExitExpected;
  }
  // Written beside it first: a full disk must not cost the file.
  const auto part = options.file + ".part";
  std::ofstream out(part);
  out << after;
  out.close();
  if (!out || std::rename(part.c_str(), options.file.c_str()) != 0)
    throw ToolError(fmt::format("{}: cannot be written: {}", options.file, std::strerror(errno)));
  fmt::print("{}: {} lines before, {} now\n", options.file, lines(before), lines(after));
  return kExitExpected;
}

}  // namespace

void add_expect_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ExpectOptions>();
  auto* command = app.add_subcommand("expect", "Files of expected deviations");
  command->require_subcommand(1);
  auto* updating = command->add_subcommand(
      "update", "Bring a file up to date with a run: without what nothing met, with what is new");
  updating->add_option("file", options->file, "ci/expectations/DRIVER-TARGET-fails.txt")
      ->required();
  updating->add_option("--report", options->report, "report.json of a run with --full and --expect")
      ->required();
  updating->add_option("--reason", options->reason, "why the new entries are expected");
  updating->callback([options, &exit_code] { exit_code = update(*options); });
}

}  // namespace mrproof
