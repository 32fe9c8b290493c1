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
template <class D>
struct Asked {
  typename D::Flags access;
  typename D::Address address;  ///< of memory
  typename D::Address length;
  typename D::Address first;  ///< as keys address it
  typename D::Bit moves;      ///< memory is to be looked at: it is not the region's own already
};

/// Bytes of the region.
template <class D>
constexpr typename D::Address size_of(const Region<D>& r) {
  return D::select(r.empty, D::address(0), r.last - r.first + D::address(1));
}

/// What the call asks the region to be.
template <class D>
constexpr Asked<D> asked(const View<D>& v) {
  const auto& c = v.call;
  if (c.verb == Verb::rereg_mr) {
    const Region<D>& r = v.state.regions.at(c.mr);
    const auto moves = has<D>(c.flags, kChangeTranslation);
    return {D::select(has<D>(c.flags, kChangeAccess), c.access & v.state.defined, r.access),
            D::select(moves, c.address, r.memory), D::select(moves, c.length, size_of<D>(r)),
            D::select(moves, c.address, r.first), moves};
  }
  const bool has_iova = c.verb != Verb::reg_mr;
  const auto zero_based = has<D>(c.access & v.state.defined, kZeroBased);
  return {c.access & v.state.defined, c.address, c.length,
          D::select(zero_based, D::address(0), has_iova ? c.iova : c.address), D::bit(true)};
}

/// Whether a region of that verb and those flags is made of the program's own memory.
template <class D>
constexpr typename D::Bit of_buffers(const View<D>& v, typename D::Flags access) {
  return D::bit(v.call.verb != Verb::reg_dmabuf_mr) & !has<D>(access, kAllocateMr);
}

/// Whether all of memory is asked for, paged on demand.
template <class D>
constexpr typename D::Bit is_implicit(const Asked<D>& a) {
  return has<D>(a.access, kOnDemand) & (a.address == D::address(0)) & (a.length == ~D::address(0));
}

/// Whether all bytes that the region is to have are there now.
template <class D>
constexpr typename D::Bit there_now(const View<D>& v, bool writable) {
  const auto a = asked<D>(v);
  const auto nothing = (a.length == D::address(0)) | !a.moves;
  if (v.call.verb == Verb::reg_dmabuf_mr)
    return nothing | within<D>(a.address, a.length, D::address(0), D::address(kDmabufSize - 1));
  return nothing | (!of_buffers<D>(v, a.access)) |
         paged_in<D>(v.state, a.address, a.length, writable);
}

template <class D>
inline constexpr Condition<D> remote_write_has_local_write{
    "remote_write_has_local_write", "LOCAL_WRITE is set if REMOTE_WRITE or REMOTE_ATOMIC is",
    "reg_mr.remote_write_needs_local_write", About::situation, [](const View<D>& v) {
      const auto access = asked<D>(v).access;
      return implies(has_any<D>(access, kRemoteWrite | kRemoteAtomic), has<D>(access, kLocalWrite));
    }};

template <class D>
inline constexpr Condition<D> memory_mapped{
    "memory_mapped",
    "all bytes of the range are mapped memory of the process, or the region is paged on demand",
    "reg_mr.range reg_mr.dmabuf_range", About::situation, [](const View<D>& v) {
      return has<D>(asked<D>(v).access, kOnDemand) | there_now<D>(v, false);
    }};

template <class D>
inline constexpr Condition<D> memory_writable{
    "memory_writable", "memory that LOCAL_WRITE is asked for can be written by the process",
    "reg_mr.local_write memory.read_only", About::situation, [](const View<D>& v) {
      const auto access = asked<D>(v).access;
      return has<D>(access, kOnDemand) | (!has<D>(access, kLocalWrite)) | there_now<D>(v, true) |
             !there_now<D>(v, false);
    }};

template <class D>
inline constexpr Condition<D> memory_there_now{
    "memory_there_now",
    "memory that is paged on demand, or that windows may open, is there and "
    "writable already",
    "gap.memory_not_there gap.implicit_odp_near_miss", About::situation, [](const View<D>& v) {
      return implies(has_any<D>(asked<D>(v).access, kOnDemand | kMwBind), there_now<D>(v, true));
    }};

template <class D>
inline constexpr Condition<D> length_zero{
    "length_zero", "the region would have no bytes", "gap.length_zero", About::situation,
    [](const View<D>& v) { return asked<D>(v).length == D::address(0); }};

template <class D>
inline constexpr Condition<D> access_bits_defined{
    "access_bits_defined", "every access bit set has a meaning",
    "reg_mr.access_known gap.undefined_access_bits", About::situation,
    [](const View<D>& v) { return (v.call.access & ~v.state.defined) == D::flags(0); }};

