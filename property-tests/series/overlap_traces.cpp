#include "property-tests/series/overlap_traces.hpp"

#include <fmt/format.h>

#include <array>
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

/// What ends a right that three requests in flight use: by the keys of `local` at their own end,
/// and of `remote` at the other one.
struct End {
  std::string_view name, before, local, remote, call, after;
};
constexpr std::string_view kWindow =
    "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|MW_BIND)\n"
    "mw1 = alloc_mw(pd0, TYPE_1)\nbind_mw(qp1, mw1, mr1, buf0+0, 8192, REMOTE_WRITE|REMOTE_READ)\n";
constexpr std::string_view kWindowOfPair =
    "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|MW_BIND)\n"
    "mw1 = alloc_mw(pd0, TYPE_2)\n"
    "post_bind_mw(qp1, mw1, mw1.rkey^0x1, mr1, buf0+0, 8192, REMOTE_WRITE|REMOTE_READ)\n";
constexpr std::string_view kRemote =
    "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ)\n";
constexpr std::string_view kLocal =
    "mr1 = reg_mr(pd0, buf0+0, 8192, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ)\n"
    "mr2 = reg_mr(pd0, buf2+0, 8192, LOCAL_WRITE)\n";
constexpr std::array kEnds{
    End{"dereg_mr at the other end", kRemote, "mr0", "mr1", "dereg_mr(mr1)", ""},
    End{"dereg_mr at its own end", kLocal, "mr2", "mr1", "dereg_mr(mr2)", "dereg_mr(mr1)\n"},
    End{"dealloc_mw", kWindow, "mr0", "mw1", "dealloc_mw(mw1)", "dereg_mr(mr1)\n"},
    End{"modify_qp", kRemote, "mr0", "mr1", "modify_qp(qp1, 0)",
        "modify_qp(qp1, REMOTE_WRITE|REMOTE_READ)\ndereg_mr(mr1)\n"},
    End{"local_inv", kWindowOfPair, "mr0", "mw1", "local_inv(qp1, mw1.rkey)",
        "dealloc_mw(mw1)\ndereg_mr(mr1)\n"},
    End{"connect", kRemote, "mr0", "mr1", "connect(qp0)", "dereg_mr(mr1)\n"},
};
constexpr std::array<std::string_view, 2> kUses{"rdma_write", "rdma_read"};
constexpr std::size_t kInFlight = kEnds.size() * kUses.size();
/// The first of kEnds are calls that a thread can make as well.
constexpr std::size_t kByThreads = 4 * kUses.size();
static_assert(kEnds[3].name == "modify_qp");

/// Microseconds by which one begins after the other. Calls take some ten of them, of those of an
/// emulated guest some hundred.
constexpr std::array kDelays{0, 1, 3, 6, 10, 16, 25, 40, 60, 90, 130, 190, 280};

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

std::vector<Pair> make_pairs() {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < kKinds.size(); ++i)
    for (std::size_t j = i; j < kKinds.size(); ++j) {
      const auto& [one, before, call, after] = kKinds.at(i);
      const auto& [other, other_before, other_call, other_after] = kKinds.at(j);
      // Advice has a key, which may be that of any region: never beside re-registration.
      if (one == "rereg_mr" && other == "advise_mr") continue;
      pairs.push_back({fmt::format("{} and {}", one, other),
                       replaced(before, 0) + replaced(other_before, 1), replaced(call, 0),
                       replaced(other_call, 1), replaced(after, 0) + replaced(other_after, 1)});
    }
  for (const auto& c : kConflicts)
    pairs.push_back({std::string(c.name), std::string(c.before), std::string(c.first),
                     std::string(c.second), std::string(c.after)});
  return pairs;
}

const std::vector<Pair>& all_pairs() {
  static const std::vector<Pair> pairs = make_pairs();
  return pairs;
}

const End& end_of(std::size_t number) { return kEnds.at(number / kUses.size()); }
std::string_view use_of(std::size_t number) { return kUses.at(number % kUses.size()); }

std::string after(int delay) { return delay == 0 ? "" : fmt::format("after {} us: ", delay); }

/// Three requests in flight, of three packets each and posted in one list, or one of eight packets,
/// whose right ends meanwhile; by a thread, beside which they are posted. What they move is new in
/// each round.
std::string in_flight_text(std::size_t number, bool by_thread) {
  const End& end = end_of(number);
  const std::string_view source = use_of(number) == "rdma_read" ? "buf0" : "buf2";
  std::string text(kHead);
  int rounds = 0;
  const auto round = [&](int count, int posted_after, int ended_after) {
    std::string posts, seen;
    const int length = count == 1 ? 8192 : 2720;
    for (int i = 0; i < count; ++i) {
      const bool last = i + 1 == count;
      posts += fmt::format("{}{}: {}(qp0, {}.lkey, buf2+{}, {}, {}.rkey, buf0+{}{})\n",
                           last ? after(posted_after) : "", "abc"[i], use_of(number), end.local,
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
  for (const int delay : kDelays)
    for (const int count : {1, 3}) {
      round(count, 0, delay);
      if (by_thread && delay != 0) round(count, delay, 0);
    }
  return text;
}

}  // namespace

std::size_t overlap_pairs() { return all_pairs().size() + kInFlight + kByThreads; }

std::string overlap_name(std::size_t pair) {
  if (pair < all_pairs().size()) return all_pairs()[pair].name;
  const auto number = pair - all_pairs().size();
  if (number < kInFlight)
    return fmt::format("{} in flight and {}", use_of(number), end_of(number).name);
  return fmt::format("{} in flight and {} by a thread", use_of(number - kInFlight),
                     end_of(number - kInFlight).name);
}

model::Trace overlap_trace(std::size_t pair) {
  if (pair >= all_pairs().size()) {
    const auto number = pair - all_pairs().size();
    const bool by_thread = number >= kInFlight;
    return model::parse_trace(in_flight_text(by_thread ? number - kInFlight : number, by_thread),
                              "overlap");
  }
  const Pair& p = all_pairs()[pair];
  std::string text(kHead);
  const auto round = [&](int first, int second) {
    text += fmt::format("{}{}a: {}\n{}b: {}\na\nb\n{}", p.before, after(first), p.first,
                        after(second), p.second, p.after);
  };
  for (const int delay : kDelays) {
    round(0, delay);
    if (delay != 0) round(delay, 0);
  }
  return model::parse_trace(text, "overlap");
}

}  // namespace mrproof::property_tests
