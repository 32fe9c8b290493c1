// What the hosts share: their worker is started and watched by an agent (agent.cpp) at the other
// end of the channel, which asks for one request after the other.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "conformance/run/host.hpp"

namespace mrproof::conformance {

/// A host whose agent runs in a process of this machine, or in a machine that is one.
class AgentHost : public Host {
 public:
  void start() final;
  std::optional<Ended> ended() final;
  bool renew() override;

 protected:
  explicit AgentHost(Channel& channel) : channel_(channel) {}
  ~AgentHost() override { AgentHost::renew(); }

  /// Starts the process, and returns when its agent waits for a request, or has one already.
  virtual void bring_up() = 0;
  /// Whether whoever waits has come to a stop.
  virtual bool stands_still() { return true; }
  /// Lets the machine go on that stands still.
  virtual void resume() {}
  /// What the process's end means, if the worker's was not seen before.
  virtual Ended process_ended() = 0;
  /// How it ended, if it is given up without an end.
  virtual std::optional<Ended> lost() { return std::nullopt; }
  /// Whether the process has ended, waiting at most so long; `end_text_` says how.
  bool wait_for_process(int limit_ms);

  Channel& channel_;
  pid_t process_ = -1;
  std::string end_text_;

 private:
  void go_on();
  Ended as_watched();
};

}  // namespace mrproof::conformance
