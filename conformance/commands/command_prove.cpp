#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/commands/commands.hpp"
#include "impl/own_program.hpp"
#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

/// Becomes mrproof-prove, which is installed beside this program or, in a build tree, lies in the
/// folder of the proofs. This program also runs in guests, which have no Z3.
[[noreturn]] void become_prover(std::vector<std::string> words) {
  const auto folder = std::filesystem::path(impl::own_program()).parent_path();
  std::string name = "mrproof-prove";
  std::vector<char*> argv{name.data()};
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  for (const auto& candidate : {folder / name, folder.parent_path() / "specs" / name})
    execv(candidate.c_str(), argv.data());
  throw model::ToolError("no mrproof-prove in " + folder.string() +
                         "; build mrproof where libz3-dev is installed");
}

}  // namespace

void add_prove_command(CLI::App& app) {
  auto* command = app.add_subcommand("prove", "Prove theorems about the rules (needs Z3)");
  command->prefix_command();
  command->set_help_flag();
  command->callback([=] { become_prover(command->remaining()); });
}

}  // namespace mrproof::conformance
