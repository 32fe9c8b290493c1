// For tests: what a program does, event after event, and what the judge says.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "conformance/watch/judge.hpp"

namespace mrproof::watch {

inline constexpr std::uint64_t kWrite = 1, kRemoteWrite = 2, kRemoteRead = 4;
// enum ibv_wr_opcode, ibv_wc_status, ibv_qp_state; of ibv_qp_attr_mask.
inline constexpr std::uint64_t kOpWrite = 0, kOpRead = 4, kSignaled = 2, kInline = 8;
inline constexpr std::uint64_t kSuccess = 0, kReceived = 128, kLocProt = 4, kFlushed = 5,
                               kRemAccess = 10, kRetryExc = 12;
inline constexpr std::uint64_t kInit = 1, kRtr = 2, kRts = 3, kState = 1, kAccess = 8,
                               kPeer = 1U << 20U, kPath = 1U << 7U;

using Words = std::array<std::uint64_t, 8>;

/// A program of one process, event after event: a device, two PDs, two connected queue pairs.
class WatchJudge : public testing::Test {
 protected:
  void SetUp() override {
    call(Kind::open_device, 1, {'d'});
    call(Kind::alloc_pd, 10, {1});
    call(Kind::alloc_pd, 11, {1});
    for (const std::uint64_t qp : {20U, 21U}) call(Kind::create_qp, qp, {10, qp, 2, 30, 30});
    const auto mask = kState | kAccess | kPeer | kPath;
    for (const std::uint64_t state : {kInit, kRtr, kRts})
      for (const std::uint64_t qp : {20U, 21U})
        call(Kind::modify_qp, qp, {mask, state | rights << 32U, qp ^ 1U, 9, 9, 9, 9, time});
  }
  void call(Kind kind, std::uint64_t object, const Words& words, int result = 0,
            const std::vector<Words>& elements = {}) {
    Event event{{++time, kind, 0, result, object, 0x1000 + time, words}, {}, true, 7, 7};
    for (const auto& element : elements)
      event.parts.push_back({time, Kind::element, 0, 0, object, 0, element});
    judge.take(event);
  }
  /// Keys are ten times the region's number.
  void reg(std::uint64_t mr, std::uint64_t access, std::uint64_t pd = 10) {
    const std::uint64_t key = 10 * mr;
    call(Kind::reg_mr, mr, {pd, 0x10000, 4096, 0x10000, key | key << 32U, access});
  }
  void dereg(std::uint64_t mr) { call(Kind::dereg_mr, mr, {}); }
  void post(std::uint64_t opcode, std::uint64_t length, std::uint64_t lkey, std::uint64_t rkey,
            std::uint64_t remote = 0x10000) {
    call(Kind::post_send, 20, {++id, opcode | kSignaled << 32U, remote, rkey}, 0,
         {{0x10000, length, lkey}});
  }
  void receive(std::uint64_t length, std::uint64_t lkey) {
    call(Kind::post_recv, 20, {++id}, 0, {{0x10000, length, lkey}});
  }
  void complete(std::uint64_t status) { call(Kind::completion, 30, {id, status, 20}); }
  [[nodiscard]] std::vector<std::string> told() const {
    std::vector<std::string> names;
    for (const auto& f : judge.findings())
      names.push_back((f.whose == Whose::program ? "program " : "provider ") + f.name);
    return names;
  }

  std::uint64_t time = 0, id = 0, rights = kRemoteWrite | kRemoteRead;
  Judge judge{[](std::uint32_t, std::uint64_t place) { return std::to_string(place); }};
};

using Names = std::vector<std::string>;

}  // namespace mrproof::watch
