#include "property-tests/series/array_traces.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "model/trace/notation.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

enum Parameter : std::size_t { kByAccess, kByChanges, kOperation, kKey, kOffset, kDomain };

// Values by place, as array_parameters() names them.
enum Operation : std::uint32_t { kWrite, kImmediate, kRead, kAdd, kSwap, kSend, kReceive, kBind };
enum Key : std::uint32_t { kOwn, kNeighbour, kOld, kDead, kOther, kOfWindow };
enum Offset : std::uint32_t { kFirst, kLast, kBefore, kBeyond, kWraps, kNothing };

/// A device's access flags or features as they stand in words.
using Bits = std::uint32_t;
constexpr Bits kEverything = kLocalWrite | kRemoteWrite | kRemoteRead | kRemoteAtomic | kMwBind;
/// What each value of the parameter `access` allows.
constexpr Bits kAccessOf[] = {kLocalWrite,
                              kLocalWrite | kRemoteWrite,
                              kLocalWrite | kRemoteRead,
                              kLocalWrite | kRemoteAtomic,
                              kRemoteRead,
                              0,
                              kLocalWrite | kMwBind,
                              kEverything};
constexpr std::uint32_t kForWindows = 6;  ///< the place of LOCAL_WRITE|MW_BIND
/// What each value of the parameter `changes` changes.
constexpr std::uint32_t kChangesOf[] = {0,
                                        kChangeTranslation,
                                        kChangePd,
                                        kChangeAccess,
                                        kChangeTranslation | kChangePd,
                                        kChangeTranslation | kChangeAccess,
                                        kChangePd | kChangeAccess,
                                        kChangeTranslation | kChangePd | kChangeAccess};

bool is_atomic(std::uint32_t operation) { return operation == kAdd || operation == kSwap; }
/// Whether the region is named by its local key.
bool is_local(std::uint32_t operation) { return operation == kSend || operation == kReceive; }
/// Whether a re-registration gives all rights; it takes those of a region that has some.
bool widens(const ArrayRow& row) {
  const Bits access = kAccessOf[row[kByAccess]];
  return access == kLocalWrite || access == 0;
}
/// Whether the region may have windows when the operation comes.
bool may_bind(const ArrayRow& row) {
  if ((kChangesOf[row[kByChanges]] & kChangeAccess) != 0) return widens(row);
  return (kAccessOf[row[kByAccess]] & kMwBind) != 0;
}
bool has_windows(const ArrayRow& row) { return row[kOperation] == kBind || row[kKey] == kOfWindow; }

/// What decides about the array: the access flags and the features that some row needs.
struct Means {
  Bits access = 0, features = 0;
  auto operator<=>(const Means&) const = default;
};
constexpr Means kAllMeans{kRemoteAtomic | kMwBind, kAtomics | kMwType1};
Means means_of(const Capabilities<Plain>& can) {
  return {static_cast<Bits>(can.claimed.value()) & kAllMeans.access,
          static_cast<Bits>(can.features.value()) & (kAllMeans.features | kIwarp)};
}

/// Where the region lies when the operation comes, and where the operation's range begins.
struct Range {
  std::uint64_t start = 0, at = 0, length = 8;
};
Range range_of(const ArrayRow& row, std::uint64_t start, std::uint64_t size) {
  const std::uint64_t grain = is_atomic(row[kOperation]) ? 8 : 1;
  Range range{start, start, 8};
  switch (row[kOffset]) {
    case kLast: range.at = start + size - 8; break;
    case kBefore: range.at = start - grain; break;
    case kBeyond: range.at = start + size - 8 + grain; break;
    case kWraps: range.at = 0 - (grain == 8 ? std::uint64_t{8} : 4); break;
    case kNothing: range.length = 0; break;
    default: break;
  }
  if (row[kOffset] == kWraps && row[kOperation] == kBind) {
    range.at = start + 8;
    range.length = 0 - std::uint64_t{8};
  }
  return range;
}

