#include "specs/traces/show_traces.hpp"

#include <filesystem>
#include <utility>

#include "model/trace/write_file.hpp"

namespace mrproof::specs {

std::unique_ptr<TraceSearch> Tracer::take(std::size_t dialect) {
  {
    const std::scoped_lock lock(mutex_);
    auto& idle = idle_[dialect];
    if (!idle.empty()) {
      auto search = std::move(idle.back());
      idle.pop_back();
      return search;
    }
  }
  return std::make_unique<TraceSearch>(dialect);
}

void Tracer::give_back(std::size_t dialect, std::unique_ptr<TraceSearch> search) {
  const std::scoped_lock lock(mutex_);
  idle_[dialect].push_back(std::move(search));
}

std::optional<Shown> Tracer::find(const std::vector<Row>& rows, const Obligation& obligation) {
  for (std::size_t dialect = 0; dialect < model::kDialects.size(); ++dialect) {
    if ((obligation.dialects >> dialect & 1U) == 0) continue;
    auto search = take(dialect);
    auto shown = search->find(rows, obligation.theorem, obligation.subject);
    give_back(dialect, std::move(search));
    if (shown) return shown;
  }
  return std::nullopt;
}

void Tracer::add_traces(const std::vector<Row>& rows, std::vector<Obligation>& obligations,
                        std::size_t most) {
  for (Obligation& obligation : obligations) {
    if (obligation.answer != smt::Answer::satisfiable || most == 0) continue;
    --most;
    if (const auto shown = find(rows, obligation))
      obligation.trace = model::print_trace(shown->trace);
  }
}

void write_traces(const std::string& folder, const std::vector<Obligation>& obligations) {
  std::filesystem::create_directories(folder);
  for (const Obligation& obligation : obligations)
    if (!obligation.trace.empty())
      model::write_whole_file(folder + "/" + obligation.theorem + "-" + obligation.subject + ".mrt",
                              obligation.trace);
}

}  // namespace mrproof::specs
