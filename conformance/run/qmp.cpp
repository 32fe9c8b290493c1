#include "conformance/run/qmp.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {

using nlohmann::json;

namespace {

/// Seconds that an answer may take on a busy machine.
constexpr int kLimit = 120;

}  // namespace

Qmp::~Qmp() { close(socket_); }

void Qmp::send(const std::string& command, const json& arguments) {
  json request{{"execute", command}, {"id", ++sent_}};
  if (!arguments.empty()) request["arguments"] = arguments;
  const std::string line = request.dump() + "\n";
  answer_.clear();
  if (::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) < 0) open_ = false;
}

void Qmp::greet(bool goes_on) {
  send("qmp_capabilities", json::object());
  if (goes_on) go_on();
}

void Qmp::go_on() {
  send("cont", json::object());
  go_on_ = sent_;
  stopped_ = false;
}

json Qmp::execute(const std::string& command, const json& arguments) {
  send(command, arguments);
  for (int seconds = 0; seconds < kLimit && answer_.empty() && open_; ++seconds) take_in(1000);
  if (answer_.empty())
    throw model::ToolError(
        fmt::format("QEMU {} '{}'", open_ ? "does not answer to" : "ended at", command));
  const json answer = json::parse(answer_);
  if (answer.contains("error"))
    throw model::ToolError(fmt::format("QEMU refuses '{}': {}", command,
                                       answer["error"].value("desc", "no reason given")));
  return answer.at("return");
}

void Qmp::execute(const std::string& command) { execute(command, json::object()); }

bool Qmp::is_stopped() {
  take_in(0);
  return stopped_;
}

void Qmp::take_in(int wait_ms) {
  pollfd ready{socket_, POLLIN, 0};
  while (open_ && poll(&ready, 1, wait_ms) > 0) {
    char bytes[4096];
    const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
    if (size <= 0) {
      open_ = false;
      return;
    }
    text_.append(bytes, static_cast<std::size_t>(size));
    for (std::size_t end; (end = text_.find('\n')) != std::string::npos; text_.erase(0, end + 1))
      take(text_.substr(0, end));
    wait_ms = 0;
  }
}

void Qmp::take(const std::string& line) {
  const json message = json::parse(line, nullptr, false);
  if (!message.is_object()) return;
  if (message.value("id", 0) == sent_) answer_ = line;
  if (message.value("id", 0) == go_on_ && message.contains("error")) stopped_ = true;
  const std::string event = message.value("event", "");
  if (event == "STOP") stopped_ = true;
  if (event == "RESUME") stopped_ = false;
}

}  // namespace mrproof::conformance
