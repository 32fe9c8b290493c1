#include "impl/watch/call.hpp"

#include <dlfcn.h>

#include <algorithm>

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

}  // namespace

Call::Call(const void* caller)
    : recorded_(depth++ == 0 && watching()), begun_(recorded_), caller_(caller) {}

Call::~Call() { --depth; }

void Call::made(Kind kind, const void* object, std::initializer_list<std::uint64_t> words) const {
  if (!recorded_) return;
  Record record = record_of(kind, object, object ? 0 : errno, caller_, words);
  record.time = now();
  append(record);
}

void Call::done(Kind kind, const void* object, int result,
                std::initializer_list<std::uint64_t> words) const {
  if (!recorded_) return;
  Record record = record_of(kind, object, result < 0 ? errno : result, caller_, words);
  record.time = begun_.time();
  append(record);
}

void Call::passed(Passed what, const void* object) const {
  made(Kind::passed, object, {static_cast<std::uint64_t>(what)});
}

bool within_call() { return depth != 0; }

void* find_real(const char* name, const char* version) {
  const int kept = errno;
  const auto find = [=](void* where) {
    void* found = version ? dlvsym(where, name, version) : nullptr;
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
