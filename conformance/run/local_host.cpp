#include "conformance/run/agent_host.hpp"
#include "conformance/run/process.hpp"
#include "impl/own_program.hpp"
#include "model/trace/tool_error.hpp"

namespace mrproof::conformance {
namespace {

/// The agent is a child of this process.
class LocalHost : public AgentHost {
 public:
  LocalHost(Channel& channel, std::string path) : AgentHost(channel), path_(std::move(path)) {}

  /// The worker has to be gone, and the channel's memory with it: reports are written where it was.
  ~LocalHost() override {
    channel_.header().shut_down.store(1);
    channel_.answer();
    while (!wait_for_process(1) && waited_++ < kMostWait) channel_.answer();
  }

  bool renew() override { return false; }
  [[nodiscard]] std::string name() const override { return "this machine"; }

 private:
  void bring_up() override {
    channel_.answer();
    process_ = start_process({impl::own_program(), "agent", "--channel", path_});
    while (!channel_.waiting() && !wait_for_process(1)) {
    }
    if (process_ <= 0) throw model::ToolError("the agent ended as it began: " + end_text_);
  }
  Ended process_ended() override {
    return {Ended::How::killed, 0, "the worker's agent ended: " + end_text_};
  }

  static constexpr int kMostWait = 2000;  ///< ms; then it is killed
  std::string path_;
  int waited_ = 0;
};

}  // namespace

std::unique_ptr<Host> make_local_host(Channel& channel, const std::string& channel_path) {
  return std::make_unique<LocalHost>(channel, channel_path);
}

}  // namespace mrproof::conformance
