#include "model/trace/trace_dialect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/trace/tool_error.hpp"

namespace mrproof::model {

namespace {

const Rulebook& book_or_error(const std::string& dialect, const std::string& where) {
  const auto* book = model::find_rulebook(dialect);
  if (book != nullptr) return *book;
  throw ToolError(
      fmt::format("{}no dialect '{}'; there are: {}", where, dialect, fmt::join(kDialects, ", ")));
}

}  // namespace

const Rulebook& book_named(const std::string& dialect) { return book_or_error(dialect, ""); }

const Rulebook& book_of(const Trace& trace, const std::string& asked, const std::string& file) {
  return asked.empty() ? book_or_error(trace.dialect, file + ": ") : book_or_error(asked, "");
}

}  // namespace mrproof::model