/// The text of one row's trace. Its values are the array's, whose triples are counted, and of no
/// tier of the alphabet (model/alphabet/): one more value there would make another array. Objects
/// beside the region have all the rights that the device knows of, so that they ask for nothing
/// that the row itself does not need.
class RowText {
 public:
  RowText(const ArrayRow& row, const Means& device)
      : row_(row), everything_(kEverything & ~(kAllMeans.access & ~device.access)) {}

  std::string text() {
    line("mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ)");
    add_row();
    return "# mrproof trace v1\n" + given() + text_;
  }
  /// Behind a re-registration that was refused: the region is not to be used, but may go.
  std::string text_anew() {
    line("dereg_mr(mr1)");
    add_row();
    return text_;
  }

 private:
  void line(const std::string& call) { text_ += call + "\n"; }
  void add_row() {
    pd_ = row_[kDomain];
    line(fmt::format("mr1 = reg_mr(pd{}, buf1+1024, 256, {})", pd_,
                     with(kAccessOf[row_[kByAccess]])));
    change();
    prepare_key();
    operate();
  }
  /// Access flags as the trace has them; from here on it needs them.
  std::string with(Bits access) {
    used_.access |= access & kAllMeans.access;
    return model::print_access(access);
  }

  /// Whether the region is in pd1 when the operation comes, or would be if nothing changed.
  [[nodiscard]] bool comes_to_pd1() const {
    return row_[kDomain] == 1 || (kChangesOf[row_[kByChanges]] & kChangePd) != 0;
  }
  /// No message is longer than the 8 bytes of an operation.
  [[nodiscard]] std::string given() const {
    Bits features = is_atomic(row_[kOperation]) ? kAtomics : 0U;
    if (has_windows(row_)) features |= kMwType1;
    const auto named =
        features == 0 ? "" : ", " + model::print_flags(model::kFeatureNames, features);
    return fmt::format("given capabilities({}, 8{})\n", model::print_access(used_.access), named) +
           "given pd0\ngiven pd1\ngiven qp0(pd0) <-> qp1(pd0)\n" +
           (row_[kKey] == kOfWindow && comes_to_pd1() ? "given qp2(pd1) <-> qp3(pd1)\n" : "");
  }

  void change() {
    const auto changes = kChangesOf[row_[kByChanges]];
    if (changes == 0) return;
    if ((changes & kChangePd) != 0) pd_ = 1 - pd_;
    if ((changes & kChangeTranslation) != 0) start_ = "buf1+4096", size_ = 128;
    // Other rights than before: all, or none beside the local ones.
    const Bits rights = (changes & kChangeAccess) == 0 ? 0U
                        : widens(row_)                 ? everything_
                                                       : kLocalWrite;
    line(fmt::format("rereg_mr(mr1, {}, pd{}, {}, {}, {})",
                     array_parameters()[kByChanges].values[row_[kByChanges]], pd_, start_, size_,
                     with(rights)));
  }

  void prepare_key() {
    const std::string kind = is_local(row_[kOperation]) ? "lkey" : "rkey";
    switch (row_[kKey]) {
      case kNeighbour: key_ = "mr1." + kind + "^0x1"; break;
      case kOld: key_ = "mr1.old_" + kind; break;
      case kDead:
        line("dereg_mr(mr1)");
        key_ = "mr1." + kind;
        break;
      case kOther:
        line(fmt::format("mr2 = reg_mr(pd0, buf2+0, 4096, {})", with(everything_)));
        key_ = "mr2." + kind;
        break;
      case kOfWindow:
        // Through a queue pair of the window's PD: another one's may not bind it (C10-72), and has
        // failed when the operation comes.
        line(fmt::format("mw0 = alloc_mw(pd{}, TYPE_1)", pd_));
        line(fmt::format("bind_mw(qp{}, mw0, mr1, {}, {}, REMOTE_WRITE|REMOTE_READ)",
                         pd_ == 1 ? 2 : 0, start_, size_));
        key_ = "mw0.rkey";
        break;
      default: key_ = "mr1." + kind;
    }
  }

