#include "impl/sim/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "impl/device.hpp"

namespace mrproof::impl {
namespace {

/// Payload of one packet: what Fault::first_packet_only stores.
constexpr std::uint64_t kPathMtu = 1024;

// NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of model/trace/layout.hpp are numbers
void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

/// The place in Memory's table of the page that holds the address, which lies in a buffer.
constexpr std::size_t page_of(std::uint64_t address) {
  const std::uint64_t distance = address - model::kBufferBase;
  return distance / model::kBufferStride * kPagesEach +
         distance % model::kBufferStride / model::kPageSize;
}

constexpr std::uint64_t to_page_end(std::uint64_t address) {
  return model::kPageSize - address % model::kPageSize;
}

/// How many bytes from an address outside of all buffers on are outside, too.
constexpr std::uint64_t to_next_buffer(std::uint64_t address) {
  const std::uint64_t distance = address - model::kBufferBase;
  if (distance < model::kBufferCount * model::kBufferStride)
    return model::kBufferStride - distance % model::kBufferStride;
  return address < model::kBufferBase ? model::kBufferBase - address : 0 - address;
}

/// A place in a list of runs that moves on.
class Cursor {
 public:
  explicit Cursor(const Runs& runs) : runs_(runs.all()) { skip_empty(); }
  [[nodiscard]] bool done() const { return runs_.empty(); }
  [[nodiscard]] const Run& run() const { return runs_.front(); }
  [[nodiscard]] std::uint64_t offset() const { return offset_; }
  [[nodiscard]] std::uint64_t address() const { return run().address + offset_; }
  void advance(std::uint64_t length) {
    offset_ += length;
    skip_empty();
  }

 private:
  void skip_empty() {
    while (!done() && offset_ == run().length) {
      runs_ = runs_.subspan(1);
      offset_ = 0;
    }
  }

