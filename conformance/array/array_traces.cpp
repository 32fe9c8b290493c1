#include "conformance/array/array_traces.hpp"

#include <fmt/format.h>

#include <string_view>

namespace mrproof {

using namespace model;

namespace {

enum Parameter : std::size_t { kByAccess, kByChanges, kOperation, kKey, kOffset, kDomain };

// Values by place, as array_parameters() names them.
enum Operation : std::uint8_t { kWrite, kImmediate, kRead, kAdd, kSwap, kSend, kReceive, kBind };
enum Key : std::uint8_t { kOwn, kNeighbour, kOld, kDead, kOther, kOfWindow };
enum Offset : std::uint8_t { kFirst, kLast, kBefore, kBeyond, kWraps, kNothing };

/// What each value of the parameter `changes` changes.
constexpr std::uint32_t kChangesOf[] = {0,
                                        kChangeTranslation,
                                        kChangePd,
                                        kChangeAccess,
                                        kChangeTranslation | kChangePd,
                                        kChangeTranslation | kChangeAccess,
                                        kChangePd | kChangeAccess,
                                        kChangeTranslation | kChangePd | kChangeAccess};
constexpr std::string_view kEverything =
    "LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ|REMOTE_ATOMIC|MW_BIND";

bool is_atomic(std::uint8_t operation) { return operation == kAdd || operation == kSwap; }
/// Whether the region is named by its local key.
bool is_local(std::uint8_t operation) { return operation == kSend || operation == kReceive; }
/// Whether a re-registration gives all rights; it takes those of a region that has some.
bool widens(const ArrayRow& row) {
  const auto& access = array_parameters()[kByAccess].values[row[kByAccess]];
  return access == "LOCAL_WRITE" || access == "0";
}
/// Whether the region may have windows when the operation comes.
bool may_bind(const ArrayRow& row) {
  if ((kChangesOf[row[kByChanges]] & kChangeAccess) != 0) return widens(row);
  return array_parameters()[kByAccess].values[row[kByAccess]].find("MW_BIND") != std::string::npos;
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

/// The text of one row's trace.
class RowText {
 public:
  explicit RowText(const ArrayRow& row) : row_(row) {}

  std::string text() {
    const auto& access = array_parameters()[kByAccess].values[row_[kByAccess]];
    const int pd = row_[kDomain];
    line("mr0 = reg_mr(pd0, buf0+0, 4096, LOCAL_WRITE|REMOTE_WRITE|REMOTE_READ)");
    line(fmt::format("mr1 = reg_mr(pd{}, buf1+1024, 256, {})", pd, access));
    pd_ = pd;
    change();
    prepare_key();
    operate();
    return "# mrproof trace v1\n" + given(access) + text_;
  }

 private:
  void line(const std::string& call) { text_ += call + "\n"; }

  [[nodiscard]] std::string given(const std::string& access) const {
    const bool atomics = is_atomic(row_[kOperation]);
    const bool windows = row_[kOperation] == kBind || row_[kKey] == kOfWindow;
    const bool asked =
        access.find("ATOMIC") != std::string::npos ||
        (row_[kByChanges] != 0 && (kChangesOf[row_[kByChanges]] & kChangeAccess) != 0);
    std::string flags = atomics || asked || row_[kKey] == kOther ? "REMOTE_ATOMIC" : "";
    const bool binds = access.find("MW_BIND") != std::string::npos;
    if (windows || asked || binds || row_[kKey] == kOther)
      flags += flags.empty() ? "MW_BIND" : "|MW_BIND";
    std::string features = windows ? ", MW_TYPE_1" : "";
    if (atomics) features += features.empty() ? ", ATOMICS" : "|ATOMICS";
    return fmt::format("given capabilities({}, 8388608{})\n", flags.empty() ? "0" : flags,
                       features) +
           "given pd0\ngiven pd1\ngiven qp0(pd0) <-> qp1(pd0)\n";
  }

  void change() {
    const auto changes = kChangesOf[row_[kByChanges]];
    if (changes == 0) return;
    if ((changes & kChangePd) != 0) pd_ = 1 - pd_;
    if ((changes & kChangeTranslation) != 0) start_ = "buf1+4096", size_ = 128;
    // Other rights than before: all, or none beside the local ones.
    const auto rights = (changes & kChangeAccess) == 0 ? "0"
                        : widens(row_)                 ? kEverything
                                                       : "LOCAL_WRITE";
    line(fmt::format("rereg_mr(mr1, {}, pd{}, {}, {}, {})",
                     array_parameters()[kByChanges].values[row_[kByChanges]], pd_, start_, size_,
                     rights));
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
        line(fmt::format("mr2 = reg_mr(pd0, buf2+0, 4096, {})", kEverything));
        key_ = "mr2." + kind;
        break;
      case kOfWindow:
        line(fmt::format("mw0 = alloc_mw(pd{}, TYPE_1)", pd_));
        line(
            fmt::format("bind_mw(qp0, mw0, mr1, {}, {}, REMOTE_WRITE|REMOTE_READ)", start_, size_));
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

  const ArrayRow& row_;
  std::string text_, key_;
  std::string start_ = "buf1+1024";
  std::uint64_t size_ = 256;
  int pd_ = 0;
};

}  // namespace

const std::vector<ArrayParameter>& array_parameters() {
  static const std::vector<ArrayParameter> parameters{
      {"access",
       {"LOCAL_WRITE", "LOCAL_WRITE|REMOTE_WRITE", "LOCAL_WRITE|REMOTE_READ",
        "LOCAL_WRITE|REMOTE_ATOMIC", "REMOTE_READ", "0", "LOCAL_WRITE|MW_BIND",
        std::string(kEverything)}},
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

const CoveringArray& access_array() {
  static const CoveringArray array = make_covering_array(array_parameters(), array_constraint);
  return array;
}

std::string array_row_name(const ArrayRow& row) {
  std::string name;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto& parameter = array_parameters()[i];
    name += fmt::format("{}{}={}", i == 0 ? "" : " ", parameter.name, parameter.values[row[i]]);
  }
  return name;
}

Trace array_trace(const ArrayRow& row) {
  Trace trace = parse_trace(RowText(row).text(), "array");
  trace.comments = {" " + array_row_name(row)};
  return trace;
}

}  // namespace mrproof
