// What watching a program has told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/judge/judge.hpp"

namespace mrproof::watch {

/// Whose mistake a finding is. A request that succeeds although it had to fail makes two.
enum class Whose : std::uint8_t { program, provider };
constexpr std::string_view name_of(Whose whose) {
  return whose == Whose::program ? "program" : "provider";
}

/// An object that a finding is about. Times are those of the recording.
struct Involved {
  std::string name;     ///< "lkey 0x4d7": short
  std::string history;  ///< a sentence: made where, with which rights, ended where
  std::uint64_t made = 0, ended = 0;  ///< 0: not known; it lives on
};

/// A range of addresses, both ends included; none if first is greater than last.
struct Range {
  std::uint64_t first = 1, last = 0;
  [[nodiscard]] bool empty() const { return first > last; }
};

/// One mistake, made once or more often at one place of the program.
struct Finding {
  Whose whose = Whose::program;
  std::string name;     ///< "rdma_write.local_in_bounds": the same for the same mistake
  std::string what;     ///< what was done
  std::string wrong;    ///< what does not hold, or what was seen that should not have been
  std::string clauses;  ///< where that is written: ids of specs/clauses/; may be empty
  std::vector<Involved> objects;
  Range used, region;       ///< the memory of a request, and what its key stands for
  std::string remedy;
  std::uint32_t pid = 0;
  std::string place;       ///< where in the program
  std::uint64_t time = 0;  ///< when it was first seen
  std::uint64_t count = 1;
  std::string trace;       ///< one that shows it alone (extract.hpp); may be empty
  std::string trace_file;  ///< its name in the folder
  std::string known;  ///< why it is not told (suppressions.hpp)
};

/// What was looked at.
struct Counts {
  std::uint64_t events = 0;
  std::uint64_t judged = 0;   ///< calls, requests and completions that were judged
  std::uint64_t unknown = 0;  ///< failures for which nothing that was seen is a reason
  std::uint64_t passed = 0;   ///< calls that were passed through
};

/// What a programmer does about a condition that is broken; empty of one that nobody can break.
std::string remedy_of(const model::PlainCondition& condition);

}  // namespace mrproof::watch
