// Conditions on protection domains, handles, and what the device has: shared by many verbs.
#pragma once

#include "model/regions.hpp"

namespace mrproof::model {

// ---- what the caller must not do (duties) ----

template <class D>
inline constexpr Condition<D> pd_slot_free{
    "pd_slot_free", "the handle names no live PD", "harness.one_object", About::situation,
    [](const View<D>& v) { return !v.state.pds.at(v.call.pd).live; }};

template <class D>
inline constexpr Condition<D> pd_live{
    "pd_live", "the PD has been allocated and not deallocated", "alloc_pd.alloc alloc_pd.dealloc",
    About::situation, [](const View<D>& v) { return v.state.pds.at(v.call.pd).live; }};

template <class D>
inline constexpr Condition<D> mr_slot_free{
    "mr_slot_free", "the handle names no live MR", "harness.one_object", About::situation,
    [](const View<D>& v) { return !v.state.regions.at(v.call.mr).live; }};

template <class D>
inline constexpr Condition<D> mr_live{
    "mr_live", "the MR has been registered and not deregistered", "reg_mr.dereg", About::situation,
    [](const View<D>& v) { return v.state.regions.at(v.call.mr).live; }};

template <class D>
inline constexpr Condition<D> mr_defined{
    "mr_defined", "the MR is one that may still be used, not only deregistered",
    "rereg_mr.cmd_unusable rereg_mr.cmd_do_fork_unusable gap.iova_wraps gap.dealloc_pd_used",
    About::situation, [](const View<D>& v) { return !v.state.regions.at(v.call.mr).undefined; }};

template <class D>
inline constexpr Condition<D> mr_not_null{
    "mr_not_null", "the MR is no null MR", "null_mr.no_rereg gap.null_mr_refusal", About::situation,
    [](const View<D>& v) { return !v.state.regions.at(v.call.mr).null; }};

template <class D>
inline constexpr Condition<D> mw_slot_free{
    "mw_slot_free", "the handle names no live MW", "harness.one_object", About::situation,
    [](const View<D>& v) { return !v.state.windows.at(v.call.mw).live; }};

template <class D>
inline constexpr Condition<D> mw_live{
    "mw_live", "the MW has been allocated and not deallocated", "alloc_mw.dealloc_unbinds",
    About::situation, [](const View<D>& v) { return v.state.windows.at(v.call.mw).live; }};

template <class D>
inline constexpr Condition<D> mw_defined{
    "mw_defined", "it is known whether the MW is bound",
    "gap.window_after_qp_error gap.failed_bind_old_binding gap.rereg_with_windows",
    About::situation, [](const View<D>& v) { return !v.state.windows.at(v.call.mw).undefined; }};

template <class D>
inline constexpr Condition<D> qp_live{
    "qp_live", "the queue pair exists", "create_qp.destroy", About::situation,
    [](const View<D>& v) { return v.state.qps.at(v.call.qp).live; }};

template <class D>
inline constexpr Condition<D> pair_live{
    "pair_live", "both queue pairs of the connection exist", "create_qp.destroy", About::situation,
    [](const View<D>& v) {
      return v.state.qps.at(v.call.qp).live & v.state.qps.at(peer_of(v.call.qp)).live;
    }};

template <class D>
inline constexpr Condition<D> store_in_buffer{
    "store_in_buffer", "the bytes stored lie in mapped, writable memory of one buffer",
    "memory.unmapped memory.read_only", About::situation,
    [](const View<D>& v) { return paged_in<D>(v.state, v.call.address, v.call.length, true); }};

template <class D>
inline constexpr Condition<D> pages_whole{
    "pages_whole",
    "the range is whole pages of one buffer, and that buffer's only hole if it has one",
    "memory.whole_pages harness.one_hole", About::situation, [](const View<D>& v) {
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
inline constexpr Condition<D> pages_there{
    "pages_there", "pages that are made read-only are mapped", "memory.protect_mapped",
    About::situation, [](const View<D>& v) {
      return D::bit(v.call.option != kReadPages) |
             paged_in<D>(v.state, v.call.address, v.call.length, false);
    }};

// ---- situation ----

template <class D>
inline constexpr Condition<D> pd_unused{
    "pd_unused", "no MR, MW or QP belongs to the PD", "alloc_pd.dealloc_used gap.dealloc_pd_used",
    About::situation, [](const View<D>& v) {
      const auto pd = D::small(v.call.pd);
      const auto elsewhere = [&](const auto& object) { return !(object.live & (object.pd == pd)); };
      return all<D>(v.state.regions, elsewhere) & all<D>(v.state.windows, elsewhere) &
             all<D>(v.state.qps, elsewhere);
    }};

template <class D>
inline constexpr Condition<D> no_bound_window{
    "no_bound_window", "no memory window is bound to the MR",
    "reg_mr.dereg_bound_window gap.dereg_of_bound_mr", About::situation, [](const View<D>& v) {
      const auto mr = D::small(v.call.mr);
      return all<D>(v.state.windows, [&](const Window<D>& w) {
        return !(w.live & w.bound & (!w.undefined) & (w.region == mr));
      });
    }};

template <class D>
inline constexpr Condition<D> no_doubtful_window{
    "no_doubtful_window", "no memory window of which it is not known may be bound to the MR",
    "gap.window_after_qp_error gap.failed_bind_old_binding", About::situation,
    [](const View<D>& v) {
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
    "query_device.device_cap_flags query_device.atomic_cap query_device_ex.odp_implicit",
    About::situation, [](const View<D>& v) {
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
         all<D>(s.windows,
                [&](const Window<D>& w) { return implies(w.live & !w.undefined, w.rkey != key); });
}

/// The part of a key that the consumer of a type 2 window does not choose.
template <class D>
constexpr typename D::Key key_index(typename D::Key key) {
  return key & D::key(0xffffff00U);
}

/// Whether the number can be an errno.
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
    "reg_mr.dereg_returns alloc_pd.dealloc_returns post_send.returns rereg_exp.returns_errno",
    About::observation, [](const View<D>& v) { return is_errno<D>(v.result.error); }};

template <class D>
inline constexpr Condition<D> errno_set{
    "errno_set", "errno says why NULL was returned",
    "reg_mr.errno_set alloc_pd.returns_pd gap.errno_after_null", About::observation,
    [](const View<D>& v) { return is_errno<D>(v.result.error); }};

template <class D>
inline constexpr Condition<D> errno_of_resources{
    "errno_of_resources", "the errno says that resources ran out (ENOMEM or EAGAIN)",
    "harness.no_resources query_device.upper_limits", About::observation,
    [](const View<D>& v) { return says_resources<D>(v.result.error); }};

}  // namespace mrproof::model
