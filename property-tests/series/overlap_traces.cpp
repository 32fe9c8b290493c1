#include "property-tests/series/overlap_traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mrproof::property_tests {
namespace {

/// One of two calls that overlap, and what is called before and after it. In these texts R is the
/// region's slot, W the window's, P the domain's, B the buffer, Q the queue pair and A a right, of
/// which each of the two has its own.
struct Kind {
  std::string_view name, before, call, after;
};

/// What is there in all rounds: mr0 in buf2 with all rights, on a connected pair.
constexpr std::string_view kHead =
    "# mrproof trace v1\n"
    "given capabilities(0, 8388608)\n"
    "given pd0\n"
    "given qp0(pd0) <-> qp1(pd0)\n"
    "given qp2(pd0) <-> qp3(pd0)\n"
    "mr0 = reg_mr(pd0, buf2+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|MW_BIND)\n";

constexpr std::array kKinds{
    // The other one has another right: what this one's key is used for says whose pages and rights
    // it has.
    Kind{"reg_mr", "", "mrR = reg_mr(pd0, B+0, 8192, A)", "LOOK\ndereg_mr(mrR)\n"},
    Kind{"dereg_mr", "mrR = reg_mr(pd0, B+0, 8192, A)\n", "dereg_mr(mrR)", ""},
    Kind{"alloc_mw", "", "mwW = alloc_mw(pd0, TYPE_1)",
         "bind_mw(qp1, mwW, mr0, buf2+0, 4096, REMOTE_READ)\n"
         "rdma_read(qp0, mr0.lkey, buf2+4096, 64, mwW.rkey, buf2+8)\ndealloc_mw(mwW)\n"},
    Kind{"dealloc_mw",
         "mwW = alloc_mw(pd0, TYPE_1)\nbind_mw(qp1, mwW, mr0, buf2+0, 4096, REMOTE_READ)\n",
         "dealloc_mw(mwW)", ""},
    Kind{"alloc_pd", "", "pdP = alloc_pd()", "dealloc_pd(pdP)\n"},
    Kind{"dealloc_pd", "pdP = alloc_pd()\n", "dealloc_pd(pdP)", ""},
    Kind{"modify_qp", "", "modify_qp(qpQ, REMOTE_READ)",
         "modify_qp(qpQ, REMOTE_READ|REMOTE_WRITE)\n"},
    Kind{"query_qp", "", "query_qp(qpQ)", ""},
    Kind{"rereg_mr", "mrR = reg_mr(pd0, B+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ)\n",
         "rereg_mr(mrR, CHANGE_ACCESS, pd0, 0x0, 0, A)", "LOOK\ndereg_mr(mrR)\n"},
    Kind{"advise_mr", "mrR = reg_mr(pd0, B+0, 8192, LOCAL_WRITE|ON_DEMAND)\n",
         "advise_mr(pd0, PREFETCH_WRITE, 0, mrR.lkey, B+0, 8192)", "dereg_mr(mrR)\n"},
};

/// What a thread calls one after the other while another one does the same, a line each.
constexpr std::array kThreads{
    Kind{"reg_mr, dereg_mr", "", "mrR = reg_mr(pd0, B+0, 8192, A)\ndereg_mr(mrR)\n", ""},
    Kind{"dereg_mr, reg_mr", "mrR = reg_mr(pd0, B+0, 8192, A)\n",
         "dereg_mr(mrR)\nmrR = reg_mr(pd0, B+0, 8192, A)\n", "LOOK\ndereg_mr(mrR)\n"},
    Kind{"rereg_mr, dereg_mr", "mrR = reg_mr(pd0, B+0, 8192, LOCAL_WRITE)\n",
         "rereg_mr(mrR, CHANGE_ACCESS, pd0, 0x0, 0, A)\ndereg_mr(mrR)\n", ""},
    Kind{"alloc_mw, dealloc_mw", "", "mwW = alloc_mw(pd0, TYPE_1)\ndealloc_mw(mwW)\n", ""},
    Kind{"alloc_pd, reg_mr, dereg_mr", "",
         "pdP = alloc_pd()\nmrR = reg_mr(pdP, B+0, 8192, A)\ndereg_mr(mrR)\n",
         "dealloc_pd(pdP)\n"},
};

/// Two calls on the same objects, which have to come in some order.
struct Conflict {
  std::string_view name, before, first, second, after;
};
constexpr std::array kConflicts{
    Conflict{"dereg_mr and dealloc_mw of its window",
             "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_READ|MW_BIND)\n"
             "mw1 = alloc_mw(pd0, TYPE_1)\nbind_mw(qp1, mw1, mr1, buf0+0, 4096, REMOTE_READ)\n",
             "dereg_mr(mr1)", "dealloc_mw(mw1)", "dereg_mr(mr1)\n"},
    Conflict{"dealloc_pd and dereg_mr in it",
             "pd1 = alloc_pd()\nmr1 = reg_mr(pd1, buf0+0, 8192, LOCAL_WRITE)\n", "dealloc_pd(pd1)",
             "dereg_mr(mr1)", "dealloc_pd(pd1)\n"},
    Conflict{"dealloc_pd and dealloc_mw in it", "pd1 = alloc_pd()\nmw1 = alloc_mw(pd1, TYPE_1)\n",
             "dealloc_pd(pd1)", "dealloc_mw(mw1)", "dealloc_pd(pd1)\n"},
};

/// What is called while requests are in flight that use the keys of `local` at their own end, and
/// of `remote` at the other one.
struct Meanwhile {
  std::string_view name, before, local, remote, call, after;
  bool no_thread = false;  ///< a request, or a call of several: no thread of its own makes it
};
constexpr std::string_view kWindow =
    "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|MW_BIND)\n"
    "mw1 = alloc_mw(pd0, TYPE_1)\nbind_mw(qp1, mw1, mr1, buf0+0, 8192, REMOTE_WRITE|REMOTE_READ)\n";
constexpr std::string_view kWindowOfPair =
    "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|MW_BIND)\n"
    "mw1 = alloc_mw(pd0, TYPE_2)\n"
    "post_bind_mw(qp1, mw1, mw1.rkey^0x1, mr1, buf0+0, 8192, REMOTE_WRITE|REMOTE_READ)\n";
constexpr std::string_view kTwoWindows =
    "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|MW_BIND)\n"
    "mw1 = alloc_mw(pd0, TYPE_1)\nbind_mw(qp1, mw1, mr1, buf0+0, 8192, REMOTE_WRITE|REMOTE_READ)\n"
    "mw2 = alloc_mw(pd0, TYPE_1)\nbind_mw(qp1, mw2, mr1, buf0+0, 8192, REMOTE_WRITE|REMOTE_READ)\n";
constexpr std::string_view kTwoRegions =
    "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ)\n"
    "mr2 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ)\n";
constexpr std::string_view kRemote =
    "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ)\n";
constexpr std::string_view kLocal =
    "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ)\n"
    "mr2 = reg_mr(pd0, buf2+0, 8192, LOCAL_WRITE)\n";
/// These end a right that the requests use.
constexpr std::array kEnds{
    Meanwhile{"dereg_mr at the other end", kRemote, "mr0", "mr1", "dereg_mr(mr1)", ""},
    Meanwhile{"dereg_mr at its own end", kLocal, "mr2", "mr1", "dereg_mr(mr2)", "dereg_mr(mr1)\n"},
    Meanwhile{"dealloc_mw", kWindow, "mr0", "mw1", "dealloc_mw(mw1)", "dereg_mr(mr1)\n"},
    Meanwhile{"modify_qp", kRemote, "mr0", "mr1", "modify_qp(qp1, 0)",
              "modify_qp(qp1, REMOTE_WRITE|REMOTE_READ)\ndereg_mr(mr1)\n"},
    Meanwhile{"local_inv", kWindowOfPair, "mr0", "mw1", "local_inv(qp1, mw1.rkey)",
              "dealloc_mw(mw1)\ndereg_mr(mr1)\n", true},
    Meanwhile{"connect", kRemote, "mr0", "mr1", "connect(qp0)", "dereg_mr(mr1)\n", true},
};
/// These leave the requests' rights alone, so all succeed.
constexpr std::array kOthers{
    Meanwhile{"dereg_mr of another region", kTwoRegions, "mr0", "mr1", "dereg_mr(mr2)",
              "dereg_mr(mr1)\n"},
    Meanwhile{"dealloc_mw of another window", kTwoWindows, "mr0", "mw1", "dealloc_mw(mw2)",
              "dealloc_mw(mw1)\ndereg_mr(mr1)\n"},
    Meanwhile{"modify_qp to the same rights", kRemote, "mr0", "mr1",
              "modify_qp(qp1, REMOTE_WRITE|REMOTE_READ)", "dereg_mr(mr1)\n"},
    Meanwhile{"reg_mr", kRemote, "mr0", "mr1", "mr2 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE)",
              "dereg_mr(mr2)\ndereg_mr(mr1)\n"},
};
constexpr std::array<std::string_view, 2> kUses{"rdma_write", "rdma_read"};

/// Microseconds by which one begins after the other. A call of an emulated guest takes some 40 of
/// them, in which the other one is made where its moment falls; what a driver does wrong may have
/// room for no more than 5. Requests in flight take longer: of their moments half are enough.
constexpr std::array<std::uint16_t, 28> kDelays{0,  1,  2,  4,  6,  8,  10, 12,  14,  16,
                                                18, 20, 22, 24, 27, 30, 33, 36,  40,  44,
                                                48, 54, 60, 70, 90, 130, 190, 280};

std::string replaced(std::string_view text, std::size_t which) {
  std::string made;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    const auto take = [&](std::string_view word, const std::string& value) {
      if (!rest.starts_with(word)) return false;
      made += value;
      i += word.size() - 1;
      return true;
    };
    const bool first = which == 0;
    const auto look = first ? "rdma_write(qp0, mr0.lkey, buf2+0, 64, mr1.rkey, buf0+4080)"
                            : "rdma_read(qp0, mr0.lkey, buf2+0, 64, mr2.rkey, buf1+4080)";
    if (take("LOOK", look) || take("mrR", first ? "mr1" : "mr2") ||
        take("mwW", first ? "mw1" : "mw2") || take("pdP", first ? "pd1" : "pd2") ||
        take("qpQ", first ? "qp2" : "qp3") || take("B+0", first ? "buf0+0" : "buf1+0") ||
        take(", A)", first ? ", LOCAL_WRITE|REMOTE_WRITE)" : ", REMOTE_READ)"))
      continue;
    made += text[i];
  }
  return made;
}

