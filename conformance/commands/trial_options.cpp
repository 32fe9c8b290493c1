#include "conformance/commands/trial_options.hpp"

#include <cstdlib>
#include <limits>

#include "conformance/commands/validators.hpp"
#include "impl/verbs/dma_buf.hpp"

namespace mrproof::conformance {

namespace {

/// Where the other end of the connections is, if it is elsewhere.
void add_peer_options(CLI::App& command, CLI::Option* target, MachineOptions& machine) {
  command
      .add_option("--peer", machine.peer_host,
                  "the other end of the connections is on another host, HOST[:DEVICE], where ssh "
                  "starts 'mrproof peer' (by hand: see there)")
      ->excludes(target)
      ->check(kNotEmpty);
  command
      .add_option("--peer-target", machine.peer,
                  "the other end of the connections is in a second virtual machine, of this image "
                  "folder, joined by a network; both have this machine's time")
      ->needs(target)
      ->check(kNotEmpty);
}

}  // namespace

CLI::Option* add_dmabuf_option(CLI::App& command) {
  return command
      .add_option_function<std::string>(
          "--dmabuf-from",
          [](const std::string& socket) { setenv(impl::DmaBuf::kSource, socket.c_str(), 1); },
          "dma-buf to be registered, of a GPU's memory perhaps: a socket (unix(7), of streams) "
          "where a program sends its descriptor with one byte (default: one of udmabuf)")
      ->check(kNotEmpty);
}

void add_device_options(CLI::App& command, property_tests::Plan& plan, SessionOptions& session) {
  command.add_option(
      "--device", plan.device,
      "device as libibverbs names it, or sim[@SET][:FAULT] (default: the only one); "
      "suffixes @uverbs: re-registration by the kernel's own ABI, @fork: ibv_fork_init(3), "
      "@two-processes: initiator and responder in one each, @lossy: packets are lost on their "
      "way, @huge: the buffers are parts of huge pages, @port=N, @gid=N: that port, and that entry "
      "of its GID table, @ack-timeout=N, @wait=SECONDS: how patient connections and the harness "
      "are; joined by +: @uverbs+fork");
  auto* target =
      command
          .add_option("--target", session.machine.target,
                      "run in the virtual machine of this image folder (ci/build-target)")
          ->check(kNotEmpty);
  add_peer_options(command, target, session.machine);
  add_dmabuf_option(command)->excludes(target);
  command
      .add_option("--kernel-argument", session.machine.kernel_arguments,
                  "argument for the virtual machine's kernel (may be repeated)")
      ->needs(target);
  command
      .add_option("--guest-seed", session.machine.seed,
                  "what is random in an emulated virtual machine starts from it")
      ->capture_default_str()
      ->transform(whole_number(0, std::numeric_limits<std::uint32_t>::max()))
      ->needs(target);
  command
      .add_option("--guest-processors", session.machine.processors,
                  "how many an emulated virtual machine has; 0: as many as its emulator can repeat")
      ->capture_default_str()
      ->check(CLI::Range(0U, 64U))
      ->needs(target);
  command
      .add_flag(
          "--preempt", session.machine.preempt,
          "make races likelier: the virtual machine's kernel can be preempted nearly anywhere, "
          "and the calls move from processor to processor")
      ->needs(target);
  command
      .add_option("--wire", session.machine.wire,
                  "packets of the virtual machine's device go over a wire that loses, repeats, "
                  "delays or damages them, in the words of tc-netem(8): 'loss 5% duplicate 2%'")
      ->check(kWire)
      ->needs(target);
  command
      .add_flag("!--no-repeat", session.machine.repeats,
                "an emulated virtual machine of two processors, whose time is this machine's: what "
                "it does is not the same each time")
      ->needs(target);
  command
      .add_option("--step-limit", session.step_limit,
                  "seconds without a sign of life that count as a hang")
      ->capture_default_str()
      ->check(kPositive);
}

void take_guest(const CLI::App& command, const model::Trace& trace, MachineOptions& machine) {
  if (!trace.guest) return;
  if (command.count("--guest-seed") == 0) machine.seed = trace.guest->seed;
  if (command.count("--guest-processors") == 0) machine.processors = trace.guest->processors;
  machine.preempt = machine.preempt || trace.guest->preempt;
  if (machine.wire.empty()) machine.wire = trace.guest->wire;
}

void add_trial_options(CLI::App& command, TrialOptions& options) {
  auto& plan = options.plan;
  command.add_option("trace", plan.trace_file, "trace file (.mrt)")->required();
  plan.dialect.clear();
  command.add_option("--dialect", plan.dialect, "rule set (default: the trace's)");
  add_device_options(command, plan, options.session);
}

}  // namespace mrproof::conformance
