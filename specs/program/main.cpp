// mrproof-prove: a program of its own, so that mrproof itself, which
// also runs in guests, does not need Z3.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "model/judge/rulebook.hpp"
#include "model/trace/write_file.hpp"
#include "specs/prover/freedoms.hpp"
#include "specs/prover/mutants.hpp"
#include "specs/prover/table.hpp"
#include "specs/smt/smtlib.hpp"
#include "specs/traces/mistakes.hpp"
#include "specs/traces/show_traces.hpp"

namespace mrproof::specs {
namespace {

struct Arguments {
  std::string theorem;
  std::string dialect;
  std::string smt2;
  bool json = false;
  bool list = false;
  bool every_slot = false;
  bool mutants = false;
  bool gaps = false;
  std::string only;
  std::string verb;
  std::string mutant;
  bool mistakes = false;
  std::string traces;
  unsigned seed = 0;
  unsigned threads = 2;
};

DialectSet dialects_of(const std::string& name) {
  if (name.empty()) return kEveryDialect;
  const auto found = std::find(model::kDialects.begin(), model::kDialects.end(), name);
  if (found == model::kDialects.end())
    throw std::runtime_error(
        fmt::format("no dialect '{}'; there are: {}", name, fmt::join(model::kDialects, ", ")));
  return 1U << static_cast<unsigned>(found - model::kDialects.begin());
}

void check_theorem(const std::string& name) {
  const auto all = theorems();
  const auto is = [&](const Heading& heading) { return heading.name == name; };
  if (!name.empty() && std::none_of(all.begin(), all.end(), is))
    throw std::runtime_error(fmt::format("no theorem '{}'; --list names them", name));
}

int list() {
  for (const Heading& heading : theorems())
    fmt::print("{:<32} {}\n", heading.name, heading.sentence);
  return 0;
}

int list_mistakes() {
  for (const Mistake& mistake : kMistakes)
    fmt::print("{}\n    {}\n", mistake.mutant, mistake.story);
  return 0;
}

/// Writes each question that has an answer to a file of its own.
class Export {
 public:
  explicit Export(std::string folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
  }
  void write(const smt::Question& question, smt::Answer answer) {
    if (answer != smt::Answer::unsatisfiable && answer != smt::Answer::satisfiable) return;
    const auto file = fmt::format("{}/{:06}.smt2", folder_, count_++);
    model::write_whole_file(file, smt::smtlib(question, answer));
  }

 private:
  std::string folder_;
  std::atomic<unsigned> count_ = 0;
};

/// Says how far it is: on a terminal in one line, else a line now and then.
class Ticker {
 public:
  void show(const Obligation& obligation) {
    ++done_;
    if (!obligation.proved()) {
      ++open_;
      clear();
      fmt::print(stderr, "not proved: {} of {} ({})\n", obligation.theorem, obligation.subject,
                 obligation.shape);
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(10)))
      return;
    shown_ = now;
    const auto line = fmt::format("{} obligations, {} not proved; {} of {}", done_, open_,
                                  obligation.theorem, obligation.subject);
    fmt::print(stderr, fmt::runtime(terminal_ ? "\r{:<100}" : "{}\n"), line);
  }
  void clear() const {
    if (terminal_) fmt::print(stderr, "\r{:<100}\r", "");
  }

 private:
  const bool terminal_ = isatty(STDERR_FILENO) != 0;
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
  std::size_t done_ = 0;
  std::size_t open_ = 0;
};

/// What is named in words, as the name of a file.
std::string file_name(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return c == ' ' || c == '/' || c == ':' || c == '(' || c == ')'; }, '-');
  return name;
}

/// Throws std::runtime_error where no verb's name begins so.
void check_begins_a_verb(const std::string& start) {
  const auto begins_so = [&](std::string_view name) { return name.starts_with(start); };
  if (std::none_of(model::kVerbNames.begin(), model::kVerbNames.end(), begins_so))
    throw std::runtime_error(
        fmt::format("no verb's name begins with '{}'; rereg_mr is one, for instance", start));
}

/// Judges mutants of the rules; exit code 0 if no theorem that should notice one fails to.
int run_mutants(const Arguments& arguments) {
  check_begins_a_verb(arguments.verb);
  ProofOptions options;
  options.threads = std::max(arguments.threads, 1U);
  options.solver.seed = arguments.seed;
  std::size_t done = 0;
  const auto show = [&](const Judgement& end) {
    constexpr std::array<const char*, 4> kFates{"refuted", "equivalent", "SURVIVED", "UNDECIDED"};
    fmt::print(stderr, "{:>5} {:<10} {:>6.2f} s  {}{}{}{}\n", ++done,
               kFates.at(static_cast<std::size_t>(end.fate)), end.seconds, end.mutant,
               end.by.empty() ? "" : ": ", end.by, end.trace.empty() ? "" : " (with a trace)");
  };
  Tracer tracer;
  FindTrace trace_of;
  if (!arguments.traces.empty()) {
    std::filesystem::create_directories(arguments.traces);
    trace_of = [&](const Mutant& mutant, const Obligation& obligation) {
      const auto shown = tracer.find(mutant.rows, obligation);
      if (!shown) return std::string();
      auto text = model::print_trace(shown->trace);
      model::write_whole_file(fmt::format("{}/{}.mrt", arguments.traces, file_name(mutant.name)),
                              text);
      return text;
    };
  }
  const auto ends = judge_mutants(arguments.verb, arguments.only, options, show, trace_of);
  if (ends.empty())
    throw std::runtime_error(
        fmt::format("no mutant of these verbs has '{}' in its name; leave out --only, or --verb",
                    arguments.only));
  fmt::print("{}", mutants_text(ends));
  const auto lives = [](const Judgement& end) {
    return end.fate == Fate::survived || end.fate == Fate::undecided;
  };
  return std::none_of(ends.begin(), ends.end(), lives) ? 0 : 1;
}

