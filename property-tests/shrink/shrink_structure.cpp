// Moves that change what a trace is made of: windows and re-registrations made plain regions,
// regions joined, transfers laid out anew.
#include <algorithm>
#include <set>

#include "model/trace/layout.hpp"
#include "property-tests/shrink/shrink_moves.hpp"
#include "property-tests/shrink/shrink_regions.hpp"

namespace mrproof::property_tests {

using namespace model;

namespace {

void erase_step(ShrinkForm& form, std::size_t at) {
  form.steps.erase(form.steps.begin() + static_cast<std::ptrdiff_t>(at));
}

/// What goes through a window goes to its region, which gets the window's rights.
void propose_without_windows(const ShrinkForm& form, const Propose& propose) {
  for (std::size_t at = 0; at + 1 < form.steps.size(); ++at) {
    const model::Step bind = form.steps[at];
    if (!is_bind(bind.call.verb)) continue;
    for (const bool all : {true, false}) {
      ShrinkForm plain = form;
      for (model::Step& step : plain.steps) {
        const bool maker = makes_object(step, ObjectKind::mr, bind.call.mr);
        if (maker && all)
          step.call.access =
              (step.call.access | bind.call.access) & ~Plain::flags(kMwBind | kZeroBased);
        if (is_window_key(step.rkey) && step.rkey.slot == bind.call.mw)
          step.rkey = {model::KeyName::Kind::rkey, bind.call.mr, 0, 0};
      }
      std::erase_if(plain.steps, [&](const model::Step& step) {
        return &step != &plain.steps.back() && mentions_object(step, ObjectKind::mw, bind.call.mw);
      });
      propose(plain);
    }
  }
}

/// What a re-registration makes of a region it is from the beginning.
void propose_without_reregistrations(const ShrinkForm& form, const Propose& propose) {
  for (std::size_t at = 0; at + 1 < form.steps.size(); ++at) {
    const auto& change = form.steps[at].call;
    if (change.verb != Verb::rereg_mr) continue;
    ShrinkForm plain = form;
    for (model::Step& maker : plain.steps) {
      if (!makes_object(maker, ObjectKind::mr, change.mr)) continue;
      const auto asks = [&](Change what) {
        return ((change.flags & Plain::flags(what)) == Plain::flags(what)).truth();
      };
      if (asks(kChangePd)) maker.call.pd = change.pd;
      if (asks(kChangeAccess)) maker.call.access = change.access;
      if (asks(kChangeTranslation)) {
        maker.call.address = change.address;
        maker.call.length = change.length;
      }
    }
    erase_step(plain, at);
    propose(plain);
  }
}

/// Transfers of so many bytes inside one region from its beginning on, and the region as long as
/// that needs.
void propose_layouts(const ShrinkForm& form, std::uint32_t region, const Propose& propose) {
  for (const std::uint64_t length : {8U, 64U, 4096U, 1U})
    for (const std::uint64_t size : {8U, 4096U, 8192U})
      for (const bool remote_first : {false, true})
        for (const std::uint64_t gap : {length, std::uint64_t{0}}) {
          if (gap != 0 && size < 2 * length && size != 8) continue;
          ShrinkForm laid_out = form;
          std::uint64_t base = 0;
          for (model::Step& step : laid_out.steps) {
            auto& c = step.call;
            if (makes_object(step, ObjectKind::mr, region)) {
              c.length = Plain::address(size);
              base = base_of(step);
            }
            const bool local = uses_region(step, region, Uses::local);
            const bool remote = uses_region(step, region, Uses::remote);
            if (!local && !remote) continue;
            c.length = Plain::address(length);
            if (local) c.address = Plain::address(base + (remote_first ? gap : 0));
            if (remote) c.remote = Plain::address(base + (remote_first ? 0 : gap));
          }
          propose(laid_out);
        }
}

void propose_joined(const ShrinkForm& form, const model::Step& kept, const model::Step& dropped,
                    const Propose& propose) {
  const auto keep = kept.call.mr;
  const auto drop = dropped.call.mr;
  const auto place = static_cast<std::size_t>(&dropped - form.steps.data());
  for (const bool joined : {false, true}) {
    ShrinkForm merged = form;
    model::Step& maker = merged.steps[static_cast<std::size_t>(&kept - form.steps.data())];
    if (joined) {
      maker.call.access = maker.call.access | dropped.call.access;
      maker.call.length =
          Plain::address(std::max(maker.call.length.value(), dropped.call.length.value()));
    }
    shift_uses(merged, drop, base_of(maker) - base_of(dropped));
    erase_step(merged, place);
    replace_object(merged, ObjectKind::mr, drop, keep);
    propose(merged);
    propose_layouts(merged, keep, propose);
  }
}

void propose_joined_regions(const ShrinkForm& form, const Propose& propose) {
  for (const model::Step& kept : form.steps)
    for (const model::Step& dropped : form.steps) {
      const bool both = makes_region(kept.call.verb) && makes_region(dropped.call.verb);
      if (both && &kept != &dropped && &dropped != &form.steps.back())
        propose_joined(form, kept, dropped, propose);
    }
}

std::uint64_t in_other_buffer(std::uint64_t address, std::size_t a, std::size_t b) {
  const auto within = [&](std::size_t buffer) {
    return address + model::kPageSize >= model::buffer_address(buffer) &&
           address < model::buffer_address(buffer) + model::buffer_size(buffer) + model::kPageSize;
  };
  if (within(a)) return address - model::buffer_address(a) + model::buffer_address(b);
  if (within(b)) return address - model::buffer_address(b) + model::buffer_address(a);
  return address;
}

void propose_exchanged_buffers(const ShrinkForm& form, const Propose& propose) {
  for (std::size_t a = 0; a < model::kBufferCount; ++a)
    for (std::size_t b = a + 1; b < model::kBufferCount; ++b) {
      ShrinkForm other = form;
      for (model::Step& step : other.steps)
        for (auto* field :
             {&step.call.address, &step.call.remote, &step.call.iova, &step.call.second.address})
          *field = Plain::address(in_other_buffer(field->value(), a, b));
      propose(other);
    }
}

/// Queue pairs and regions in other PDs.
void propose_domains(const ShrinkForm& form, const Propose& propose) {
  std::set<std::uint32_t> pds;
  for (const auto pd : form.qp_pd)
    if (pd != model::Setup::kAbsent) pds.insert(pd);
  for (model::Step step : form.steps)
    for (const auto& mention : mentions(step))
      if (mention.kind == ObjectKind::pd) pds.insert(*mention.number);
  for (const auto pd : pds) {
    for (std::size_t qp = 0; qp < form.qp_pd.size(); ++qp) {
      if (form.qp_pd.at(qp) == model::Setup::kAbsent || form.qp_pd.at(qp) == pd) continue;
      ShrinkForm other = form;
      other.qp_pd.at(qp) = pd;
      propose(other);
    }
    for (std::size_t i = 0; i < form.steps.size(); ++i) {
      if (!makes_region(form.steps[i].call.verb) || form.steps[i].call.pd == pd) continue;
      ShrinkForm other = form;
      other.steps[i].call.pd = pd;
      propose(other);
    }
  }
}

/// Nothing is transferred.
void propose_empty_transfers(const ShrinkForm& form, const Propose& propose) {
  ShrinkForm empty = form;
  for (model::Step& step : empty.steps) {
    if (!has_elements(step.call.verb)) continue;
    step.call.length = step.call.second.length = Plain::address(0);
    if (&step != &empty.steps.back()) continue;
    for (auto* key : {&step.lkey, &step.second}) *key = {};
    propose(empty);
    if (is_remote(step.call.verb)) step.rkey = {};
    step.call.address = step.call.remote = Plain::address(model::buffer_address(0));
    propose(empty);
  }
}

void propose_single_elements(const ShrinkForm& form, const Propose& propose) {
  ShrinkForm single = form;
  for (model::Step& step : single.steps) {
    step.call.elements = 1;
    step.call.second = {};
    step.second = {};
  }
  propose(single);
}

void propose_own_layouts(const ShrinkForm& form, const Propose& propose) {
  for (const model::Step& step : form.steps)
    if (makes_region(step.call.verb)) propose_layouts(form, step.call.mr, propose);
}

}  // namespace

void restructured(const ShrinkForm& form, const Propose& propose) {
  propose_without_windows(form, propose);
  propose_without_reregistrations(form, propose);
  propose_joined_regions(form, propose);
  propose_own_layouts(form, propose);
  propose_exchanged_buffers(form, propose);
  with_flipped_pairs(form, propose);
  propose_domains(form, propose);
  propose_empty_transfers(form, propose);
  propose_single_elements(form, propose);
}

void restructured_twice(const ShrinkForm& form, const Propose& propose) {
  restructured(form, [&](const ShrinkForm& once) {
    restructured(once, propose);
    reordered(once, propose);
    for (std::size_t i = 0; i + 1 < once.steps.size(); ++i) {
      ShrinkForm less = once;
      erase_step(less, i);
      propose(less);
      for (std::size_t j = i; j + 1 < less.steps.size(); ++j) {
        ShrinkForm two = less;
        erase_step(two, j);
        propose(two);
      }
    }
  });
}

}  // namespace mrproof::property_tests
