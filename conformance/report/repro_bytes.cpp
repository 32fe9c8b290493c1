// Bytes that the decisive step should leave in memory, in the program of repro.hpp.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/report/repro_parts.hpp"
#include "conformance/report/repro_writer.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::conformance {

using namespace model;

/// A string of C: each byte as octal digits, which end where they should.
static std::string bytes_text(std::span<const std::byte> bytes) {
  std::string text = "\"";
  for (const auto byte : bytes) text += fmt::format("\\{:03o}", std::to_integer<unsigned>(byte));
  return text + "\"";
}

/// Copies into what is wanted, in as many stretches as the two sides have together.
void ReproWriter::predict_copy(const Transfer<Plain>& transfer) {
  std::size_t source = 0, target = 0;
  std::uint64_t read = 0, written = 0, sent = 0;
  while (source < 2 && target < 2) {
    const auto& from = transfer.from.at(source);
    const auto& to = transfer.to.at(target);
    const auto length = std::min(from.length.value() - read, to.length.value() - written);
    const bool empty = from.zeros.truth() || from.outside_buffers.truth();
    // What a device may have moved of memory that is not seen, nobody can say.
    const bool known = transfer.exact || !from.outside_buffers.truth();
    if (length != 0 && !to.outside_buffers.truth() && known) {
      const auto where = address(to.at.value() + written);
      if (empty)
        line(fmt::format("memset(wanted({}), 0, {});", where, length));
      else if (!evidence_.carried.empty())
        line(fmt::format("memcpy(wanted({}), {}, {});", where,
                         bytes_text(std::span(evidence_.carried).subspan(sent, length)), length));
      else
        line(fmt::format("memcpy(wanted({}), {}, {});", where, pointer(from.at.value() + read),
                         length));
    }
    sent += length;
    read += length;
    written += length;
    if (read == from.length.value())
      ++source, read = 0;
    else
      ++target, written = 0;
  }
}

/// Before the step: notes what memory holds, and what it has to hold after it.
void ReproWriter::predict_bytes() {
  need(ReproPart::bytes);
  line("remember();");
  const auto& call = evidence_.decisive().call;
  if (call.verb == Verb::fill)
    line(fmt::format("fill((uint64_t)wanted({}), {}, {});", address(call.address.value()),
                     number(call.length.value()), call.seed));
  for (const auto& run : evidence_.decisive().bytes) address(run.address);
  const auto& transfer = evidence_.due;
  predict_copy(transfer);
  const auto& word = transfer.from[0];
  if (transfer.motion == Motion::copy || word.length.value() != 8 || word.outside_buffers.truth())
    return;
  const auto where = address(word.at.value());
  line("uint64_t word;");
  line(fmt::format("memcpy(&word, (void *)({}), 8);", where));
  if (transfer.motion == Motion::fetch_and_add) {
    line(fmt::format("word += {};", number(transfer.operand.value())));
  } else {
    line(fmt::format("if (word == {})", number(transfer.operand.value())));
    line(fmt::format("word = {};", number(transfer.swap.value())), 8);
  }
  line(fmt::format("memcpy(wanted({}), &word, 8);", where));
}

void ReproWriter::check_bytes() {
  const Step& step = evidence_.decisive();
  const Verb verb = step.call.verb;
  const auto right = fmt::format("bytes_right({})", evidence_.due.exact ? 0 : 1);
  if (verb != Verb::fill && verb != Verb::protect) {
    const bool named = is_transfer(verb) || step.result.outcome != Outcome::ok;
    line(fmt::format("if (got != {})", named ? c_status(step.result.outcome) : "0"));
    line(fmt::format("return verdict({}, got);", outcomes(step.result.outcome)), 8);
    if (receive_due() && step.result.outcome == Outcome::ok)
      line(fmt::format("completion(qp{}->recv_cq);", peer_of(step.call.qp)));
  }
  line(fmt::format("return verdict({}, {});", right, declared_.contains("got") ? "got" : "0"));
}

/// The part that compares, with the ranges of memory that are mapped all the time.
std::string ReproWriter::bytes_part() const {
  std::string ranges;
  const auto add = [&](std::size_t index, std::uint64_t first, std::uint64_t end) {
    if (first == end) return;
    ranges += fmt::format("{}{{.at = BUF{}{}, .size = {}}}", ranges.empty() ? "" : ", ", index,
                          first == 0 ? "" : fmt::format(" + {}", first), end - first);
  };
  for (const std::size_t index : buffers_) {
    auto hole = evidence_.memory.unmapped(index);  // as the decisive step leaves it
    const auto& old = evidence_.state.buffers.at(index);
    if (old.hole.truth() && !old.read_only.truth()) {
      hole.first = old.hole_first.value() - model::buffer_address(index);
      hole.second = old.hole_last.value() + 1 - model::buffer_address(index);
    }
    if (hole.first == hole.second) hole = {model::buffer_size(index), model::buffer_size(index)};
    add(index, 0, hole.first);
    add(index, hole.second, model::buffer_size(index));
  }
  std::string text(repro_parts::kBytes);
  const std::string_view mark = "    @RANGES@};\n", place = "@WANTED@";
  text.replace(text.find(mark), mark.size(), wrapped(ranges + "};", 4));
  const bool used = body_.find("wanted(") != std::string::npos;
  return text.replace(text.find(place), place.size(), used ? repro_parts::kWanted : "");
}

}  // namespace mrproof::conformance
