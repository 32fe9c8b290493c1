// Conditions on protection domains, handles, and what the device has: shared by many verbs.
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
inline constexpr Condition<D> mr_defined{
    "mr_defined", "the MR is one that may still be used, not only deregistered",
    "ibv_rereg_mr(3), RETURN VALUE: IBV_REREG_MR_ERR_CMD", About::situation,
    [](const View<D>& v) { return !v.state.regions.at(v.call.mr).undefined; }};

template <class D>
inline constexpr Condition<D> mr_not_null{
    "mr_not_null", "the MR is no null MR", "ibv_alloc_null_mr(3), DESCRIPTION", About::situation,
    [](const View<D>& v) { return !v.state.regions.at(v.call.mr).null; }};

template <class D>
inline constexpr Condition<D> mw_slot_free{
    "mw_slot_free", "the handle names no live MW", "trace format: one handle, one object",
    About::situation, [](const View<D>& v) { return !v.state.windows.at(v.call.mw).live; }};

template <class D>
inline constexpr Condition<D> mw_live{
    "mw_live", "the MW has been allocated and not deallocated", "ibv_alloc_mw(3), DESCRIPTION",
    About::situation, [](const View<D>& v) { return v.state.windows.at(v.call.mw).live; }};

template <class D>
inline constexpr Condition<D> mw_defined{
    "mw_defined", "it is known whether the MW is bound",
    "gap: what becomes of a type 2 window whose queue pair fails, and of a window after a failed "
    "bind",
    About::situation, [](const View<D>& v) { return !v.state.windows.at(v.call.mw).undefined; }};

template <class D>
inline constexpr Condition<D> qp_live{
    "qp_live", "the queue pair exists", "ibv_create_qp(3)", About::situation,
    [](const View<D>& v) { return v.state.qps.at(v.call.qp).live; }};

template <class D>
inline constexpr Condition<D> pair_live{"pair_live", "both queue pairs of the connection exist",
                                        "ibv_create_qp(3)", About::situation, [](const View<D>& v) {
                                          return v.state.qps.at(v.call.qp).live &
                                                 v.state.qps.at(peer_of(v.call.qp)).live;
                                        }};

template <class D>
inline constexpr Condition<D> store_in_buffer{
    "store_in_buffer", "the bytes stored lie in mapped, writable memory of one buffer",
    "C: storing elsewhere is undefined", About::situation,
    [](const View<D>& v) { return paged_in<D>(v.state, v.call.address, v.call.length, true); }};

template <class D>
inline constexpr Condition<D> pages_whole{
    "pages_whole",
    "the range is whole pages of one buffer, and that buffer's only hole if it has one",
    "mmap(2), mprotect(2); model: one hole a buffer", About::situation, [](const View<D>& v) {
      const auto& c = v.call;
      const auto in_page = D::address(4095);
      const auto last = c.address + c.length - D::address(1);
      const auto aligned =
          ((c.address & in_page) == D::address(0)) & ((c.length & in_page) == D::address(0));
      return aligned & any<D>(v.state.buffers, [&](const Buffer<D>& b) {
               const auto same = (b.hole_first == c.address) & (b.hole_last == last);
               return within<D>(c.address, c.length, b.first, b.last) & ((!b.hole) | same);
             });
    }};

template <class D>
inline constexpr Condition<D> pages_there{"pages_there", "pages that are made read-only are mapped",
                                          "mprotect(2)", About::situation, [](const View<D>& v) {
                                            return D::bit(v.call.option != kReadPages) |
                                                   paged_in<D>(v.state, v.call.address,
                                                               v.call.length, false);
                                          }};

// ---- situation ----

template <class D>
inline constexpr Condition<D> pd_unused{
    "pd_unused", "no MR, MW or QP belongs to the PD", "ibv_alloc_pd(3), NOTES", About::situation,
    [](const View<D>& v) {
      const auto pd = D::small(v.call.pd);
      const auto elsewhere = [&](const auto& object) { return !(object.live & (object.pd == pd)); };
      return all<D>(v.state.regions, elsewhere) & all<D>(v.state.windows, elsewhere) &
             all<D>(v.state.qps, elsewhere);
    }};

