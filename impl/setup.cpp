#include "impl/setup.hpp"

#include "impl/layout.hpp"

namespace mrproof {

static_assert(kBufferCount == model::Plain::kBuffers);

model::State<model::Plain> initial_state(const Setup& setup,
                                         const model::Capabilities<model::Plain>& can,
                                         std::uint32_t defined) {
  model::State<model::Plain> state;
  state.can = can;
  state.defined = model::Plain::flags(defined);
  for (std::size_t i = 0; i < setup.pd.size(); ++i)
    state.pds.at(i).live = model::Bit(setup.pd.at(i));
  state.process = setup.process;
  for (std::size_t i = 0; i < setup.qp_pd.size(); ++i) {
    if (setup.qp_pd.at(i) == Setup::kAbsent) continue;
    auto& qp = state.qps.at(i);
    qp.live = model::Bit(true);
    qp.pd = model::Plain::small(setup.qp_pd.at(i));
    qp.state = model::Plain::small(model::QpState::rts);
  }
  for (std::size_t i = 0; i < kBufferCount; ++i) {
    state.buffers.at(i).first = model::Plain::address(buffer_address(i));
    state.buffers.at(i).last = model::Plain::address(buffer_address(i) + buffer_size(i) - 1);
  }
  return state;
}

}  // namespace mrproof
