// A fixture for tests on a real device, which run where MRPROOF_DEVICE names one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "impl/test_calls.hpp"
#include "impl/verbs/verbs_device.hpp"
#include "model/access.hpp"
#include "model/trace/layout.hpp"

namespace mrproof::impl {

using model::Outcome;
using model::Plain;
using model::QpState;
using model::Verb;
using Call = model::Call<Plain>;

constexpr std::uint32_t kAll = model::kLocalWrite | model::kRemoteWrite | model::kRemoteRead;

/// Behaviour that every conforming device has, on the one that MRPROOF_DEVICE names.
class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* name = std::getenv("MRPROOF_DEVICE");
    if (name == nullptr) GTEST_SKIP() << "MRPROOF_DEVICE names no device";
    device_ = open_verbs_device(name);
    device_->reset(model::standard_setup());
  }

  Observation reg(std::uint32_t mr, std::uint32_t access, std::uint32_t pd = 0) {
    Observation seen =
        device_->perform(testing::reg_mr(mr, pd, start_of(mr, model::kBufferSize), access));
    lkey_.at(mr) = seen.result.lkey;
    rkey_.at(mr) = seen.result.rkey;
    return seen;
  }
  Observation dereg(std::uint32_t mr) { return device_->perform(testing::dereg_mr(mr)); }
  [[nodiscard]] bool claims(model::Feature feature) const {
    return model::has<Plain>(device_->capabilities().features, feature).truth();
  }
  Observation alloc_window(std::uint32_t mw, model::WindowType type) {
    return device_->perform(testing::alloc_mw(mw, 0, type));
  }
  /// Binds window `mw` to the first `length` bytes of region 1, through its end's queue pair 1.
  Observation bind(Verb verb, std::uint32_t mw, std::uint64_t length, Plain::Key rkey = {}) {
    return device_->perform(testing::bind(verb, 1, mw, 1, start_of(1, length),
                                          model::kRemoteWrite | model::kRemoteRead, rkey.value()));
  }
  /// A write of 64 bytes from region 0 to buffer 1 by the key, which may be a window's.
  Observation write_by(Plain::Key rkey) {
    Call call = transfer(Verb::rdma_write, 64);
    call.rkey = rkey;
    return device_->perform(call);
  }
  /// From or to region 0, with the far side in region 1.
  [[nodiscard]] Call transfer(Verb verb, std::uint64_t length) const {
    return testing::work(verb, 0, start_of(0, length), rkey_[1].value(), model::buffer_address(1));
  }
  Observation receive(std::uint32_t qp, std::uint64_t length) {
    return device_->perform(testing::work(Verb::post_recv, qp, start_of(1, length)));
  }
  Observation on_pair(Verb verb, std::uint32_t qp) {
    return device_->perform(testing::qp_call(verb, qp));
  }
  /// Bytes at the start of the buffer, by the local key of the region there.
  [[nodiscard]] testing::Range start_of(std::uint32_t mr, std::uint64_t length) const {
    return {lkey_.at(mr).value(), model::buffer_address(mr), length};
  }
  [[nodiscard]] bool same(std::size_t to, std::size_t from, std::size_t length) const {
    const auto a = device_->buffer(to).first(length);
    const auto b = device_->buffer(from).first(length);
    return std::equal(a.begin(), a.end(), b.begin());
  }
  static Outcome receive_outcome(Plain::Small outcome) {
    return static_cast<Outcome>(outcome.value());
  }
  /// The 8 bytes at the start of a buffer, as atomic operations see them.
  [[nodiscard]] std::uint64_t word(std::size_t buffer) const {
    std::uint64_t value = 0;
    std::memcpy(&value, device_->buffer(buffer).data(), sizeof value);
    return value;
  }
  static QpState state(Plain::Small value) { return static_cast<QpState>(value.value()); }

  std::unique_ptr<Device> device_;
  std::array<Plain::Key, Plain::kRegions> lkey_{};
  std::array<Plain::Key, Plain::kRegions> rkey_{};
};

}  // namespace mrproof::impl
