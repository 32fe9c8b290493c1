#include "impl/watch/call.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#pragma GCC visibility push(hidden)
namespace mrproof::watch {
namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local int depth = 0;

Record record_of(Kind kind, const void* object, int result, const void* caller,
                 std::initializer_list<std::uint64_t> words) {
  Record record{0, kind, 0, result, word(object), word(caller), {}};
  std::copy(words.begin(), words.end(), record.words.begin());
  return record;
}

bool wants_stack(Kind kind) {
  switch (kind) {
    case Kind::alloc_pd:
    case Kind::dealloc_pd:
    case Kind::reg_mr:
    case Kind::rereg_mr:
    case Kind::dereg_mr:
    case Kind::create_qp:
    case Kind::destroy_qp:
    case Kind::alloc_mw:
    case Kind::dealloc_mw:
    case Kind::create_srq:
    case Kind::destroy_srq:
    case Kind::create_ah:
    case Kind::destroy_ah:
    case Kind::touched: return true;
    default: return false;
  }
}

/// backtrace() loads a library when it is first called: not in a call of the program's.
[[gnu::constructor]] void load_unwinder() {
  std::array<void*, 1> frame{};
  if (watching()) backtrace(frame.data(), 1);
}

/// Where the caller was called from, and so on; nothing where the program does not tell.
void find_callers(const void* caller, std::array<std::uint64_t, 8>& words) {
  const int kept = errno;
  std::array<void*, 24> frames{};
  const auto end = frames.begin() + backtrace(frames.data(), static_cast<int>(frames.size()));
  auto frame = std::find(frames.begin(), end, caller);
  for (auto word_at = words.begin(); frame != end && ++frame != end && word_at != words.end();)
    *word_at++ = word(*frame);
  errno = kept;
}

}  // namespace

Call::Call(const void* caller)
    : recorded_(depth++ == 0 && watching()), begun_(recorded_), caller_(caller) {}

Call::~Call() { --depth; }

void Call::made(Kind kind, const void* object, std::initializer_list<std::uint64_t> words) const {
  if (!recorded_) return;
  changed(kind, object, object ? 0 : errno, words);
}

void Call::changed(Kind kind, const void* object, int result,
                   std::initializer_list<std::uint64_t> words) const {
  if (!recorded_) return;
  Record record = record_of(kind, object, result, caller_, words);
  record.time = now();
  append_with_stack(record);
}

void Call::done(Kind kind, const void* object, int result,
                std::initializer_list<std::uint64_t> words) const {
  if (!recorded_) return;
  Record record = record_of(kind, object, result < 0 ? errno : result, caller_, words);
  record.time = begun_.time();
  append_with_stack(record);
}

void append_with_stack(Record record) {
  Record stack{record.time, Kind::stack, 0, 0, record.object, 0, {}};
  const auto caller = static_cast<std::uintptr_t>(record.caller);
  if (wants_stack(record.kind))
    find_callers(reinterpret_cast<const void*>(caller), stack.words);
  record.parts = stack.words[0] != 0 ? 1 : 0;
  append(record);
  if (record.parts != 0) append(stack);
}

void Call::passed(Passed what, const void* object) const {
  made(Kind::passed, object, {static_cast<std::uint64_t>(what)});
}

bool within_call() { return depth != 0; }

using FindVersion = void* (*)(void*, const char*, const char*);

FindVersion real_dlvsym() {
  static std::atomic<FindVersion> real;
  FindVersion found = real.load(std::memory_order_relaxed);
  if (!found) real.store(found = reinterpret_cast<FindVersion>(dlsym(RTLD_NEXT, "dlvsym")));
  return found;
}

void* find_real(const char* name, const char* version) {
  const int kept = errno;
  const auto find = [=](void* where) {
    void* found = version ? real_dlvsym()(where, name, version) : nullptr;
    return found ? found : dlsym(where, name);
  };
  void* found = find(RTLD_NEXT);
  if (!found) {
    // Loaded by dlopen, for a plugin: then it is not among the libraries that come next. It is not
    // let go, so that what was found stays.
    void* library = dlopen("libibverbs.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library) found = find(library);
  }
  errno = kept;
  return found;
}

}  // namespace mrproof::watch
#pragma GCC visibility pop

namespace {

/// Ours, if it is among the functions that this library has in place of libibverbs's.
void* in_its_place(const char* name) {
  Dl_info first{}, own{};
  void* ours = std::strncmp(name, "ibv_", 4) == 0 ? dlsym(RTLD_DEFAULT, name) : nullptr;
  const bool is_ours = ours && dladdr(ours, &first) != 0 &&
                       dladdr(reinterpret_cast<const void*>(&in_its_place), &own) != 0 &&
                       first.dli_fbase == own.dli_fbase;
  return is_ours ? ours : nullptr;
}

}  // namespace

/// Libraries that do without libibverbs where there is none take its functions so.
extern "C" [[gnu::visibility("default")]] void* dlvsym(void* handle, const char* name,
                                                       const char* version) noexcept {
  auto* real = mrproof::watch::real_dlvsym();
  // What it finds depends on who calls it: it has to look like the program's own call.
  if (handle == RTLD_NEXT) return real(handle, name, version);
  void* found = real(handle, name, version);
  if (!found) return nullptr;
  void* ours = in_its_place(name);
  dlerror();  // what we did not find is no error of the program's
  return ours ? ours : found;
}
