// Traces: what was called, what was seen, one step a line, with symbolic handles.
//
// Format v1 is described in conformance/README.md. The same text is written by runs, by hand as a
// scenario test, and read back for replay, judging and shrinking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model/access.hpp"
#include "model/judge/deviation_name.hpp"
#include "model/trace/setup.hpp"

namespace mrproof::model {

/// How a trace names a key: by the region or window that it belongs (or belonged) to, so that the
/// trace means the same in another run, where keys have other values (key_value.hpp).
struct KeyName {
  enum class Kind : std::uint8_t {
    value,            ///< `value` itself
    lkey,             ///< of the region in `slot`
    rkey,             ///< of the region in `slot`
    old_lkey,         ///< the same before its last re-registration
    old_rkey,         ///< the same before its last re-registration
    window_rkey,      ///< of the window in `slot`
    old_window_rkey,  ///< the same before its last bind
  };
  Kind kind = Kind::value;
  std::uint32_t slot = 0;   ///< of the region or the window, as `kind` says
  std::uint32_t flip = 0;   ///< bits changed in the object's key; 0: the key itself
  std::uint32_t value = 0;  ///< for Kind::value
  friend bool operator==(const KeyName&, const KeyName&) = default;
};

/// Consecutive bytes seen in memory where others were predicted.
struct ByteRun {
  std::uint64_t address = 0;
  std::vector<std::byte> bytes;
  friend bool operator==(const ByteRun&, const ByteRun&) = default;
};

/// What a trace says about a step's verdict: "! deviates reg_mr.ok accepted memory_mapped". Where
/// nothing deviates, and of some trouble, there is the rule only, and no condition.
struct Annotation : DeviationName {
  Verdict verdict = Verdict::conforms;
  friend bool operator==(const Annotation&, const Annotation&) = default;
};

/// Whether a success of the verb tells a local key.
constexpr bool tells_lkey(Verb verb) { return model::makes_region(verb) || verb == Verb::rereg_mr; }
/// Whether a success of the verb tells a remote key.
constexpr bool tells_rkey(Verb verb) {
  return tells_lkey(verb) || verb == Verb::alloc_mw || model::is_bind(verb);
}

/// Whether the result tells the keys of what was made, or made anew. IBV_REREG_MR_ERR_DO_FORK_OLD
/// says that it was, although the call failed (ibv_rereg_mr(3), RETURN VALUE).
inline bool tells_keys(Verb verb, const Result<Plain>& result) {
  if (!tells_rkey(verb)) return false;
  return result.outcome == Outcome::ok ||
         (verb == Verb::rereg_mr && (result.error == Plain::key(kErrDoForkOld)).truth());
}

/// A call whose keys have names. `call.lkey`, `call.second.lkey` and `call.rkey` hold values only
/// after Oracle::resolve(). Plain words, so that proposing one that is not made costs little.
struct PlannedCall {
  Call<Plain> call;
  KeyName lkey;
  KeyName second;  ///< local key of the second element
  KeyName rkey;
};

/// The end of what is in flight, or has begun: what it names, it named when it began.
inline PlannedCall end_of(PlannedCall begun) {
  begun.call.part = Part::completion;
  begun.call.delay = 0;
  begun.call.follows = 0;
  return begun;
}

/// One step: a call, and what was seen of it.
struct Step : PlannedCall {
  Result<Plain> result;
  bool observed = false;   ///< whether a result stands in the trace
  bool keys_seen = false;  ///< whether the keys that the verb tells stand in the trace
  bool timed_out = false;
  std::vector<ByteRun> bytes;
  std::vector<Annotation> annotations;
  std::vector<std::string> remarks;  ///< explanation lines, for people
  std::size_t line = 0;              ///< where it stands in the file, from 1
};

/// Whether the step is a request that was posted, and not refused; or a call that has begun.
inline bool is_in_flight(const Step& step) {
  return step.call.part == Part::posted && step.result.outcome == Outcome::none;
}

/// The emulated guest in which a trace was seen to show what it tells: the same image does the same
/// in another one.
struct GuestSetup {
  std::uint32_t seed = 1;        ///< of what is random there
  std::uint32_t processors = 1;  ///< at least one
  bool preempt = false;          ///< races are made likelier there (the option --preempt)
  /// What befalls packets on a wire, as tc-netem(8) is told it (the option --wire); empty: there is
  /// no wire.
  std::string wire;
  friend bool operator==(const GuestSetup&, const GuestSetup&) = default;
};

/// A whole trace.
struct Trace {
  std::vector<std::string> comments;  ///< lines after the first that start with '#', without it
  std::string dialect = "linux";      ///< rules it is to be judged by (model/judge/rulebook.hpp)
  std::optional<GuestSetup> guest;
  /// The calls are made so often, each time in a case of its own, or until they show what they
  /// tell: for races.
  std::uint32_t rounds = 1;
  Setup setup;
  Capabilities<Plain> can{Plain::flags(kRemoteAtomic | kMwBind), Plain::address(1U << 30U)};
  std::vector<Step> steps;
};

/// A trace that cannot be read: what() is "FILE:LINE:COLUMN: what is wrong; remedy".
class TraceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a trace strictly. `file` is only named in errors. Throws TraceError.
Trace parse_trace(std::string_view text, const std::string& file);

/// Reads a trace from a file. Throws TraceError, also when the file cannot be read.
Trace load_trace(const std::string& file);

/// The text of a whole trace; parse_trace() of it gives the same trace.
std::string print_trace(const Trace& trace);

/// Whether it may be said of a wire: words of small letters, digits, '.' and '%'.
bool is_of_wire(std::string_view text);

/// "seed 3, processors 2, preempt, wire loss 5% duplicate 2%".
std::string print_guest(const GuestSetup& guest);

/// The "given" line of what the device claims, and those of a setup.
std::string print_capabilities(const Capabilities<Plain>& can);
std::string print_setup(const Setup& setup);

/// The call of a step: "mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE)".
std::string print_call(const PlannedCall& step);
/// The same behind the text, which makes no other string: a journal has a line for each step.
void append_call(std::string& text, const PlannedCall& step);

/// What was seen: "ok lkey=0x100 rkey=0x100"; empty if nothing was observed.
std::string print_result(const Step& step);
void append_result(std::string& text, const Step& step);

/// "deviates reg_mr.ok accepted memory_mapped".
std::string print_annotation(const Annotation& annotation);
void append_annotation(std::string& text, const Annotation& annotation);

/// The annotation that says what the judgement of the step says.
Annotation annotate(const Judgement& judgement, const Step& step);

}  // namespace mrproof::model
