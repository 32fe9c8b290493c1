// How single values are written in traces: addresses, flags, keys, error numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/trace/trace.hpp"

namespace mrproof::model {

/// A value and its name.
struct NamedValue {
  std::uint32_t flag;
  std::string_view name;
};

/// Access flags without IBV_ACCESS_, in bit order.
inline constexpr std::array<NamedValue, 14> kAccessNames{
    {{kLocalWrite, "LOCAL_WRITE"}, {kRemoteWrite, "REMOTE_WRITE"}, {kRemoteRead, "REMOTE_READ"},
        {kRemoteAtomic, "REMOTE_ATOMIC"}, {kMwBind, "MW_BIND"}, {kZeroBased, "ZERO_BASED"},
        {kOnDemand, "ON_DEMAND"}, {kHugetlb, "HUGETLB"}, {kFlushGlobal, "FLUSH_GLOBAL"},
        {kFlushPersistent, "FLUSH_PERSISTENT"}, {kAllocateMr, "ALLOCATE_MR"}, {kShared, "SHARED"},
        {kPeerMemory, "PEER_MEMORY"}, {kRelaxedOrdering, "RELAXED_ORDERING"}}};

/// What a device can have besides, in bit order.
inline constexpr std::array<NamedValue, 22> kFeatureNames{
    {{kMwType1, "MW_TYPE_1"}, {kMwType2A, "MW_TYPE_2A"}, {kMwType2B, "MW_TYPE_2B"},
        {kMemoryExtensions, "MEM_MGT_EXTENSIONS"}, {kImplicitOnDemand, "ODP_IMPLICIT"},
        {kAtomics, "ATOMICS"}, {kReregTranslation, "REREG_TRANSLATION"}, {kReregPd, "REREG_PD"},
        {kReregAccess, "REREG_ACCESS"}, {kAdviseMr, "ADVISE_MR"}, {kNullMr, "NULL_MR"},
        {kDmabufMr, "DMABUF_MR"}, {kRegMrEx, "REG_MR_EX"}, {kIwarp, "IWARP"},
        {kOnDemandNoSend, "ODP_NO_SEND"}, {kOnDemandNoReceive, "ODP_NO_RECV"},
        {kOnDemandNoWrite, "ODP_NO_WRITE"}, {kOnDemandNoRead, "ODP_NO_READ"},
        {kOnDemandNoAtomic, "ODP_NO_ATOMIC"}, {kLossless, "LOSSLESS"},
        {kModifyRights, "MODIFY_RIGHTS"}, {kInlineData, "INLINE_DATA"}}};

/// `flags` of rereg_mr.
inline constexpr std::array<NamedValue, 3> kChangeNames{{{kChangeTranslation, "CHANGE_TRANSLATION"},
    {kChangePd, "CHANGE_PD"}, {kChangeAccess, "CHANGE_ACCESS"}}};
/// `flags` of a work request.
inline constexpr std::array<NamedValue, 5> kFormNames{{{kUnsignaled, "UNSIGNALED"},
    {kFenced, "FENCE"}, {kSolicited, "SOLICITED"}, {kLinked, "LINKED"}, {kInline, "INLINE"}}};
/// `flags` of advise_mr.
inline constexpr std::array<NamedValue, 1> kAdviseFlagNames{{{kAdviseFlush, "FLUSH"}}};
/// `error` of a refused rereg_mr: enum ibv_rereg_mr_err_code without IBV_REREG_MR_.
inline constexpr std::array<NamedValue, 5> kReregCodeNames{{{kErrInput, "ERR_INPUT"},
    {kErrDontForkNew, "ERR_DONT_FORK_NEW"}, {kErrDoForkOld, "ERR_DO_FORK_OLD"},
    {kErrCmd, "ERR_CMD"}, {kErrCmdAndDoForkNew, "ERR_CMD_AND_DO_FORK_NEW"}}};
/// `option` of advise_mr, of alloc_mw (without IBV_MW_), of protect.
inline constexpr std::array<NamedValue, 3> kAdviceNames{{{kPrefetch, "PREFETCH"},
    {kPrefetchWrite, "PREFETCH_WRITE"}, {kPrefetchNoFault, "PREFETCH_NO_FAULT"}}};
inline constexpr std::array<NamedValue, 2> kWindowTypeNames{
    {{kTypeOne, "TYPE_1"}, {kTypeTwo, "TYPE_2"}}};
inline constexpr std::array<NamedValue, 3> kProtectionNames{
    {{kNoPages, "NONE"}, {kReadPages, "READ"}, {kWritePages, "WRITE"}}};

/// Append a number to the text, in decimal; in hexadecimal, as "0x..".
void append_number(std::string& text, std::uint64_t number);
void append_hexadecimal(std::string& text, std::uint64_t number);

/// "buf1+64", "buf1-1" near a buffer; else "0x..".
std::string print_address(std::uint64_t address);
/// The same behind the text: a journal has a few for each step.
void append_address(std::string& text, std::uint64_t address);
/// "LOCAL_WRITE|REMOTE_READ"; bits without a name in hexadecimal; "0" for none.
std::string print_access(std::uint32_t access);
/// The same with the names of other flags.
std::string print_flags(std::span<const NamedValue> names, std::uint32_t flags);
void append_flags(std::string& text, std::span<const NamedValue> names, std::uint32_t flags);
/// The name of a value; the number if it has none.
std::string print_named(std::span<const NamedValue> names, std::uint32_t value);
void append_named(std::string& text, std::span<const NamedValue> names, std::uint32_t value);
/// "mr0.rkey", "mr0.old_lkey", "mw0.rkey^0x1", "0x1234".
std::string print_key(const KeyName& key);
void append_key(std::string& text, const KeyName& key);
/// "EINVAL"; "errno=N" for numbers without a name.
std::string print_errno(std::uint32_t error);
/// The number of an errno name.
std::optional<std::uint32_t> errno_by_name(std::string_view name);
/// The value of that name.
std::optional<std::uint32_t> value_by_name(
    std::span<const NamedValue> names, std::string_view name);
/// The name of that value.
std::optional<std::string_view> name_of_value(
    std::span<const NamedValue> names, std::uint32_t value);
/// "SUCCESS" or "ok", whichever the verb prints, and other outcomes by name.
std::string_view print_outcome(Outcome outcome, bool transfer);

/// The place of `name` in an array of names.
template <class Names>
std::optional<std::size_t> index_of(const Names& names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names.at(i) == name) return i;
  return std::nullopt;
}

}  // namespace mrproof::model