template <class D>
inline constexpr Condition<D> no_bound_window{
    "no_bound_window", "no memory window is bound to the MR", "ibv_dereg_mr(3), NOTES",
    About::situation, [](const View<D>& v) {
      const auto mr = D::small(v.call.mr);
      return all<D>(v.state.windows, [&](const Window<D>& w) {
        return !(w.live & w.bound & (!w.undefined) & (w.region == mr));
      });
    }};

template <class D>
inline constexpr Condition<D> no_doubtful_window{
    "no_doubtful_window", "no memory window of which it is not known may be bound to the MR",
    "gap: what becomes of a type 2 window whose queue pair fails, and of a window after a failed "
    "bind",
    About::situation, [](const View<D>& v) {
      const auto mr = D::small(v.call.mr);
      return all<D>(v.state.windows, [&](const Window<D>& w) {
        return !(w.live & w.bound & w.undefined & (w.region == mr));
      });
    }};

/// The Feature flags of which the call needs one; all-ones where it needs none.
template <class D>
constexpr typename D::Flags features_needed(const View<D>& v) {
  switch (v.call.verb) {
    case Verb::reg_mr_ex: return D::flags(kRegMrEx);
    case Verb::reg_dmabuf_mr: return D::flags(kDmabufMr);
    case Verb::alloc_null_mr: return D::flags(kNullMr);
    case Verb::advise_mr: return D::flags(kAdviseMr);
    case Verb::alloc_mw:
      return D::flags(v.call.option == kTypeOne ? kMwType1 : kMwType2A | kMwType2B);
    case Verb::local_inv:
    case Verb::send_with_inv: return D::flags(kMemoryExtensions | kMwType2A | kMwType2B);
    case Verb::atomic_fetch_and_add:
    case Verb::atomic_cmp_and_swp: return D::flags(kAtomics);
    default: return D::flags(~0U);
  }
}

template <class D>
inline constexpr Condition<D> verb_available{
    "verb_available", "the device claims what the verb needs, or has granted it before",
    "ibv_query_device(3), device_cap_flags, atomic_cap", About::situation, [](const View<D>& v) {
      const auto needed = features_needed<D>(v);
      const auto any_will_do = needed == D::flags(~0U);
      return any_will_do | ((needed & (v.state.can.features | v.state.shown)) != D::flags(0));
    }};

// ---- observation ----

/// Whether a region with remote rights or a window may have the key beside what is live.
template <class D>
constexpr typename D::Bit rkey_unused(const State<D>& s, typename D::Key key) {
  return all<D>(s.regions,
                [&](const Region<D>& r) {
                  const auto remote = has_any<D>(r.access, kRemoteRights) & (!r.null);
                  return implies(r.live & remote, r.rkey != key);
                }) &
         all<D>(s.windows, [&](const Window<D>& w) { return implies(w.live, w.rkey != key); });
}

/// The part of a key that the consumer of a type 2 window does not choose.
template <class D>
constexpr typename D::Key key_index(typename D::Key key) {
  return key & D::key(0xffffff00U);
}

template <class D>
constexpr typename D::Bit is_errno(typename D::Key error) {
  return (error != D::key(0)) & (error < D::key(4096));
}

/// ENOMEM or EAGAIN.
template <class D>
constexpr typename D::Bit says_resources(typename D::Key error) {
  return (error == D::key(12)) | (error == D::key(11));
}

template <class D>
inline constexpr Condition<D> errno_value{
    "errno_value", "the failure is reported as a positive errno value",
    "ibv_dereg_mr(3), ibv_alloc_pd(3), ibv_post_send(3), RETURN VALUE", About::observation,
    [](const View<D>& v) { return is_errno<D>(v.result.error); }};

template <class D>
inline constexpr Condition<D> errno_set{
    "errno_set", "errno says why NULL was returned", "ibv_reg_mr(3), ibv_alloc_pd(3), RETURN VALUE",
    About::observation, [](const View<D>& v) { return is_errno<D>(v.result.error); }};

template <class D>
inline constexpr Condition<D> errno_of_resources{
    "errno_of_resources", "the errno says that resources ran out (ENOMEM or EAGAIN)",
    "ibv_reg_mr(3), ibv_alloc_pd(3), ibv_post_send(3), RETURN VALUE; errno(3)", About::observation,
    [](const View<D>& v) { return says_resources<D>(v.result.error); }};

}  // namespace mrproof::model
