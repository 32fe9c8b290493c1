// Writes the program of repro.hpp, a statement at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/report/repro.hpp"
#include "conformance/report/repro_names.hpp"

namespace mrproof::conformance {

/// Functions that a program may need (repro_parts.hpp), in the order in which they stand there.
enum class ReproPart : std::uint8_t {
  another,
  in_round,
  wide,
  map,
  pattern,
  bytes,
  dma_buf,
  reg_mr_ex,
  kernel_log,
  child,
  rounds,
  pairs,
  ended,
  completion,
  terminated,
  run,
  post,
  unsignaled,
  bind,
  receive,
  state,
  settled,
  reconnect,
  overlap,
};

/// Collects the body of main() and what it needs.
class ReproWriter {
 public:
  ReproWriter(const Evidence& evidence, Connecting connecting);
  /// The whole program.
  std::string write();

 private:
  using Step = mrproof::model::Step;
  using State = model::State<model::Plain>;
  using Conditions = std::set<const model::PlainCondition*>;

  // repro.cpp: the program around the steps
  void write_setup();
  void write_steps();
  void write_claims();
  void write_decisive();
  [[nodiscard]] std::string head() const;
  [[nodiscard]] std::string parts() const;
  [[nodiscard]] std::string arrays() const;
  [[nodiscard]] std::string pairs_part() const;
  [[nodiscard]] std::string bytes_part() const;
  [[nodiscard]] std::string run_part() const;
  [[nodiscard]] std::string bind_part() const;
  [[nodiscard]] bool pair_needed(std::size_t first) const;
  [[nodiscard]] bool uses(model::Verb verb) const;

  // repro_values.cpp: values in C
  std::string address(std::uint64_t value);
  std::string pointer(std::uint64_t value);
  std::string key(const model::KeyName& name);
  std::string element(const model::KeyName& lkey, std::uint64_t address, std::uint64_t length);
  std::string elements(const Step& step);
  std::string bind_info(const Step& step);
  void save_keys(const Step& step);
  void save(ReproKind kind, std::size_t slot, const std::string& key);
  [[nodiscard]] bool named_later(model::KeyName::Kind kind, std::uint32_t slot) const;

  // repro_calls.cpp: one step
  void write_step();
  void write_call(const Step& step);
  void write_call_itself(const Step& step);
  void make(const Step& step, ReproKind kind, std::size_t slot, const std::string& call);
  void answer(const Step& step, const std::string& call);
  void transfer(const Step& step);
  void after_transfer(const Step& step);
  void await_failures(const Step& step);
  [[nodiscard]] bool pair_named_later(std::uint32_t qp) const;
  void store(const Step& step);
  void protect(const Step& step);
  void dma_buf(const Step& step);
  void query(const Step& step);
  std::string registration(const Step& step);
  std::string request(const Step& step);
  void set_got(const std::string& value);

  // repro_checks.cpp: what the decisive step has to be like
  void check();
  void check_inconclusive();
  void check_late_receive();
  void check_details();
  void check_another();
  void gather_details(const Conditions& wanted);
  void gather_completion();
  void gather_receives(const Conditions& wanted);
  [[nodiscard]] std::vector<const model::PlainRule*> rules_seen() const;
  [[nodiscard]] std::vector<model::Term<model::Plain>> broken_by(
      const model::PlainRule& rule) const;
  [[nodiscard]] bool checks_completion() const;
  [[nodiscard]] bool receive_due() const;
  [[nodiscard]] std::string outcomes(std::optional<model::Outcome> but = std::nullopt) const;

  // repro_overlap.cpp: calls that overlap each other
  void begin_overlapping(const Step& step);
  void return_overlapping(const Step& step);
  void check_overlapping();
  void go_on();
  [[nodiscard]] const Step* return_of(std::size_t begin) const;
  [[nodiscard]] std::string function_behind(std::size_t begin) const;
  [[nodiscard]] std::vector<std::string> returns_before(std::size_t last) const;

  // repro_bytes.cpp: memory before and after the decisive step
  void predict_bytes();
  void predict_copy(const model::Transfer<model::Plain>& transfer);
  void check_bytes();

  /// A statement of main(), wrapped.
  void line(const std::string& statement, int indent = 4);
  void comment(const std::string& text);
  void blank() { body_ += '\n'; }
  void need(ReproPart part) { parts_.insert(part); }

  [[nodiscard]] const Step& step_at(std::size_t index) const {
    return evidence_.trace.steps.at(index);
  }
  [[nodiscard]] bool is_decisive() const { return now_ + 1 == evidence_.trace.steps.size(); }
  /// The state before the step that is being written.
  const State& before() { return is_decisive() ? evidence_.state : states_.before(now_); }
  [[nodiscard]] model::DeviationClass kind() const;

  const Evidence& evidence_;
  StateCursor states_;
  ReproNames names_;
  bool iwarp_;           ///< the trace is of a device that connects over iWARP
  bool by_cm_;           ///< the RDMA CM connects
  std::size_t now_ = 0;  ///< the step being written
  std::string body_;
  std::set<ReproPart> parts_;
  std::set<std::size_t> buffers_;   ///< that addresses name
  std::set<std::string> declared_;  ///< variables of main(), and of arrays what is used of them
  std::string key_arrays_;          ///< that arrays() declares
  std::string functions_;           ///< of calls that overlap others
  bool overlaps_;                   ///< there are such: what they name is no variable of main()
  bool waits_ = false;              ///< calls have begun, and wait to be told to go on
  std::uint8_t in_thread_ = 0;      ///< label of the one that is being written
  std::set<std::string> includes_;  ///< beside those of every program
  bool over_ = false;               ///< nothing can follow: a call that no C program can make
};

/// A statement in lines of at most 100 characters, broken after commas and bars; the first line
/// begins with `indent` blanks, the others with four more.
std::string wrapped(const std::string& statement, int indent);

/// Whether the request of the step has a completion if it succeeds.
bool is_signaled(const model::Step& step);
/// Whether it is a request that takes its bytes along (IBV_SEND_INLINE).
bool is_inline(const model::Step& step);

/// Whether calls of the trace overlap each other.
bool overlaps(const model::Trace& trace);

/// Whether the call is made on a queue pair.
bool names_queue_pair(model::Verb verb);

/// A number in C: in hexadecimal if it does not fit into 32 bits.
std::string number(std::uint64_t value);

/// The access flags as C names them.
std::string c_access(std::uint32_t access);

/// The outcome of a work request as C names it; REFUSED for a refusal.
std::string c_status(model::Outcome outcome);

}  // namespace mrproof::conformance