struct Pair {
  std::string name, before, first, second, after;
};

void add_pairs(std::span<const Kind> kinds, std::vector<Pair>& pairs) {
  for (std::size_t i = 0; i < kinds.size(); ++i)
    for (std::size_t j = i; j < kinds.size(); ++j) {
      const auto& [one, before, call, after] = kinds[i];
      const auto& [other, other_before, other_call, other_after] = kinds[j];
      // Advice has a key, which may be that of any region: never beside re-registration.
      if (one == "rereg_mr" && other == "advise_mr") continue;
      pairs.push_back({fmt::format("{} and {}", one, other),
                       replaced(before, 0) + replaced(other_before, 1), replaced(call, 0),
                       replaced(other_call, 1), replaced(after, 0) + replaced(other_after, 1)});
    }
}

std::vector<Pair> make_pairs() {
  std::vector<Pair> pairs;
  add_pairs(kKinds, pairs);
  for (const auto& c : kConflicts)
    pairs.push_back({std::string(c.name), std::string(c.before), std::string(c.first),
                     std::string(c.second), std::string(c.after)});
  add_pairs(kThreads, pairs);
  return pairs;
}

const std::vector<Pair>& all_pairs() {
  static const std::vector<Pair> pairs = make_pairs();
  return pairs;
}