template <class D>
inline constexpr Condition<D> hugetlb_with_on_demand{
    "hugetlb_with_on_demand", "HUGETLB comes only with explicit ON_DEMAND",
    "reg_mr.hugetlb_with_on_demand gap.hugetlb_without_on_demand", About::situation,
    [](const View<D>& v) {
      const auto a = asked<D>(v);
      return implies(has<D>(a.access, kHugetlb), has<D>(a.access, kOnDemand) & !is_implicit<D>(a));
    }};

template <class D>
inline constexpr Condition<D> page_offsets_agree{
    "page_offsets_agree", "memory and the address that keys use for it begin alike within a page",
    "reg_mr.dmabuf_page_offset gap.iova_zero_in_page gap.dmabuf_demands", About::situation,
    [](const View<D>& v) {
      const bool has_iova = v.call.verb != Verb::reg_mr && v.call.verb != Verb::rereg_mr;
      return D::bit(!has_iova) |
             (((v.call.address - v.call.iova) & D::address(4095)) == D::address(0));
    }};

template <class D>
inline constexpr Condition<D> keys_range_straight{
    "keys_range_straight", "the range that keys address does not wrap around", "gap.iova_wraps",
    About::situation, [](const View<D>& v) {
      const auto a = asked<D>(v);
      const auto straight = [&](typename D::Address first) {
        return (a.length == D::address(0)) | (first <= first + a.length - D::address(1));
      };
      return straight(a.first) & straight(v.call.iova);
    }};

template <class D>
inline constexpr Condition<D> dmabuf_flags_supported{
    "dmabuf_flags_supported", "a dma-buf is registered with flags that the verb supports",
    "reg_mr.dmabuf_flags gap.dmabuf_demands", About::situation, [](const View<D>& v) {
      return D::bit(v.call.verb != Verb::reg_dmabuf_mr) |
             ((v.call.access & ~D::flags(kDmabufAccess)) == D::flags(0));
    }};

template <class D>
inline constexpr Condition<D> features_available{
    "features_available",
    "every optional feature asked for is claimed by the device or has been granted before",
    "query_device.device_cap_flags query_device.atomic_cap query_device_ex.odp_support "
    "query_device_ex.odp_implicit reg_mr.remote_atomic_optional reg_mr.flush_optional",
    About::situation, [](const View<D>& v) {
      const auto a = asked<D>(v);
      const auto available = v.state.can.claimed | v.state.proven;
      const auto implicit = has_any<D>(v.state.can.features | v.state.shown, kImplicitOnDemand);
      return ((a.access & D::flags(kFeatureFlags) & ~available) == D::flags(0)) &
             implies(is_implicit<D>(a), implicit);
    }};

template <class D>
inline constexpr Condition<D> not_peer_memory{
    "not_peer_memory", "the region is not made of a peer device's memory",
    "rereg_exp.peer_unsupported", About::situation,
    [](const View<D>& v) { return !has<D>(v.state.regions.at(v.call.mr).access, kPeerMemory); }};

template <class D>
inline constexpr Condition<D> source_shared{
    "source_shared", "the region to be shared was made a shared one and not translated since",
    "rereg_exp.shared_ends gap.exp_shared_registration", About::situation, [](const View<D>& v) {
      const Region<D>& source = v.state.regions.at(v.call.source);
      return has<D>(source.access, kShared);
    }};

template <class D>
inline constexpr Condition<D> source_live{
    "source_live", "the region to be shared is another one, live, and holds its memory",
    "gap.exp_shared_registration", About::situation, [](const View<D>& v) {
      const Region<D>& source = v.state.regions.at(v.call.source);
      return D::bit(v.call.source != v.call.mr) & source.live & (!source.undefined) &
             !has<D>(source.access, kOnDemand);
    }};

template <class D>
inline constexpr Condition<D> keys_distinct{
    "keys_distinct",
    "no other live region has this lkey, and none and no window this rkey if it grants remote "
    "access",
    "reg_mr.lkey_names_mr reg_mr.rkey_names_mr gap.rkey_without_remote_right", About::observation,
    [](const View<D>& v) {
      const auto access = asked<D>(v).access;
      const auto remote =
          has_any<D>(access, kRemoteRights) & D::bit(v.call.verb != Verb::alloc_null_mr);
      auto distinct = all<D>(v.state.windows, [&](const Window<D>& w) {
        return implies(w.live & remote & !w.undefined,
                       key_index<D>(w.rkey) != key_index<D>(v.result.rkey));
      });
      for (std::size_t i = 0; i < D::kRegions; ++i) {
        if (i == v.call.mr) continue;
        const Region<D>& r = v.state.regions.at(i);
        const auto either = (remote | has_any<D>(r.access, kRemoteRights)) & (!r.null) &
                            D::bit(v.call.verb != Verb::alloc_null_mr);
        distinct = distinct & implies(r.live, (r.lkey != v.result.lkey) &
                                                  implies(either, r.rkey != v.result.rkey));
      }
      return distinct;
    }};

}  // namespace mrproof::model
