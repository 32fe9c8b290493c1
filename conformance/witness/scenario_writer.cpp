// Writes scenarios for what none shows yet:  scenario_writer SCENARIOS [SEEDS]
//
// A tool for whoever adds a rule (HACKING.md). What it finds is the same every time. Its scenarios
// are read before they are committed: the model must not be the only judge of the model.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "conformance/oracle/judge_trace.hpp"
#include "conformance/testing/coverage.hpp"
#include "conformance/witness/witness.hpp"
#include "model/conditions/circumstances.hpp"

namespace mrproof {
namespace {

using namespace model;
namespace fs = std::filesystem;

std::set<std::string> shown_in(const std::string& folder) {
  std::set<std::string> shown;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".mrt") continue;
    const Trace trace = load_trace(entry.path());
    const auto& book = *find_rulebook(trace.dialect);
    look(judge_trace(trace, book, entry.path()), book, shown);
  }
  return shown;
}

constexpr std::string_view kAll = "LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC";
/// First steps: situations that walks would need long for.
std::vector<std::string> first_steps() {
  const std::string region =
      fmt::format("mr0 = reg_mr(pd0, buf0+0, 4096, {}|MW_BIND) -> ok\n", kAll);
  const std::string local = "mr1 = reg_mr(pd0, buf1+0, 4096, LOCAL_WRITE) -> ok\n";
  const std::string window = "mw0 = alloc_mw(pd0, TYPE_2) -> ok\n";
  const std::string other = "mr2 = reg_mr(pd1, buf2+0, 4096, LOCAL_WRITE) -> ok\n";
  const std::string bound =
      "post_bind_mw(qp1, mw0, mw0.rkey^0x1, mr0, buf0+0, 4096, "
      "REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC) -> SUCCESS qp=RTS peer=RTS\n";
  const std::string absent =
      "mr1 = reg_mr(pd0, buf1+0, 8192, LOCAL_WRITE|ON_DEMAND) -> ok\n"
      "protect(buf1+0, 4096, NONE)\n";
  const std::string receive = "post_recv(qp1, mr1.lkey, buf1+64, 64) -> ok\n";
  return {
      "",
      region + window,
      region + local + window + bound,
      region + local + window + bound + receive,
      region + other + window + bound,
      region + "mw0 = alloc_mw(pd0, TYPE_1) -> ok\n" + local +
          "bind_mw(qp0, mw0, mr0, buf0+0, 4096, REMOTE_READ) -> SUCCESS qp=RTS peer=RTS\n",
      region + local + receive,
      fmt::format("mr0 = reg_mr(pd0, buf0+0, 8192, {}|ON_DEMAND) -> ok\n", kAll) + local +
          "protect(buf0+4096, 4096, NONE)\n",
      region + "mr1 = reg_mr(pd0, buf1+0, 4096, REMOTE_READ) -> ok\n" + window + bound + receive,
      region + absent + window + bound + receive,
      region + absent + window + bound + "post_recv(qp1, mr0.lkey, buf0+1024, 64) -> ok\n",
      "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|SHARED) -> ok\n"};
}

/// Where walks begin: what the device claims, and the longest message.
std::vector<Trace> beginnings() {
  constexpr std::uint32_t kCommon = kMwType1 | kMemoryExtensions | kAtomics | kImplicitOnDemand |
                                    kReregTranslation | kReregPd | kReregAccess | kAdviseMr |
                                    kNullMr | kDmabufMr | kRegMrEx;
  std::vector<Trace> all;
  for (const auto dialect : {kDialects[0], kDialects[2]}) {  // the old page has no rows of its own
    for (const std::uint32_t features :
         {kCommon | kMwType2B, kCommon | kMwType2A, kCommon | kMwType2B | kIwarp, 0U}) {
      for (const std::uint64_t longest : {1ULL << 30U, 1024ULL, 7ULL}) {
        Trace trace;
        trace.dialect = dialect;
        trace.setup = standard_setup();
        trace.can.features = Plain::flags(features);
        trace.can.max_message = Plain::address(longest);
        if (features != 0) trace.can.claimed = Plain::flags(kFeatureFlags);
        for (const auto& steps : first_steps()) {
          trace.steps = parse_trace("# mrproof trace v1\n" + steps, "first steps").steps;
          all.push_back(trace);
        }
      }
    }
  }
  return all;
}

std::string circumstance_items(std::set<std::string>& missing, const std::set<std::string>& shown) {
  // One name for each circumstance is enough; which rule's is a matter of what is found first.
  std::string left;
  for (const auto* circumstance : kCircumstances<Plain>) {
    const std::string end = std::string("nothing_forbids+") + circumstance->id;
    const auto ends = [&](const std::string& s) { return s.ends_with(end); };
    if (std::any_of(shown.begin(), shown.end(), ends)) continue;
    left += end + "\n";
    for (const PlainRule* rule : linux_rulebook().rules())
      if (!rule->reasons.empty()) missing.insert(item_name(*rule, "breaks " + end));
  }
  return left;
}

void write(const std::string& root, const Scenario& scenario) {
  fs::path path = fs::path(root) / scenario.path;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << scenario.text;
}

/// Writes what is not shown by another of the files; takes what they show from `missing`.
void write_all(const std::string& root, const std::map<std::string, Trace>& found,
               std::set<std::string>& missing) {
  std::set<std::string> now_shown;
  const auto write_one = [&](const std::string& item, const Trace& trace) {
    const auto circumstance = item.find("nothing_forbids+");
    const auto name = circumstance == std::string::npos ? item : item.substr(circumstance);
    if (now_shown.contains(name)) return;
    const auto small = shrink_witness(trace, item);
    if (!small) return fmt::print("not shown after all: {}\n{}\n", item, print_trace(trace));
    now_shown.insert(name);
    write(root, make_scenario(*small, item));
    const auto& book = *find_rulebook(small->dialect);
    look(judge_trace(parse_trace(print_trace(*small), ""), book, ""), book, now_shown);
  };
  // That a rule is taken, other files often show as well.
  for (const bool taken : {false, true})
    for (const auto& [item, trace] : found)
      if (item.ends_with(" taken") == taken) write_one(item, trace);
  std::erase_if(missing, [&](const std::string& item) { return now_shown.contains(item); });
}

int run(const std::string& root, std::uint64_t seeds) {
  const auto shown = shown_in(root);
  std::set<std::string> missing;
  for (const auto& item : all_wanted())
    if (!shown.contains(item)) missing.insert(item);
  fmt::print("{} items missing\n", missing.size());
  std::set<std::string> wanted = missing;
  circumstance_items(wanted, shown);
  WitnessSearch search(wanted);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    for (const auto& beginning : beginnings())
      for (const std::size_t length : {2U, 6U, 14U})
        search.walk(beginning, seed * 64 + length, length);
  fmt::print("{} walks ended where the model contradicts itself\n", search.lost());
  write_all(root, search.found(), missing);
  for (const auto& item : missing) fmt::print("not found: {}\n", item);
  return missing.empty() ? 0 : 1;
}

}  // namespace
}  // namespace mrproof

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} SCENARIOS [SEEDS]\n", argv[0]);
    return 2;
  }
  return mrproof::run(argv[1], argc > 2 ? std::stoull(argv[2]) : 100);
}
