#include "conformance/run/wire.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

class Writer {
 public:
  /// Behind what is written there may be room, until the writer goes: growing by a few bytes each
  /// time would take most of the time. No more room than most records need, for it is zeroed: all
  /// that the longest record so far has needed would be tens of kilobytes.
  explicit Writer(std::vector<std::byte>& bytes) : bytes_(bytes) {
    constexpr std::size_t kMostNeed = 512;
    bytes_.resize(kMostNeed);
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  ~Writer() { bytes_.resize(size_); }
  template <class T>
  void plain(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    // Not by raw(): a size that is known makes a few stores of it.
    if (bytes_.size() - size_ < sizeof value) grow(sizeof value);
    std::memcpy(bytes_.data() + size_, &value, sizeof value);
    size_ += sizeof value;
  }
  void text(const std::string& value) {
    plain(static_cast<std::uint32_t>(value.size()));
    raw(value.data(), value.size());
  }
  void runs(const std::vector<model::ByteRun>& runs) {
    plain(static_cast<std::uint32_t>(runs.size()));
    for (const auto& run : runs) {
      plain(run.address);
      plain(static_cast<std::uint32_t>(run.bytes.size()));
      raw(run.bytes.data(), run.bytes.size());
    }
  }

 private:
  void raw(const void* from, std::size_t size) {
    if (size == 0) return;  // an empty vector has no address to give to memcpy()
    if (bytes_.size() - size_ < size) grow(size);
    std::memcpy(bytes_.data() + size_, from, size);
    size_ += size;
  }
  void grow(std::size_t size) { bytes_.resize(2 * bytes_.size() + size); }
  std::vector<std::byte>& bytes_;
  std::size_t size_ = 0;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T plain() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value{};
    raw(&value, sizeof value);
    return value;
  }
  std::string text() {
    std::string value(length(), '\0');
    raw(value.data(), value.size());
    return value;
  }
  std::vector<model::ByteRun> runs() {
    std::vector<model::ByteRun> runs(length());
    for (auto& run : runs) {
      run.address = plain<std::uint64_t>();
      run.bytes.resize(length());
      raw(run.bytes.data(), run.bytes.size());
    }
    return runs;
  }

 private:
  std::size_t length() {
    const std::size_t count = plain<std::uint32_t>();
    if (count > bytes_.size()) throw model::ToolError("a record of the worker is damaged");
    return count;
  }
  void raw(void* to, std::size_t size) {
    if (size > bytes_.size()) throw model::ToolError("a record of the worker is cut off");
    if (size == 0) return;  // an empty vector has no address to give to memcpy()
    std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }
  std::span<const std::byte> bytes_;
};

void write_annotation(Writer& out, const model::Step& step) {
  out.plain(static_cast<std::uint8_t>(step.annotations.size()));
  for (const auto& a : step.annotations) {
    out.plain(a.verdict);
    out.text(a.rule);
    out.plain(a.kind);
    out.text(a.broken.text());
  }
  out.plain(static_cast<std::uint8_t>(step.remarks.size()));
  for (const auto& remark : step.remarks) out.text(remark);
}

void read_annotation(Reader& in, model::Step& step) {
  step.annotations.resize(in.plain<std::uint8_t>());
  for (auto& a : step.annotations) {
    a.verdict = in.plain<model::Verdict>();
    a.rule = in.text();
    a.kind = in.plain<model::DeviationClass>();
    a.broken = std::string_view(in.text());
  }
  step.remarks.resize(in.plain<std::uint8_t>());
  for (auto& remark : step.remarks) remark = in.text();
}

}  // namespace

void encode(const Record& record, std::vector<std::byte>& bytes) {
  Writer out(bytes);
  out.plain(record.kind);
  out.plain(record.index);
  switch (record.kind) {
    case RecordKind::hello:
      out.plain(record.can);
      out.text(record.text);
      break;
    case RecordKind::case_begin: out.plain(record.setup); break;
    case RecordKind::step_begin: out.plain<model::PlannedCall>(record.step); break;
    case RecordKind::step_end:
      out.plain(record.step.result);
      out.plain(record.step.timed_out);
      out.plain(record.rule);
      out.plain(record.verdict);
      out.plain(record.inside_ns);
      out.plain(record.elapsed_ns);
      out.plain(record.rebuilt);
      out.runs(record.step.bytes);
      write_annotation(out, record.step);
      out.text(record.kernel_warning);
      break;
    case RecordKind::disturbed:
    case RecordKind::complaint:
    case RecordKind::failure: out.text(record.text); break;
    case RecordKind::case_end:
      out.plain(record.inside_ns);
      out.plain(record.elapsed_ns);
      out.plain(record.reset_ns);
      out.plain(record.left_out);
      out.text(record.skip_reason);
      break;
    case RecordKind::done: break;
  }
}

Record decode(std::span<const std::byte> bytes) {
  Reader in(bytes);
  Record record;
  record.kind = in.plain<RecordKind>();
  record.index = in.plain<std::uint64_t>();
  switch (record.kind) {
    case RecordKind::hello:
      record.can = in.plain<model::Capabilities<model::Plain>>();
      record.text = in.text();
      break;
    case RecordKind::case_begin: record.setup = in.plain<model::Setup>(); break;
    case RecordKind::step_begin:
      static_cast<model::PlannedCall&>(record.step) = in.plain<model::PlannedCall>();
      break;
    case RecordKind::step_end:
      record.step.observed = true;
      record.step.result = in.plain<model::Result<model::Plain>>();
      record.step.timed_out = in.plain<bool>();
      record.rule = in.plain<std::uint16_t>();
      record.verdict = in.plain<model::Verdict>();
      record.inside_ns = in.plain<std::uint64_t>();
      record.elapsed_ns = in.plain<std::uint64_t>();
      record.rebuilt = in.plain<bool>();
      record.step.bytes = in.runs();
      read_annotation(in, record.step);
      record.kernel_warning = in.text();
      break;
    case RecordKind::disturbed:
    case RecordKind::complaint:
    case RecordKind::failure: record.text = in.text(); break;
    case RecordKind::case_end:
      record.inside_ns = in.plain<std::uint64_t>();
      record.elapsed_ns = in.plain<std::uint64_t>();
      record.reset_ns = in.plain<std::uint64_t>();
      record.left_out = in.plain<bool>();
      record.skip_reason = in.text();
      break;
    case RecordKind::done: break;
    default: throw model::ToolError("a record of the worker is unknown: is it of another version?");
  }
  return record;
}

std::string print_description(const impl::Description& d) {
  return nlohmann::json{{"device", d.device},
                        {"driver", d.driver},
                        {"kernel", d.kernel},
                        {"rdma_core", d.rdma_core},
                        {"firmware", d.firmware}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

impl::Description parse_description(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    return {json.at("device"), json.at("driver"), json.at("kernel"), json.at("rdma_core"),
            json.at("firmware")};
  } catch (const nlohmann::json::exception&) {
    throw model::ToolError("the worker's description of its device is damaged");
  }
}

}  // namespace mrproof::conformance