struct InFlight {
  const Meanwhile* meanwhile;
  std::string_view use;
  bool by_thread;
};

/// Beside what leaves rights alone only threads are of interest: they are interrupted.
std::vector<InFlight> make_in_flight() {
  std::vector<InFlight> all;
  for (const bool by_thread : {false, true})
    for (const Meanwhile& end : kEnds)
      for (const auto use : kUses)
        if (!by_thread || !end.no_thread) all.push_back({&end, use, by_thread});
  for (const Meanwhile& other : kOthers)
    for (const auto use : kUses) all.push_back({&other, use, true});
  return all;
}

const std::vector<InFlight>& all_in_flight() {
  static const std::vector<InFlight> all = make_in_flight();
  return all;
}

std::string after(std::uint64_t delay) {
  return delay == 0 ? "" : fmt::format("after {} us: ", delay);
}

/// What a thread calls, with every other letter from the first one on; each behind the one before.
std::string thread_text(const std::string& calls, char label, std::uint64_t delay,
                        std::string& returns) {
  std::string text;
  std::istringstream lines(calls);
  std::string follows;
  for (std::string line; std::getline(lines, line); label = static_cast<char>(label + 2)) {
    text += fmt::format("{}{}{}: {}\n", follows, follows.empty() ? after(delay) : "", label, line);
    follows = fmt::format("after {}: ", label);
    returns += fmt::format("{}\n", label);
  }
  return text;
}