  std::span<const Run> runs_;
  std::uint64_t offset_ = 0;
};

/// The list without what lies beyond its first `length` bytes.
Runs first_of(const Runs& runs, std::uint64_t length) {
  Runs kept;
  for (Run run : runs.all()) {
    run.length = std::min(run.length, length);
    length -= run.length;
    kept.add(run);
  }
  return kept;
}

/// The list with one byte more at its end.
Runs one_longer(const Runs& runs) {
  Runs longer;
  for (std::size_t i = 0; i < runs.all().size(); ++i) {
    Run run = runs.all()[i];
    run.length += i + 1 == runs.all().size() ? 1 : 0;
    longer.add(run);
  }
  return longer;
}

/// The list whose first run goes on, on its second page, at the offset it had in its first.
Runs repeating_page_offset(const Runs& runs) {
  Runs wrong;
  for (std::size_t i = 0; i < runs.all().size(); ++i) {
    Run head = runs.all()[i];
    Run tail = head;
    head.length = std::min(head.length, to_page_end(head.address));
    tail.address += head.length + head.address % model::kPageSize;
    tail.length -= head.length;
    if (i != 0 || tail.length == 0) {
      wrong.add(runs.all()[i]);
      continue;
    }
    wrong.add(head);
    wrong.add(tail);
  }
  return wrong;
}

}  // namespace

std::uint64_t Runs::length() const {
  std::uint64_t sum = 0;
  for (const Run& run : all()) sum += run.length;
  return sum;
}

Memory::Memory(Fault fault) : fault_(fault) {}

void Memory::restore() {
  buffers_.restore();
  pages_.fill(Page{});
}

void Memory::protect(std::uint64_t address, std::uint64_t length, model::Protection protection) {
  buffers_.protect(address, length, protection);
  for (std::uint64_t offset = 0; offset < length; offset += model::kPageSize) {
    Page& page = pages_.at(page_of(address + offset));
    if (!page.mapped && protection == model::kReadPages) continue;
    page.incarnation += !page.mapped && protection == model::kWritePages ? 1 : 0;
    page.mapped = protection != model::kNoPages;
    page.writable = protection == model::kWritePages;
  }
}

bool Memory::mapped(std::uint64_t address, std::uint64_t length) const {
  return all_pages(address, length, false);
}

bool Memory::writable(std::uint64_t address, std::uint64_t length) const {
  return all_pages(address, length, true);
}

bool Memory::all_pages(std::uint64_t address, std::uint64_t length, bool writable) const {
  if (length > buffer_bytes_from(address)) return false;
  for (std::uint64_t done = 0; done < length; done += to_page_end(address + done)) {
    const Page& page = pages_.at(page_of(address + done));
    if (!page.mapped || (writable && !page.writable)) return false;
  }
  return true;
}

Pins Memory::pin(std::uint64_t address, std::uint64_t length) const {
  Pins pins{};
  length = std::min(length, buffer_bytes_from(address));
  for (std::uint64_t done = 0; done < length; done += to_page_end(address + done)) {
    const std::size_t page = page_of(address + done);
    pins.at(page) = pages_.at(page).mapped ? pages_.at(page).incarnation : 0;
  }
  return pins;
}

bool Memory::still_writable(const Pins& pins, std::uint64_t address, std::uint64_t length) const {
  if (!writable(address, length)) return false;
  for (std::uint64_t done = 0; done < length; done += to_page_end(address + done)) {
    const std::size_t page = page_of(address + done);
    if (pins.at(page) != pages_.at(page).incarnation) return false;
  }
  return true;
}

Memory::Stretch Memory::stretch(const Run& run, std::uint64_t offset) const {
  const std::uint64_t left = run.length - offset;
  if (run.hidden) return {false, left};
  if (run.carried != nullptr) return {true, left};
  const std::uint64_t address = run.address + offset;
  if (buffer_bytes_from(address) == 0) return {false, std::min(left, to_next_buffer(address))};
  const std::size_t index = page_of(address);
  const Page& page = pages_.at(index);
  const bool same_page = run.pins == nullptr || run.pins->at(index) == page.incarnation ||
                         (broken(Fault::store_reaches_new_page) && run.pins->at(index) != 0);
  return {page.mapped && same_page, std::min(left, to_page_end(address))};
}

/// Stores on one page. The page may have become read-only since a region pinned it, which does not
/// concern a device; the process that simulates one has to open it for the moment.
void Memory::write(std::uint64_t to, const void* from, std::uint64_t length) {
  const bool locked = !pages_.at(page_of(to)).writable;
  void* const page = at(to - to % model::kPageSize);
  if (locked && mprotect(page, model::kPageSize, PROT_READ | PROT_WRITE) != 0)
    throw DeviceError("cannot write to a buffer: mprotect(2) failed");
  if (from == nullptr)
    std::memset(at(to), 0, length);
  else
    std::memmove(at(to), from, length);
  if (locked && mprotect(page, model::kPageSize, PROT_READ) != 0)
    throw DeviceError("cannot protect a buffer again: mprotect(2) failed");
}

void Memory::transfer(const Runs& to, const Runs& from, std::uint64_t length) {
  Cursor source(from);
  Cursor target(to);
  while (length != 0 && !source.done() && !target.done()) {
    const Stretch out = stretch(source.run(), source.offset());
    const Stretch in = stretch(target.run(), target.offset());
    const std::uint64_t count = std::min({length, out.length, in.length});
    const void* bytes = nullptr;
    if (out.visible) bytes = at(source.address());
    if (source.run().carried != nullptr) bytes = source.run().carried + source.offset();
    if (in.visible) write(target.address(), bytes, count);
    source.advance(count);
    target.advance(count);
    length -= count;
  }
}

void Memory::move(const Runs& to, const Runs& from) {
  const std::uint64_t length = from.length();
  if (length == 0) return;
  switch (fault_) {
    case Fault::last_byte_lost: return transfer(to, from, length - 1);
    case Fault::first_byte_repeated: {
      transfer(to, from, length);
      const Runs two = first_of(to, 2);
      const Run& last = two.all().back();
      if (two.length() == 2 && last.length == 2) {
        Runs second;
        second.add({last.address + 1, 1, last.pins, last.hidden});
        transfer(second, to, 1);
      }
      return;
    }
    case Fault::byte_after_end_written:
      return transfer(one_longer(first_of(to, length)), one_longer(from), length + 1);
    case Fault::page_offset_repeated: return transfer(repeating_page_offset(to), from, length);
    case Fault::first_packet_only: return transfer(to, from, std::min(length, kPathMtu));
    case Fault::nothing_moved: return;
    default: return transfer(to, from, length);
  }
}

std::uint64_t Memory::load(const Run& run) const {
  std::array<std::byte, sizeof(std::uint64_t)> bytes{};
  for (std::uint64_t i = 0; i < bytes.size(); ++i) {
    if (i < run.length && stretch(run, i).visible)
      bytes.at(i) = *static_cast<const std::byte*>(at(run.address + i));
  }
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

void Memory::store(const Runs& runs, std::uint64_t value) {
  std::array<std::byte, sizeof value> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  Cursor target(runs);
  for (const std::byte& byte : bytes) {
    if (target.done()) return;
    if (stretch(target.run(), target.offset()).visible) write(target.address(), &byte, 1);
    target.advance(1);
  }
}

void Memory::clear(const Run& run) {
  Runs to;
  to.add(run);
  Runs nothing;
  nothing.add({0, run.length, nullptr, true});
  transfer(to, nothing, run.length);
}

}  // namespace mrproof::impl
