#include "conformance/run/driver_coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

using Json = nlohmann::json;

/// {"rdma_rxe .text": address} by the lines of a guest's init.
std::map<std::string, std::uint64_t> places_in(const std::string& console) {
  constexpr std::string_view kSays = "mrproof: code of ";
  std::map<std::string, std::uint64_t> places;
  std::ifstream in(console);
  for (std::string line; std::getline(in, line);) {
    const auto at = line.find(kSays);
    std::string module, section, address;
    if (at != std::string::npos &&
        std::istringstream(line.substr(at + kSays.size())) >> module >> section >> address)
      places[module + " " + section] = std::strtoull(address.c_str(), nullptr, 16);
  }
  if (places.empty())
    throw model::ToolError(fmt::format(
        "{}: does not tell where the driver's code lies; build the image again", console));
  return places;
}

/// Four instructions in each digit, the first in its highest bit.
std::string as_digits(const std::vector<bool>& bits) {
  std::string text((bits.size() + 3) / 4, '0');
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned digit = 0;
    for (std::size_t bit = 4 * i; bit < std::min(bits.size(), 4 * i + 4); ++bit)
      digit |= bits[bit] ? 8U >> (bit % 4) : 0U;
    text[i] = "0123456789abcdef"[digit];
  }
  return text;
}

int digit_value(char digit) {
  const int value = digit >= 'a' ? digit - 'a' + 10 : digit - '0';
  if (value < 0 || value > 15)
    throw model::ToolError(fmt::format("'{}' is no hexadecimal digit", digit));
  return value;
}

std::vector<bool> from_digits(const std::string& text, std::size_t count) {
  if (text.size() != (count + 3) / 4)
    throw model::ToolError("the driver's coverage is damaged: run again");
  std::vector<bool> bits(count);
  for (std::size_t i = 0; i < count; ++i)
    bits[i] = (static_cast<unsigned>(digit_value(text[i / 4])) & (8U >> (i % 4))) != 0;
  return bits;
}

/// Of "siw_mem.c:12"; "siw_mem.c:?" is line 0.
std::pair<std::string, unsigned> file_and_line(const std::string& place) {
  const auto colon = place.rfind(':');
  return {place.substr(0, colon),
          static_cast<unsigned>(std::strtoul(place.c_str() + colon + 1, nullptr, 10))};
}

}  // namespace

DriverCoverage DriverCoverage::from_json(const Json& json) {
  DriverCoverage coverage;
  for (const Json& f : json) {
    coverage.functions_.push_back(
        {f.at("module"), f.at("file"), f.at("function"),
         from_digits(f.at("map"), f.at("instructions").get<std::size_t>())});
    const Json lines = f.value("lines", Json::object());
    for (const auto& [file, of_file] : lines.items())
      for (const bool reached : {false, true})
        for (const unsigned line : of_file.at(reached ? "reached" : "missed"))
          coverage.functions_.back().lines[{file, line}] = reached;
  }
  return coverage;
}

nlohmann::ordered_json DriverCoverage::to_json() const {
  auto json = nlohmann::ordered_json::array();
  for (const auto& f : functions_) {
    json.push_back({{"module", f.module},
                    {"file", f.file},
                    {"function", f.name},
                    {"instructions", f.reached.size()},
                    {"reached", std::count(f.reached.begin(), f.reached.end(), true)},
                    {"map", as_digits(f.reached)}});
    for (const auto& [place, reached] : f.lines) {
      auto& of_file = json.back()["lines"][place.first];
      if (of_file.is_null()) of_file = {{"reached", Json::array()}, {"missed", Json::array()}};
      of_file[reached ? "reached" : "missed"].push_back(place.second);
    }
  }
  return json;
}

void DriverCoverage::expect_same_code(const DriverCoverage& other) const {
  const bool same =
      std::equal(functions_.begin(), functions_.end(), other.functions_.begin(),
                 other.functions_.end(), [](const auto& one, const auto& two) {
                   return one.name == two.name && one.reached.size() == two.reached.size();
                 });
  if (!same)
    throw model::ToolError("what was reached is of another driver; compare runs of one image");
}

void DriverCoverage::add(const DriverCoverage& other) {
  expect_same_code(other);
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    auto& mine = functions_[i].reached;
    const auto& theirs = other.functions_[i].reached;
    std::transform(mine.begin(), mine.end(), theirs.begin(), mine.begin(), std::logical_or{});
    for (const auto& [place, reached] : other.functions_[i].lines)
      functions_[i].lines[place] |= reached;
  }
}

void DriverCoverage::remove(const DriverCoverage& other) {
  expect_same_code(other);
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    auto& mine = functions_[i].reached;
    const auto& theirs = other.functions_[i].reached;
    std::transform(mine.begin(), mine.end(), theirs.begin(), mine.begin(), std::greater{});
  }
}

std::size_t DriverCoverage::count() const {
  std::size_t all = 0;
  for (const auto& f : functions_)
    all += static_cast<std::size_t>(std::count(f.reached.begin(), f.reached.end(), true));
  return all;
}

CodeLog::CodeLog(const std::string& image) {
  const std::string file = image + "/code.json";
  std::ifstream in(file);
  try {
    for (const Json code = Json::parse(in); const Json& module : code.at("modules"))
      for (const Json& f : module.at("functions")) {
        Place place{f.at("section"), {}, {}};
        std::uint64_t at = f.at("start");
        for (const char digit : f.at("lengths").get<std::string>()) {
          place.instructions.push_back(at);
          at += static_cast<std::uint64_t>(digit_value(digit));
        }
        none_.functions_.push_back({module.at("name"), f.at("file"), f.at("name"),
                                    std::vector<bool>(place.instructions.size())});
        for (const std::size_t line : f.value("lines", Json::array())) {
          place.lines.push_back(file_and_line(module.at("places").at(line)));
          none_.functions_.back().lines[place.lines.back()] = false;
        }
        places_.push_back(std::move(place));
      }
  } catch (const Json::exception& error) {
    throw model::ToolError(
        fmt::format("{}: cannot be read ({}); build the image again", file, error.what()));
  }
  reached_ = none_;
}

void CodeLog::place(const std::string& console) {
  if (console == console_) return;
  const auto bases = places_in(console);
  at_.clear();
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto base = bases.find(none_.functions_[i].module + " " + places_[i].section);
    if (base == bases.end()) continue;  // of a module that is part of the kernel itself
    for (std::size_t at = 0; at < places_[i].instructions.size(); ++at)
      at_[base->second + places_[i].instructions[at]] = {i, at};
  }
  console_ = console;
}

void CodeLog::read(const std::string& log, const std::string& console) {
  place(console);
  std::ifstream in(log);
  if (!in || !in.seekg(static_cast<std::streamoff>(read_)))
    throw model::ToolError(fmt::format("{}: QEMU has not written what it translated", log));
  for (std::string line; std::getline(in, line) && !in.eof();) {
    read_ += line.size() + 1;
    if (!line.starts_with("0x")) continue;
    const auto found = at_.find(std::strtoull(line.c_str(), nullptr, 16));
    if (found == at_.end()) continue;
    const auto [number, at] = found->second;
    auto& function = reached_.functions_[number];
    function.reached[at] = true;
    if (const auto& lines = places_[number].lines; !lines.empty())
      function.lines[lines.at(at)] = true;
  }
}

DriverCoverage CodeLog::take() { return std::exchange(reached_, none_); }

}  // namespace mrproof::conformance
