// Parts of a trace's lines, read from left to right. Each throws a TraceError at what is wrong.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/trace/notation.hpp"
#include "model/trace/trace_scanner.hpp"

namespace mrproof::model {

inline constexpr std::uint64_t kMostAddress = ~std::uint64_t{0};
inline constexpr std::uint64_t kMostWord = 0xffffffffU;

/// "buf1+64" or a number.
std::uint64_t parse_address(LineScanner& in);
/// One of the names; `what` says of what kind ("an advice"), `or_else` what else may stand here.
std::uint32_t parse_name(LineScanner& in, std::span<const NamedValue> names, std::string_view what,
    std::string_view or_else);
/// Names or numbers joined by '|'; `what` is one of them.
std::uint32_t parse_flags(
    LineScanner& in, std::span<const NamedValue> names, std::string_view what);
/// "mr0 = reg_mr(...)", up to the parenthesis.
void parse_call(LineScanner& in, Step& step);
/// What follows "->".
void parse_result(LineScanner& in, Step& step);

}  // namespace mrproof::model
