#include "conformance/run/wire.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "property-tests/walk/plan.hpp"

namespace mrproof::conformance {
namespace {

using Runs = std::vector<model::ByteRun>;

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
  void text(std::string_view value) {
    plain(static_cast<std::uint32_t>(value.size()));
    raw(value.data(), value.size());
  }
  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_same_v<T, std::string>)
      text(value);
    else if constexpr (std::is_same_v<T, Runs>)
      runs(value);
    else
      plain(value);
  }
  void runs(const Runs& runs) {
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
  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_same_v<T, std::string>)
      value = text();
    else if constexpr (std::is_same_v<T, Runs>)
      value = runs();
    else
      value = plain<T>();
  }
  Runs runs() {
    Runs runs(length());
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
    out.text(model::name_of(a.kind));
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
    const auto kind = model::parse_class(in.text());
    if (!kind) throw model::ToolError("a record of the worker is damaged");
    a.kind = *kind;
    a.broken = std::string_view(in.text());
  }
  step.remarks.resize(in.plain<std::uint8_t>());
  for (auto& remark : step.remarks) remark = in.text();
}

void annotation(const Record& record, Writer& stream) { write_annotation(stream, record.step); }
void annotation(Record& record, Reader& stream) { read_annotation(stream, record.step); }

/// What a record of its kind has, in the order in which it is written and read.
template <class AnyRecord, class Stream>
void each_field(AnyRecord& record, Stream& stream) {
  const auto all = [&](auto&... fields) { (stream(fields), ...); };
  constexpr bool kWrites = std::is_const_v<AnyRecord>;
  using Planned = std::conditional_t<kWrites, const model::PlannedCall, model::PlannedCall>;
  switch (record.kind) {
    case RecordKind::hello: return all(record.can, record.text);
    case RecordKind::case_begin: return all(record.setup);
    case RecordKind::step_begin: return all(static_cast<Planned&>(record.step));
    case RecordKind::step_end:
      all(record.step.result, record.step.timed_out, record.rule, record.verdict, record.inside_ns,
          record.elapsed_ns, record.rebuilt, record.process, record.step.bytes);
      annotation(record, stream);
      return all(record.kernel_warning);
    case RecordKind::complaint: annotation(record, stream); return all(record.text);
    case RecordKind::disturbed:
    case RecordKind::failure: return all(record.text);
    case RecordKind::case_end:
      return all(record.inside_ns, record.elapsed_ns, record.reset_ns, record.left_out,
                 record.skip_reason);
    case RecordKind::alive:
    case RecordKind::done: return;
    default: throw model::ToolError("a record of the worker is unknown: is it of another version?");
  }
}

}  // namespace

void encode(const Record& record, std::vector<std::byte>& bytes) {
  Writer out(bytes);
  out.plain(record.kind);
  out.plain(record.index);
  each_field(record, out);
}

Record decode(std::span<const std::byte> bytes) {
  Reader in(bytes);
  Record record;
  record.kind = in.plain<RecordKind>();
  record.index = in.plain<std::uint64_t>();
  each_field(record, in);
  record.step.observed = record.kind == RecordKind::step_end;
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
