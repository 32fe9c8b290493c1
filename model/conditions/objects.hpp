// Conditions on protection domains, registration and deregistration.
#pragma once

#include "model/regions.hpp"

namespace mrproof::model {

// ---- what the caller must not do (duties) ----

template <class D>
inline constexpr Condition<D> pd_slot_free{
    "pd_slot_free", "the handle names no live PD", "trace format: one handle, one object",
    About::situation, [](const View<D>& v) { return !v.state.pds.at(v.call.pd).live; }};

template <class D>
inline constexpr Condition<D> pd_live{
    "pd_live", "the PD has been allocated and not deallocated", "ibv_alloc_pd(3), DESCRIPTION",
    About::situation, [](const View<D>& v) { return v.state.pds.at(v.call.pd).live; }};

template <class D>
inline constexpr Condition<D> mr_slot_free{
    "mr_slot_free", "the handle names no live MR", "trace format: one handle, one object",
    About::situation, [](const View<D>& v) { return !v.state.regions.at(v.call.mr).live; }};

template <class D>
inline constexpr Condition<D> mr_live{
    "mr_live", "the MR has been registered and not deregistered", "ibv_reg_mr(3), DESCRIPTION",
    About::situation, [](const View<D>& v) { return v.state.regions.at(v.call.mr).live; }};

template <class D>
inline constexpr Condition<D> store_in_buffer{
    "store_in_buffer", "the bytes stored lie in one buffer", "C: storing elsewhere is undefined",
    About::situation, [](const View<D>& v) {
      return any<D>(v.state.buffers, [&](const Buffer<D>& b) {
        return within<D>(v.call.address, v.call.length, b.first, b.last);
      });
    }};

// ---- situation ----

template <class D>
inline constexpr Condition<D> pd_unused{
    "pd_unused", "no MR or QP belongs to the PD", "ibv_alloc_pd(3), NOTES", About::situation,
    [](const View<D>& v) {
      const auto pd = D::small(v.call.pd);
      return all<D>(v.state.regions, [&](const Region<D>& r) { return !(r.live & (r.pd == pd)); }) &
             all<D>(v.state.qps, [&](const QueuePair<D>& q) { return !(q.live & (q.pd == pd)); });
    }};

template <class D>
inline constexpr Condition<D> remote_write_has_local_write{
    "remote_write_has_local_write", "LOCAL_WRITE is set if REMOTE_WRITE or REMOTE_ATOMIC is",
    "ibv_reg_mr(3), DESCRIPTION", About::situation, [](const View<D>& v) {
      return implies(has_any<D>(v.call.access, kRemoteWrite | kRemoteAtomic),
                     has<D>(v.call.access, kLocalWrite));
    }};

template <class D>
inline constexpr Condition<D> memory_mapped{
    "memory_mapped", "all bytes of the range are mapped memory of the process (or none are asked)",
    "architecture: register memory region, invalid virtual address or length", About::situation,
    [](const View<D>& v) {
      return (v.call.length == D::address(0)) | any<D>(v.state.buffers, [&](const Buffer<D>& b) {
               return within<D>(v.call.address, v.call.length, b.first, b.last);
             });
    }};

template <class D>
inline constexpr Condition<D> paged_on_demand{
    "paged_on_demand", "the region is paged on demand, so memory need not be there yet",
    "ibv_reg_mr(3), IBV_ACCESS_ON_DEMAND", About::situation,
    [](const View<D>& v) { return has<D>(v.call.access, kOnDemand); }};

template <class D>
inline constexpr Condition<D> length_zero{
    "length_zero", "the region would have no bytes", "gap: ibv_reg_mr(3) does not say",
    About::situation, [](const View<D>& v) { return v.call.length == D::address(0); }};

template <class D>
inline constexpr Condition<D> access_bits_defined{
    "access_bits_defined", "every access bit set has a meaning",
    "ibv_reg_mr(3), DESCRIPTION: either 0 or the bitwise OR of the flags", About::situation,
    [](const View<D>& v) { return !has_any<D>(v.call.access, ~kDefinedAccess); }};

template <class D>
inline constexpr Condition<D> hugetlb_with_on_demand{
    "hugetlb_with_on_demand", "HUGETLB comes only with explicit ON_DEMAND",
    "ibv_reg_mr(3), IBV_ACCESS_HUGETLB", About::situation, [](const View<D>& v) {
      return implies(has<D>(v.call.access, kHugetlb), has<D>(v.call.access, kOnDemand));
    }};

template <class D>
inline constexpr Condition<D> features_available{
    "features_available",
    "every optional feature asked for is claimed by the device or has been granted before",
    "ibv_reg_mr(3), \"if supported\"; ibv_query_device_ex(3)", About::situation,
    [](const View<D>& v) {
      const auto available = v.state.can.claimed | v.state.proven;
      return ((v.call.access & D::flags(kFeatureFlags)) & ~available) == D::flags(0);
    }};

// ---- observation ----

template <class D>
inline constexpr Condition<D> keys_distinct{
    "keys_distinct",
    "no other live region has this lkey, nor this rkey if either of the two grants remote access",
    "ibv_reg_mr(3), RETURN VALUE: the key is how a region is named", About::observation,
    [](const View<D>& v) {
      const auto remote = has_any<D>(v.call.access, kRemoteRights);
      return all<D>(v.state.regions, [&](const Region<D>& r) {
        const auto either_remote = remote | has_any<D>(r.access, kRemoteRights);
        return implies(r.live,
                       (r.lkey != v.result.lkey) & implies(either_remote, r.rkey != v.result.rkey));
      });
    }};

template <class D>
inline constexpr Condition<D> errno_value{
    "errno_value", "the failure is reported as a positive errno value",
    "ibv_dereg_mr(3), ibv_alloc_pd(3), ibv_post_send(3), RETURN VALUE", About::observation,
    [](const View<D>& v) {
      return (v.result.error != D::key(0)) & (v.result.error < D::key(4096));
    }};

template <class D>
inline constexpr Condition<D> errno_set{
    "errno_set", "errno says why NULL was returned", "ibv_reg_mr(3), ibv_alloc_pd(3), RETURN VALUE",
    About::observation, [](const View<D>& v) {
      return (v.result.error != D::key(0)) & (v.result.error < D::key(4096));
    }};

template <class D>
inline constexpr Condition<D> errno_of_resources{
    "errno_of_resources", "the errno says that resources ran out (ENOMEM or EAGAIN)",
    "ibv_reg_mr(3), ibv_alloc_pd(3), ibv_post_send(3), RETURN VALUE; errno(3)", About::observation,
    [](const View<D>& v) {
      return (v.result.error == D::key(12)) | (v.result.error == D::key(11));
    }};

}  // namespace mrproof::model
