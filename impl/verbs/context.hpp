// A context of a device and all objects made in it: what a process has for itself.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "impl/buffers.hpp"
#include "impl/slots.hpp"
#include "impl/verbs/dma_buf.hpp"
#include "impl/verbs/options.hpp"
#include "impl/verbs/port.hpp"
#include "impl/verbs/process.hpp"
#include "impl/verbs/queue_pair.hpp"
#include "impl/verbs/rdma_netlink.hpp"
#include "impl/verbs/request.hpp"
#include "impl/verbs/threads.hpp"
#include "model/trace/trace.hpp"

namespace mrproof::impl {

/// This process's context of a device, and its objects in slots, as the model numbers them.
class Context final : public Process {
 public:
  /// Opens the device; throws DeviceError as open_port(). Sets the timer slack of the calling
  /// thread to its least (PR_SET_TIMERSLACK in prctl(2)), or the short sleeps between looks for a
  /// completion would each take 50 us longer. `buffers` are this process's, and outlive it.
  Context(const std::string& name, const VerbsOptions& options, Buffers& buffers);
  /// Destroys all objects, as far as the device allows it.
  ~Context() override;

  Answer carry_out(const Order& order) override;
  [[nodiscard]] const Port& port() const { return port_; }
  /// What was in the region that the call of that label deregistered, in a thread, as soon as the
  /// call had returned. Nothing if it was refused, if pages were protected, or if not all of the
  /// region is in one of the buffers. Valid from the return until a call begins with that label.
  [[nodiscard]] const model::ByteRun& at_return(std::uint8_t label) const {
    return at_return_.at(label);
  }

 private:
  using Call = model::Call<model::Plain>;
  using Result = model::Result<model::Plain>;

  // context.cpp
  void make_call(const Call& call, Answer& answer);
  void begin(const Call& call);
  [[nodiscard]] std::span<const std::byte> bytes_of(std::uint32_t mr);
  void note_state(const Call& call, Answer& answer);
  void perform(const Call& call, Result& result);
  void alloc_pd(const Call& call, Result& result);
  void dealloc_pd(const Call& call, Result& result);
  void query_qp(const Call& call, Answer& answer);
  void modify_qp(const Call& call, Result& result);
  void destroy_qp(const Call& call, Result& result);
  void give_pd(std::uint32_t pd, Answer& answer);
  void release_pd(std::uint32_t pd);
  void release_objects();
  void release_qp(std::uint32_t qp, bool wholly);
  void make_qp(const Order& order, Answer& answer);
  void advance(const Order& order, Answer& answer);
  void begin_by_cm(const Order& order, Answer& answer);
  void take_queues(std::uint32_t qp, std::uint32_t pd);
  [[nodiscard]] ibv_pd* domain(std::uint32_t pd) const;
  QpEnd& end_of(std::uint32_t qp);

  // regions.cpp
  void register_region(const Call& call, Result& result);
  void rereg_mr(const Call& call, Result& result);
  void dereg_mr(const Call& call, Result& result);
  void advise_mr(const Call& call, Result& result);
  void alloc_mw(const Call& call, Result& result);
  void dealloc_mw(const Call& call, Result& result);
  ibv_mr*& region(std::uint32_t mr);
  ibv_mw*& window(std::uint32_t mw);

  // work_requests.cpp
  void post_recv(const Call& call, Result& result);
  void request(const Call& call, Answer& answer);
  void bind_mw(const Call& call, Answer& answer);
  void post_bind_mw(const Call& call, Answer& answer);
  [[nodiscard]] ibv_mw_bind_info bind_info(const Call& call);
  void post(const Call& call, Request& request, Answer& answer);
  void complete(const Call& call, Answer& answer);
  void come_first(bool wanted);
  int post_list(QpEnd& own, ibv_send_wr* last, ibv_send_wr*& bad);
  void note_posted(const Call& call, std::uint64_t id, Answer& answer);
  void come_first_in_flight();
  void await_unsignaled(QpEnd& own, const Request& request, Answer& answer);
  void await_request(const Call& call, const Request& request, Answer& answer);
  void take_receive(QpEnd& end, bool wait, const Delivery& expected, Answer& answer);
  [[nodiscard]] model::QpState leave_rts(QpEnd& end, bool must_fail) const;
  void settle(QpEnd& end, bool must_fail, Answer& answer);
  void await_end(QpEnd& end, Answer& answer);
  std::uint64_t post_empty(QpEnd& end);
  void answers(QpEnd& end, Answer& answer);
  bool read_nothing(QpEnd& end);
  bool send_nothing(QpEnd& end);

  const VerbsOptions options_;
  Buffers& buffers_;
  Port port_;
  OwnHoldings holdings_;
  DmaBuf dma_buf_;
  std::uint64_t next_id_ = 1;  ///< of work requests; never used twice
  /// A request in flight.
  struct Posted {
    std::uint64_t id = 0;  ///< 0: none
    std::uint32_t qp = 0;
  };
  std::array<Posted, model::kMostLabels + 1> in_flight_{};  ///< by label
  bool comes_first_ = false;                                ///< before the driver's threads
  std::vector<std::unique_ptr<Request>> list_;  ///< requests to be posted with the next one
  Slots<ibv_pd*> pds_;
  Slots<ibv_mr*> regions_;
  Slots<ibv_mw*> windows_;
  std::array<QpEnd, model::Plain::kQps> ends_{};
  std::array<QpEnd, model::Plain::kQps> coming_{};  ///< made, and not yet in their places
  std::vector<ibv_mw*> stuck_windows_;              ///< that the device refused to destroy
  std::vector<ibv_mr*> stuck_regions_;
  std::vector<ibv_pd*> stuck_domains_;
  std::mutex ends_mutex_;  ///< of what a thread changes in ends_ that another one looks at
  std::array<model::ByteRun, model::kMostLabels + 1> at_return_;  ///< by label
  Threads threads_;
};

}  // namespace mrproof::impl
