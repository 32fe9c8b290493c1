#include "conformance/run/agent_host.hpp"
#include "conformance/run/process.hpp"
#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

/// The agent is a child of this process.
class LocalHost : public AgentHost {
 public:
  LocalHost(Channel& channel, std::string path) : AgentHost(channel), path_(std::move(path)) {}

  bool renew() override { return false; }
  [[nodiscard]] std::string name() const override { return "this machine"; }

 private:
  void bring_up() override {
    channel_.answer();
    process_ = start_process({own_program(), "agent", "--channel", path_});
    while (!channel_.waiting() && !wait_for_process(1)) {
    }
    if (process_ <= 0) throw model::ToolError("the agent ended as it began: " + end_text_);
  }
  Ended process_ended() override {
    return {Ended::How::killed, 0, "the worker's agent ended: " + end_text_};
  }

  std::string path_;
};

}  // namespace

std::unique_ptr<Host> make_local_host(Channel& channel, const std::string& channel_path) {
  return std::make_unique<LocalHost>(channel, channel_path);
}

}  // namespace mrproof::conformance
