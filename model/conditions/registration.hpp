// Conditions on what a region is asked to be, by registration or re-registration.
#pragma once

#include "model/conditions/objects.hpp"

namespace mrproof::model {

/// Size of the dma-buf that reg_dmabuf_mr registers parts of.
inline constexpr std::uint64_t kDmabufSize = 8192;
/// Flags that ibv_reg_dmabuf_mr() takes (ibv_reg_mr(3), DESCRIPTION).
inline constexpr std::uint32_t kDmabufAccess =
    kLocalWrite | kRemoteWrite | kRemoteRead | kRemoteAtomic | kRelaxedOrdering;

/// What a region is to be after the call: of a re-registration, the old region where no flag says
/// otherwise.
template <class D> struct Asked {
  typename D::Flags access;
  typename D::Address address, length;  ///< of memory
  typename D::Address first;            ///< as keys address it
  typename D::Bit moves;  ///< memory is to be looked at: it is not the region's own already
};

/// What the call asks the region to be.
template <class D> constexpr Asked<D> asked(const View<D>& v) {
  const auto& c = v.call;
  const auto access = c.access & v.state.defined;
  if (c.verb == Verb::rereg_mr) {
    const auto& r = v.region();
    const auto size = D::select(r.empty, D::address(0), r.last - r.first + 1);
    const auto moves = has<D>(c.flags, kChangeTranslation);
    return {D::select(has<D>(c.flags, kChangeAccess), access, r.access),
        D::select(moves, c.address, r.memory), D::select(moves, c.length, size),
        D::select(moves, c.address, r.first), moves};
  }
  const auto begins = c.verb == Verb::reg_mr ? c.address : c.iova;
  return {access, c.address, c.length, D::select(has<D>(access, kZeroBased), D::address(0), begins),
      D::bit(true)};
}
/// Whether the region is to be made of the program's own memory.
template <class D> constexpr auto of_buffers(const View<D>& v) {
  return (v.call.verb != Verb::reg_dmabuf_mr) & !has<D>(asked(v).access, kAllocateMr);
}
/// Whether it is to be made of memory that is there and that nobody looks at.
template <class D> constexpr auto of_wide_memory(const View<D>& v) {
  auto inside = D::bit(false);
  if (v.state.wide && v.call.verb != Verb::reg_dmabuf_mr)
    inside = within<D>(asked(v).address, asked(v).length, D::address(kWideMemory),
        D::address(kWideMemory + kWideSize - 1));
  return inside;
}
/// Whether all of memory is asked for, paged on demand.
template <class D> constexpr auto is_implicit(const Asked<D>& a) {
  return has<D>(a.access, kOnDemand) & (a.address == 0) & (a.length == ~D::address(0));
}
/// Whether all bytes that the region is to have are there now.
template <class D> constexpr auto there_now(const View<D>& v, bool writable) {
  const auto a = asked(v);
  const auto nothing = (a.length == 0) | !a.moves;
  if (v.call.verb == Verb::reg_dmabuf_mr)
    return nothing | within<D>(a.address, a.length, D::address(0), D::address(kDmabufSize - 1));
  const auto unseen = (!of_buffers(v)) | of_wide_memory(v);
  return nothing | unseen | paged_in(v.state, a.address, a.length, writable);
}
/// Whether LOCAL_WRITE is there where one of the other rights to write is.
template <class D>
constexpr auto writes_locally_too(typename D::Flags wanted, typename D::Flags there) {
  return implies(has_any<D>(wanted, kRemoteWrite | kRemoteAtomic), has<D>(there, kLocalWrite));
}
/// Whether a range of that length that begins there does not wrap around.
template <class D> constexpr auto straight(typename D::Address first, typename D::Address length) {
  return (length == 0) | (first <= first + length - 1);
}

// What makes a registration sound.
MRPROOF_SITUATION(remote_write_has_local_write,
    "LOCAL_WRITE is set if REMOTE_WRITE or REMOTE_ATOMIC is",
    "reg_mr.remote_write_needs_local_write",
    writes_locally_too<D>(asked(v).access, asked(v).access));
MRPROOF_SITUATION(memory_mapped,
    "all bytes of the range are mapped memory of the process, or the region is paged on demand",
    "reg_mr.range reg_mr.dmabuf_range", has<D>(asked(v).access, kOnDemand) | there_now(v, false));
MRPROOF_SITUATION(memory_writable,
    "memory that LOCAL_WRITE is asked for can be written by the process",
    "reg_mr.local_write memory.read_only",
    has<D>(asked(v).access, kOnDemand) | (!has<D>(asked(v).access, kLocalWrite)) |
        there_now(v, true) | !there_now(v, false));
MRPROOF_SITUATION(memory_there_now,
    "memory that is paged on demand, or that windows may open, is there and writable already",
    "gap.memory_not_there gap.implicit_odp_near_miss",
    implies(has_any<D>(asked(v).access, kOnDemand | kMwBind), there_now(v, true)));
MRPROOF_SITUATION(
    length_zero, "the region would have no bytes", "gap.length_zero", asked(v).length == 0);
MRPROOF_SITUATION(access_bits_defined, "every access bit set has a meaning",
    "reg_mr.access_known gap.undefined_access_bits", (v.call.access & ~v.state.defined) == 0);
MRPROOF_SITUATION(hugetlb_with_on_demand, "HUGETLB comes only with explicit ON_DEMAND",
    "reg_mr.hugetlb_with_on_demand gap.hugetlb_without_on_demand",
    implies(has<D>(asked(v).access, kHugetlb),
        has<D>(asked(v).access, kOnDemand) & !is_implicit(asked(v))));
MRPROOF_SITUATION(page_offsets_agree,
    "memory and the address that keys use for it begin alike within a page",
    "reg_mr.dmabuf_page_offset gap.iova_zero_in_page gap.dmabuf_demands",
    (v.call.verb == Verb::reg_mr || v.call.verb == Verb::rereg_mr) |
        (((v.call.address - v.call.iova) & 4095) == 0));
MRPROOF_SITUATION(keys_range_straight, "the range that keys address does not wrap around",
    "gap.iova_wraps",
    straight<D>(asked(v).first, asked(v).length) & straight<D>(v.call.iova, asked(v).length));
MRPROOF_SITUATION(base_unambiguous, "no address of its own is given to a zero-based region",
    "gap.zero_based_with_iova",
    (v.call.verb == Verb::reg_mr || v.call.verb == Verb::rereg_mr) |
        !has<D>(asked(v).access, kZeroBased) | (v.call.iova == 0));
MRPROOF_SITUATION(dmabuf_flags_supported,
    "a dma-buf is registered with flags that the verb supports",
    "reg_mr.dmabuf_flags gap.dmabuf_demands",
    (v.call.verb != Verb::reg_dmabuf_mr) | ((v.call.access & ~kDmabufAccess) == 0));

/// Whether the access flags and features asked for are available.
template <class D> constexpr auto available(const View<D>& v) {
  const auto a = asked(v);
  const auto missing =
      a.access & kFeatureFlags & ~v.state.promised_access();
  const auto implicit =
      has_any<D>(v.state.promised_features(), kImplicitOnDemand);
  return (missing == 0) & implies(is_implicit(a), implicit);
}

// What is optional, what regions are shared.
MRPROOF_SITUATION(features_available,
    "every optional feature asked for is claimed by the device or has been granted before",
    "query_device.device_cap_flags query_device.atomic_cap query_device_ex.odp_support "
    "query_device_ex.odp_implicit reg_mr.remote_atomic_optional reg_mr.flush_optional",
    available(v));
MRPROOF_SITUATION(not_peer_memory, "the region is not made of a peer device's memory",
    "rereg_exp.peer_unsupported", !has<D>(v.region().access, kPeerMemory));
MRPROOF_SITUATION(source_shared,
    "the region to be shared was made a shared one and not translated since",
    "rereg_exp.shared_ends gap.exp_shared_registration", has<D>(v.source().access, kShared));

/// Whether no other live object of its device has the keys of the region just made.
template <class D> constexpr auto new_keys_distinct(const View<D>& v) {
  const auto& seen = v.result;
  const auto pd = v.call.verb == Verb::rereg_mr ? v.region().pd : D::slot(v.call.pd);
  const auto keyed = D::bit(v.call.verb != Verb::alloc_null_mr);
  const auto remote = has_any<D>(asked(v).access, kRemoteRights) & keyed;
  return all<D>(v.state.windows, WithRkey{seen.rkey}, [&](auto& w) {
    const auto counts = w.live & remote & (!w.undefined) & of_one_device(v.state, w.pd, pd);
    return implies(counts, key_index(w.rkey) != key_index(seen.rkey));
  }) & all<D>(v.state.regions, WithKeys{seen.lkey, seen.rkey}, [&](auto& r) {
    const auto either = (remote | has_any<D>(r.access, kRemoteRights)) & keyed & !r.null;
    // Null regions of one domain have nothing that would have to be told apart.
    const auto lkeys = (r.lkey != seen.lkey) | (r.null & (r.pd == v.call.pd) & !keyed);
    const auto others = lkeys & implies(either, r.rkey != seen.rkey);
    return implies((&r != &v.region()) & r.live & of_one_device(v.state, r.pd, pd), others);
  });
}

// The region's own: its source, its keys.
MRPROOF_SITUATION(source_live, "the region to be shared is another one, live, and holds its memory",
    "gap.exp_shared_registration",
    (v.call.source != v.call.mr) & v.source().live & (!v.source().undefined) &
        !has<D>(v.source().access, kOnDemand));
MRPROOF_OBSERVATION_ON(kAboutOtherKeys | kAboutElements, keys_distinct,
    "no other live region has this lkey, and none and no window this rkey if it grants remote "
    "access",
    "reg_mr.lkey_names_mr reg_mr.rkey_names_mr gap.rkey_without_remote_right gap.null_mr_lkey",
    new_keys_distinct(v));

}  // namespace mrproof::model
