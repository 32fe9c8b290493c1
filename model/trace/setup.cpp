#include "model/trace/setup.hpp"

#include "model/trace/layout.hpp"

namespace mrproof::model {

static_assert(kBufferCount == Plain::kBuffers);

State<Plain> initial_state(
    const Setup& setup, const Capabilities<Plain>& can, std::uint32_t defined) {
  State<Plain> state;
  state.can = can;
  state.defined = Plain::flags(defined);
  for (std::size_t i = 0; i < setup.pd.size(); ++i)
    state.pds.change(i, [&](auto& pd) { pd.live = Bit(setup.pd.at(i)); });
  state.process = setup.process;
  state.two_devices = setup.hosts;
  state.wide = true;
  for (std::size_t i = 0; i < setup.qp_pd.size(); ++i) {
    if (setup.qp_pd.at(i) == Setup::kAbsent) continue;
    state.qps.change(i, [&](auto& qp) {
      qp.live = Bit(true);
      qp.pd = Plain::slot(setup.qp_pd.at(i));
      qp.state = Plain::small(QpState::rts);
      qp.access = Plain::flags(kPairRights);
    });
  }
  for (std::size_t i = 0; i < kBufferCount; ++i) {
    state.buffers.at(i).first = Plain::address(buffer_address(i));
    state.buffers.at(i).last = Plain::address(buffer_address(i) + buffer_size(i) - 1);
  }
  return state;
}

}  // namespace mrproof::model
