// How single values are written in traces: addresses, flags, keys, error numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "conformance/trace/trace.hpp"

namespace mrproof {

/// A value and its name.
struct NamedValue {
  std::uint32_t flag;
  std::string_view name;
};

/// Access flags without IBV_ACCESS_, in bit order.
inline constexpr std::array<NamedValue, 14> kAccessNames{
    {{model::kLocalWrite, "LOCAL_WRITE"},
     {model::kRemoteWrite, "REMOTE_WRITE"},
     {model::kRemoteRead, "REMOTE_READ"},
     {model::kRemoteAtomic, "REMOTE_ATOMIC"},
     {model::kMwBind, "MW_BIND"},
     {model::kZeroBased, "ZERO_BASED"},
     {model::kOnDemand, "ON_DEMAND"},
     {model::kHugetlb, "HUGETLB"},
     {model::kFlushGlobal, "FLUSH_GLOBAL"},
     {model::kFlushPersistent, "FLUSH_PERSISTENT"},
     {model::kAllocateMr, "ALLOCATE_MR"},
     {model::kShared, "SHARED"},
     {model::kPeerMemory, "PEER_MEMORY"},
     {model::kRelaxedOrdering, "RELAXED_ORDERING"}}};

/// What a device can have besides, in bit order.
inline constexpr std::array<NamedValue, 19> kFeatureNames{
    {{model::kMwType1, "MW_TYPE_1"},
     {model::kMwType2A, "MW_TYPE_2A"},
     {model::kMwType2B, "MW_TYPE_2B"},
     {model::kMemoryExtensions, "MEM_MGT_EXTENSIONS"},
     {model::kImplicitOnDemand, "ODP_IMPLICIT"},
     {model::kAtomics, "ATOMICS"},
     {model::kReregTranslation, "REREG_TRANSLATION"},
     {model::kReregPd, "REREG_PD"},
     {model::kReregAccess, "REREG_ACCESS"},
     {model::kAdviseMr, "ADVISE_MR"},
     {model::kNullMr, "NULL_MR"},
     {model::kDmabufMr, "DMABUF_MR"},
     {model::kRegMrEx, "REG_MR_EX"},
     {model::kIwarp, "IWARP"},
     {model::kOnDemandNoSend, "ODP_NO_SEND"},
     {model::kOnDemandNoReceive, "ODP_NO_RECV"},
     {model::kOnDemandNoWrite, "ODP_NO_WRITE"},
     {model::kOnDemandNoRead, "ODP_NO_READ"},
     {model::kOnDemandNoAtomic, "ODP_NO_ATOMIC"}}};

/// `flags` of rereg_mr.
inline constexpr std::array<NamedValue, 3> kChangeNames{
    {{model::kChangeTranslation, "CHANGE_TRANSLATION"},
     {model::kChangePd, "CHANGE_PD"},
     {model::kChangeAccess, "CHANGE_ACCESS"}}};
/// `flags` of advise_mr.
inline constexpr std::array<NamedValue, 1> kAdviseFlagNames{{{model::kAdviseFlush, "FLUSH"}}};
/// `error` of a refused rereg_mr: enum ibv_rereg_mr_err_code without IBV_REREG_MR_.
inline constexpr std::array<NamedValue, 5> kReregCodeNames{
    {{model::kErrInput, "ERR_INPUT"},
     {model::kErrDontForkNew, "ERR_DONT_FORK_NEW"},
     {model::kErrDoForkOld, "ERR_DO_FORK_OLD"},
     {model::kErrCmd, "ERR_CMD"},
     {model::kErrCmdAndDoForkNew, "ERR_CMD_AND_DO_FORK_NEW"}}};
/// `option` of advise_mr, of alloc_mw (without IBV_MW_), of protect.
inline constexpr std::array<NamedValue, 3> kAdviceNames{
    {{model::kPrefetch, "PREFETCH"},
     {model::kPrefetchWrite, "PREFETCH_WRITE"},
     {model::kPrefetchNoFault, "PREFETCH_NO_FAULT"}}};
inline constexpr std::array<NamedValue, 2> kWindowTypeNames{
    {{model::kTypeOne, "TYPE_1"}, {model::kTypeTwo, "TYPE_2"}}};
inline constexpr std::array<NamedValue, 3> kProtectionNames{
    {{model::kNoPages, "NONE"}, {model::kReadPages, "READ"}, {model::kWritePages, "WRITE"}}};

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
std::optional<std::uint32_t> value_by_name(std::span<const NamedValue> names,
                                           std::string_view name);
/// The name of that value.
std::optional<std::string_view> name_of_value(std::span<const NamedValue> names,
                                              std::uint32_t value);
/// "SUCCESS" or "ok", whichever the verb prints, and other outcomes by name.
std::string_view print_outcome(model::Outcome outcome, bool transfer);

/// The place of `name` in an array of names.
template <class Names>
std::optional<std::size_t> index_of(const Names& names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names.at(i) == name) return i;
  return std::nullopt;
}

}  // namespace mrproof