/// Reports what the pages leave open; exit code 0 if all of it is listed.
int run_gaps(const Arguments& arguments) {
  ProofOptions options;
  options.dialects = dialects_of(arguments.dialect);
  options.solver.seed = arguments.seed;
  std::size_t found = 0;
  const auto all = freedoms(options, [&](const Freedom& freedom) {
    fmt::print(stderr, "{:>5} {} or {}\n", ++found, freedom.success, freedom.failure);
  });
  fmt::print("{}", freedoms_text(all));
  const auto open = [](const Freedom& f) { return f.listed.empty() || !f.decided; };
  return std::none_of(all.begin(), all.end(), open) ? 0 : 1;
}

/// Proves theorems of the rules, or of a mutant of them.
int run_proofs(const Arguments& arguments) {
  check_theorem(arguments.theorem);
  ProofOptions options;
  options.dialects = dialects_of(arguments.dialect);
  options.theorem = arguments.theorem;
  options.every_slot = arguments.every_slot;
  options.threads = std::max(arguments.threads, 1U);
  options.solver.seed = arguments.seed;
  std::optional<Export> files;
  if (!arguments.smt2.empty()) {
    files.emplace(arguments.smt2);
    options.log = [&](const smt::Question& q, smt::Answer answer) { files->write(q, answer); };
  }
  auto rows = rows_of(options.dialects);
  if (!arguments.mutant.empty()) {
    const auto mutant = find_mutant(arguments.mutant);
    if (!mutant)
      throw std::runtime_error(
          fmt::format("no mutant '{}'; --mutants names them, --mistakes some", arguments.mutant));
    rows = mutant->rows;
    options = options_for(*mutant, options);
  }
  Ticker ticker;
  auto obligations =
      prove(rows, options, [&](const Obligation& obligation) { ticker.show(obligation); });
  ticker.clear();
  constexpr std::size_t kMostTraces = 10;
  Tracer tracer;
  tracer.add_traces(rows, obligations, kMostTraces);
  if (!arguments.traces.empty()) write_traces(arguments.traces, obligations);
  fmt::print("{}", arguments.json ? table_json(obligations) : table_text(obligations));
  const auto proved = [](const Obligation& obligation) { return obligation.proved(); };
  return !obligations.empty() && std::all_of(obligations.begin(), obligations.end(), proved) ? 0
                                                                                             : 1;
}

int run(const Arguments& arguments) {
  if (!arguments.verb.empty() && !arguments.mutants)
    throw std::runtime_error("--verb goes with --mutants");
  if (arguments.list) return list();
  if (arguments.mistakes) return list_mistakes();
  if (arguments.mutants) return run_mutants(arguments);
  if (arguments.gaps) return run_gaps(arguments);
  return run_proofs(arguments);
}

/// What could not be said must not look like a success: standard output may be on a full disk.
int all_said(int exit_code) {
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return exit_code;
  fmt::print(stderr,
             "mrproof-prove: standard output cannot be written{}{}; what it was to say is lost\n",
             errno == 0 ? "" : ": ", errno == 0 ? "" : std::strerror(errno));
  return 2;
}

int main_of(int argc, char** argv) {
  Arguments arguments;
  CLI::App app{"Proves theorems about the rules with Z3, for all addresses, lengths and keys."};
  app.name("mrproof-prove");
  app.add_option("--theorem", arguments.theorem, "prove only this theorem");
  app.add_option("--dialect", arguments.dialect,
                 "prove only the rules of this dialect (default: all)");
  app.add_option("--smt2", arguments.smt2, "write each question to DIR, in SMT-LIB 2")
      ->type_name("DIR");
  app.add_option("--seed", arguments.seed, "seed of the solver")->capture_default_str();
  app.add_option("--threads", arguments.threads, "number of threads")->capture_default_str();
  app.add_flag("--every-slot", arguments.every_slot,
               "each slot that a call can name, where else the first of its kind stands for all");
  app.add_flag("--mutants", arguments.mutants,
               "change the rules, one thing at a time, and name the theorem that notices");
  app.add_flag("--gaps", arguments.gaps, "report what the pages leave open, each with a witness");
  app.add_option("--verb", arguments.verb, "--mutants: only of verbs whose name begins so");
  app.add_option("--only", arguments.only, "--mutants: only those with this in their names")
      ->type_name("TEXT");
  app.add_option("--mutant", arguments.mutant,
                 "prove things about this mutant of the rules, until something is refuted")
      ->type_name("NAME");
  app.add_flag("--mistakes", arguments.mistakes, "list mutants that a tired engineer could write");
  app.add_option("--traces", arguments.traces,
                 "look for traces of what is refuted, and write them to DIR")
      ->type_name("DIR");
  app.add_flag("--json", arguments.json, "as JSON");
  app.add_flag("--list", arguments.list, "list the theorems, with their sentences");
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("mrproof-prove: {}; see mrproof prove --help\n", error.what());
  });
  try {
    app.parse(argc, argv);
    return all_said(run(arguments));
  } catch (const CLI::ParseError& error) {
    return all_said(app.exit(error) == 0 ? 0 : 2);
  } catch (const std::exception& error) {
    // fmt does not name standard output.
    if (dynamic_cast<const std::system_error*>(&error) != nullptr && std::ferror(stdout) != 0)
      return all_said(2);
    fmt::print(stderr, "mrproof-prove: {}\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace mrproof::specs

int main(int argc, char** argv) { return mrproof::specs::main_of(argc, argv); }
