#include "property-tests/shrink/shrink_regions.hpp"

#include <set>

namespace mrproof::property_tests {

using namespace model;

namespace {

void shift(Plain::Address& address, std::uint64_t by) {
  address = Plain::address(address.value() + by);
}

}  // namespace

void replace_object(ShrinkForm& form, ObjectKind kind, std::uint32_t from, std::uint32_t to) {
  for (model::Step& step : form.steps)
    for (const auto& mention : mentions(step))
      if (mention.kind == kind && *mention.number == from) *mention.number = to;
  if (kind != ObjectKind::pd) return;
  for (auto& pd : form.qp_pd)
    if (pd == from) pd = to;
}

bool is_zero_based(const Call<Plain>& c) {
  return ((c.access & Plain::flags(kZeroBased)) == Plain::flags(kZeroBased)).truth();
}

std::uint64_t base_of(const model::Step& maker) {
  const auto& c = maker.call;
  if (is_zero_based(c)) return 0;
  switch (c.verb) {
    case Verb::reg_mr_iova:
    case Verb::reg_mr_ex:
    case Verb::reg_dmabuf_mr: return c.iova.value();
    case Verb::alloc_null_mr:
    case Verb::reg_shared_mr: return 0;
    default: return c.address.value();
  }
}

bool is_key_of(const model::KeyName& key, std::uint32_t region) {
  return key.kind != model::KeyName::Kind::value && !is_window_key(key) && key.slot == region;
}

void shift_uses(ShrinkForm& form, std::uint32_t region, std::uint64_t by, Uses which) {
  const auto meant = [&](Uses one) { return which == Uses::all || which == one; };
  std::set<std::uint32_t> windows;
  for (model::Step& step : form.steps) {
    auto& c = step.call;
    if (has_elements(c.verb) && meant(Uses::local)) {
      if (is_key_of(step.lkey, region)) shift(c.address, by);
      if (c.elements == 2 && is_key_of(step.second, region)) shift(c.second.address, by);
    }
    if (is_bind(c.verb) && c.mr == region && meant(Uses::binds)) {
      shift(c.address, by);
      if (!is_zero_based(c)) windows.insert(c.mw);
    }
    if (!is_remote(c.verb) || !meant(Uses::remote)) continue;
    const bool through_window = is_window_key(step.rkey) && windows.contains(step.rkey.slot);
    if (is_key_of(step.rkey, region) || through_window) shift(c.remote, by);
  }
}

bool uses_region(const model::Step& step, std::uint32_t region, Uses which) {
  const auto& c = step.call;
  switch (which) {
    case Uses::local: return has_elements(c.verb) && is_key_of(step.lkey, region);
    case Uses::remote: return is_remote(c.verb) && is_key_of(step.rkey, region);
    case Uses::binds: return is_bind(c.verb) && c.mr == region;
    case Uses::all: break;
  }
  return uses_region(step, region, Uses::local) || uses_region(step, region, Uses::remote) ||
         uses_region(step, region, Uses::binds);
}

}  // namespace mrproof::property_tests