  void operate() {
    const std::uint64_t base = start_ == "buf1+1024" ? 1024 : 4096;
    const Range range = range_of(row_, base, size_);
    const std::string at = row_[kOffset] == kWraps && row_[kOperation] != kBind
                               ? fmt::format("{}", range.at)
                               : fmt::format("buf1+{}", range.at);
    const std::string near = fmt::format("mr0.lkey, buf0+128, {}", range.length);
    switch (row_[kOperation]) {
      case kImmediate:
        line("post_recv(qp1, mr0.lkey, buf0+512, 64)");
        line(fmt::format("rdma_write_with_imm(qp0, {}, {}, {})", near, key_, at));
        break;
      case kRead: line(fmt::format("rdma_read(qp0, {}, {}, {})", near, key_, at)); break;
      case kAdd:
        line(fmt::format("atomic_fetch_and_add(qp0, {}, {}, {}, 1)", near, key_, at));
        break;
      case kSwap:
        line(fmt::format("atomic_cmp_and_swp(qp0, {}, {}, {}, 1, 2)", near, key_, at));
        break;
      case kSend:
        line("post_recv(qp1, mr0.lkey, buf0+512, 64)");
        line(fmt::format("send(qp0, {}, {}, {})", key_, at, range.length));
        break;
      case kReceive:
        line(fmt::format("post_recv(qp1, {}, {}, {})", key_, at, range.length));
        line(fmt::format("send(qp0, {})", near));
        break;
      case kBind:
        line(fmt::format("mw1 = alloc_mw(pd{}, TYPE_1)", row_[kDomain]));
        line(fmt::format("bind_mw(qp0, mw1, mr1, {}, {}, REMOTE_READ)", at, range.length));
        break;
      default: line(fmt::format("rdma_write(qp0, {}, {}, {})", near, key_, at));
    }
  }

  const ArrayRow row_;
  const Bits everything_;  ///< all rights that the device has
  Means used_;             ///< what the trace needs
  std::string text_, key_;
  std::string start_ = "buf1+1024";
  std::uint64_t size_ = 256;
  std::uint32_t pd_ = 0;
};

/// What the device lacks for the row: a constraint's name, or null.
const char* lack_of(const ArrayRow& row, const Means& device) {
  const Bits access = kAccessOf[row[kByAccess]] & kAllMeans.access & ~device.access;
  if ((access & kRemoteAtomic) != 0) return "the device lacks REMOTE_ATOMIC";
  if ((access & kMwBind) != 0) return "the device lacks MW_BIND";
  if (is_atomic(row[kOperation]) && (device.features & kAtomics) == 0)
    return "the device lacks ATOMICS";
  if (has_windows(row) && (device.features & kMwType1) == 0) return "the device lacks MW_TYPE_1";
  if (row[kKey] == kOfWindow && (device.access & kMwBind) == 0) return "the device lacks MW_BIND";
  if (row[kOperation] == kImmediate && (device.features & kIwarp) != 0)
    return "over iWARP no write has immediate data";
  return nullptr;
}

/// The array of devices with these means; each is made once.
const CoveringArray& array_of(const Means& device) {
  static std::map<Means, CoveringArray> made;
  const auto found = made.find(device);
  if (found != made.end()) return found->second;
  auto array = make_covering_array(array_parameters(), [&](const ArrayRow& row) {
    const char* broken = array_constraint(row);
    return broken != nullptr ? broken : lack_of(row, device);
  });
  return made.emplace(device, std::move(array)).first->second;
}

/// What of the means the device lacks, in words; empty: nothing.
std::string lacks_of(const Means& device) {
  std::string names;
  const auto add = [&](const std::string& name) { names += (names.empty() ? "" : ", ") + name; };
  const Means lacks{kAllMeans.access & ~device.access, kAllMeans.features & ~device.features};
  if (lacks.access != 0) add(model::print_access(lacks.access));
  if (lacks.features != 0) add(model::print_flags(model::kFeatureNames, lacks.features));
  if ((device.features & kIwarp) != 0) add("immediate data with a write");
  return names;
}

}  // namespace

