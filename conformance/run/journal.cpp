#include "conformance/run/journal.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "model/trace/notation.hpp"

namespace mrproof::conformance {
namespace {

/// Quotes only where it has to: the texts of calls and results are plain ASCII by construction.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Journal::Journal(std::string path, std::string begun_with, std::uintmax_t kept)
    : path_(std::move(path)), begun_with_(std::move(begun_with)), kept_(kept) {}

void Journal::open() {
  if (kept_ > 0) std::filesystem::resize_file(path_, kept_);
  file_ = std::fopen(path_.c_str(), kept_ > 0 ? "ae" : "we");
  if (file_ == nullptr)
    throw model::ToolError(fmt::format("{}: cannot be written: {}; choose another --out", path_,
                                       std::strerror(errno)));
  if (kept_ == 0 && !begun_with_.empty())
    line(fmt::format("{{\"record\":\"run\",\"begun_with\":{}}}\n", begun_with_));
}

Journal::~Journal() {
  if (file_ != nullptr) std::fclose(file_);
}

void Journal::line(const std::string& text) {
  if (path_.empty()) return;
  if (file_ == nullptr) open();
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size())
    throw model::ToolError(
        fmt::format("{}: cannot be written: {}; the journal holds what came before", path_,
                    std::strerror(errno)));
}

void Journal::flush() {
  if (file_ != nullptr && std::fflush(file_) != 0)
    throw model::ToolError(
        fmt::format("{}: cannot be written: {}; the journal holds what came before", path_,
                    std::strerror(errno)));
}

void Journal::hello(const Record& record) {
  if (said_ == record.text) return;
  said_ = record.text;
  line(fmt::format("{{\"record\":\"device\",\"device\":{},\"given\":{}}}\n", record.text,
                   quoted(model::print_capabilities(record.can))));
}

void Journal::begin_case(const std::string& name, const Record& record) {
  line(fmt::format("{{\"record\":\"case\",\"case\":{},\"index\":{},\"given\":{}}}\n", quoted(name),
                   record.index, quoted(model::print_setup(record.setup))));
}

void Journal::step(const std::string& case_name, const Record& end, const model::Step& step) {
  if (path_.empty()) return;
  if (quoted_.first != case_name) quoted_ = {case_name, quoted(case_name)};
  std::string& text = text_;
  text = "{\"record\":\"step\",\"case\":";
  text += quoted_.second;
  model::append_number(text += ",\"step\":", end.index);
  model::append_call(text += ",\"call\":\"", step);
  model::append_result(text += "\",\"result\":\"", step);
  text += "\",\"verdict\":\"";
  if (!step.annotations.empty()) model::append_annotation(text, step.annotations.front());
  model::append_number(text += "\",\"inside_ns\":", end.inside_ns);
  model::append_number(text += ",\"elapsed_ns\":", end.elapsed_ns);
  text += end.rebuilt ? ",\"rebuilt\":true" : ",\"rebuilt\":false";
  if (end.process != 0) model::append_number(text += ",\"process\":", end.process);
  if (!end.kernel_warning.empty()) text += ",\"kernel_warning\":" + quoted(end.kernel_warning);
  line(text += "}\n");
}

void Journal::end_case(const Record& record) {
  line(
      fmt::format("{{\"record\":\"case_end\",\"index\":{},\"inside_ns\":{},\"reset_ns\":{},"
                  "\"elapsed_ns\":{}{}}}\n",
                  record.index, record.inside_ns, record.reset_ns, record.elapsed_ns,
                  record.skip_reason.empty() ? "" : ",\"skipped\":" + quoted(record.skip_reason)));
}

void Journal::incident(const Incident& incident) {
  line(fmt::format(
      "{{\"record\":\"incident\",\"case\":{},\"step\":{},\"call\":{},\"verdict\":\"{}\","
      "\"text\":{},\"trace\":{},\"name\":{}}}\n",
      quoted(incident.case_name), incident.step, quoted(incident.call),
      model::kVerdictNames.at(static_cast<std::size_t>(incident.verdict)), quoted(incident.text),
      quoted(incident.trace_file), quoted(incident.name_text())));
  flush();
}

}  // namespace mrproof::conformance