/// Three requests in flight, of three packets each and posted in one list, or one of eight packets,
/// and what is called meanwhile; by a thread, beside which they are posted. What they move is new
/// in each round.
std::string in_flight_text(const InFlight& in_flight, std::uint32_t slower) {
  const Meanwhile& end = *in_flight.meanwhile;
  const std::string_view use = in_flight.use;
  const bool by_thread = in_flight.by_thread;
  const std::string_view source = use == "rdma_read" ? "buf0" : "buf2";
  std::string text(kHead);
  int rounds = 0;
  const auto round = [&](int count, std::uint64_t posted_after, std::uint64_t ended_after) {
    std::string posts, seen;
    const int length = count == 1 ? 8192 : 2720;
    for (int i = 0; i < count; ++i) {
      const bool last = i + 1 == count;
      posts += fmt::format("{}{}: {}(qp0, {}.lkey, buf2+{}, {}, {}.rkey, buf0+{}{})\n",
                           last ? after(posted_after) : "", "abc"[i], use, end.local,
                           i * 2728, length, end.remote, i * 2728, last ? "" : ", LINKED");
      if (end.name != "connect") seen += fmt::format("{}\n", "abc"[i]);
    }
    text += fmt::format("fill({}+0, 8192, {})\n{}", source, ++rounds, end.before);
    if (by_thread)
      text += fmt::format("{}d: {}\n{}d\n", after(ended_after), end.call, posts);
    else
      text += fmt::format("{}{}{}\n", posts, after(ended_after), end.call);
    text += fmt::format("{}{}{}", seen, end.after, seen.empty() ? "" : "connect(qp0)\n");
  };
  for (std::size_t i = 0; i < kDelays.size(); i += 2)
    for (const int count : {1, 3}) {
      const std::uint64_t delay = std::uint64_t{kDelays.at(i)} * slower;
      round(count, 0, delay);
      if (by_thread && i > 0) round(count, delay, 0);
    }
  return text;
}

/// A unit of tc(8) in microseconds, or bits a microsecond; 0: it is another one.
double scale_of(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 7> kUnits{{
      {"us", 1}, {"ms", 1e3}, {"s", 1e6}, {"bit", 1e-6}, {"kbit", 1e-3}, {"mbit", 1}, {"gbit", 1e3},
  }};
  const auto* const found =
      std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  return found == kUnits.end() ? 0 : found->second;
}

}  // namespace

std::size_t overlap_pairs() { return all_pairs().size() + all_in_flight().size(); }

std::string overlap_name(std::size_t pair) {
  if (pair < all_pairs().size()) return all_pairs()[pair].name;
  const auto& [meanwhile, use, by_thread] = all_in_flight().at(pair - all_pairs().size());
  return fmt::format("{} in flight and {}{}", use, meanwhile->name,
                     by_thread ? " by a thread" : "");
}

std::uint32_t slowed_by(std::string_view wire) {
  constexpr double kUnslowed = 40;      // us
  constexpr double kPacketBits = 9600;  // of a kibibyte, and headers
  double takes = 0;                     // us
  std::istringstream words{std::string(wire)};
  for (std::string word; words >> word;) {
    double number = 0;
    std::string unit;
    if ((word != "rate" && word != "delay") || !(words >> number >> unit)) continue;
    const double value = number * scale_of(unit);
    if (word == "delay") takes += value;
    if (word == "rate" && value > 0) takes += kPacketBits / value;
  }
  const double most = model::kMostDelay / kDelays.back();
  return static_cast<std::uint32_t>(std::clamp(takes / kUnslowed, 1.0, most));
}

model::Trace overlap_trace(std::size_t pair, std::uint32_t slower) {
  if (pair >= all_pairs().size())
    return model::parse_trace(
        in_flight_text(all_in_flight().at(pair - all_pairs().size()), slower), "overlap");
  const Pair& p = all_pairs()[pair];
  std::string text(kHead);
  const auto round = [&](std::uint64_t first, std::uint64_t second) {
    std::string returns;
    text += p.before + thread_text(p.first, 'a', first, returns) +
            thread_text(p.second, 'b', second, returns) + returns + p.after;
  };
  // The other order has moments of its own: two calls of one kind are interrupted at all of them.
  for (std::size_t i = 0; i < kDelays.size(); ++i) {
    round(0, kDelays.at(i));
    if (i > 0) round((kDelays.at(i - 1) + kDelays.at(i) + 1U) / 2, 0);
  }
  return model::parse_trace(text, "overlap");
}

}  // namespace mrproof::property_tests