const std::vector<ArrayParameter>& array_parameters() {
  static const std::vector<ArrayParameter> parameters{
      {"access",
       [] {
         std::vector<std::string> names;
         for (const Bits access : kAccessOf) names.push_back(model::print_access(access));
         return names;
       }()},
      {"changes",
       {"0", "CHANGE_TRANSLATION", "CHANGE_PD", "CHANGE_ACCESS", "CHANGE_TRANSLATION|CHANGE_PD",
        "CHANGE_TRANSLATION|CHANGE_ACCESS", "CHANGE_PD|CHANGE_ACCESS",
        "CHANGE_TRANSLATION|CHANGE_PD|CHANGE_ACCESS"}},
      {"operation",
       {"rdma_write", "rdma_write_with_imm", "rdma_read", "atomic_fetch_and_add",
        "atomic_cmp_and_swp", "send", "post_recv", "bind_mw"}},
      {"key", {"own", "neighbour", "old", "dead", "other", "window"}},
      {"offset", {"first", "last", "before", "beyond", "wraps", "nothing"}},
      {"pd", {"same", "other"}}};
  return parameters;
}

const char* array_constraint(const ArrayRow& row) {
  const auto operation = row[kOperation];
  if (row[kKey] == kOfWindow && !is_local(operation) && !may_bind(row))
    return "windows need a region with MW_BIND";
  if (row[kKey] == kOld && row[kByChanges] == 0) return "only a re-registration leaves an old key";
  if (operation == kBind && row[kKey] != kOwn) return "a bind names its region and no key";
  if (is_local(operation) && row[kKey] == kOfWindow) return "a window has no local key";
  if (is_atomic(operation) && row[kOffset] == kNothing) return "an atomic operation has 8 bytes";
  return nullptr;
}

const char* array_constraint(const ArrayRow& row, const Capabilities<Plain>& can) {
  const char* broken = array_constraint(row);
  return broken != nullptr ? broken : lack_of(row, means_of(can));
}

const CoveringArray& access_array() { return array_of(kAllMeans); }

const CoveringArray& access_array(const Capabilities<Plain>& can) {
  return array_of(means_of(can));
}

std::string array_lack(const Capabilities<Plain>& can) {
  const auto count = access_array(can).impossible.size() - access_array().impossible.size();
  if (count == 0) return "";
  return fmt::format("array: {} triples need what the device lacks: {}", count,
                     lacks_of(means_of(can)));
}

std::string array_row_name(const ArrayRow& row) {
  std::string name;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto& parameter = array_parameters()[i];
    name += fmt::format("{}{}={}", i == 0 ? "" : " ", parameter.name, parameter.values[row[i]]);
  }
  return name;
}

model::Trace array_trace(const ArrayRow& row, const Capabilities<Plain>& can) {
  model::Trace trace = model::parse_trace(RowText(row, means_of(can)).text(), "array");
  trace.comments = {" " + array_row_name(row)};
  return trace;
}

std::vector<ArrayRow> unchanged(const ArrayRow& row) {
  ArrayRow other = row;
  other[kByChanges] = 0;
  if (row[kKey] == kOld) other[kKey] = kOwn;
  if (row[kKey] != kOfWindow || may_bind(other)) return {other};
  ArrayRow bindable = other;
  bindable[kByAccess] = kForWindows;
  other[kKey] = kOwn;
  return {other, bindable};
}

model::Trace unchanged_trace(const ArrayRow& row, const Capabilities<Plain>& can) {
  std::string text = "# mrproof trace v1\n";
  for (const ArrayRow& other : unchanged(row)) {
    if (!text.ends_with("v1\n")) text += "connect(qp0)\n";
    text += RowText(other, means_of(can)).text_anew();
  }
  return model::parse_trace(text, "array");
}

}  // namespace mrproof::property_tests
