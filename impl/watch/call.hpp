// A call that the watched program makes, and the function that it meant.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <initializer_list>

#include "impl/watch/record.hpp"
#include "impl/watch/writer.hpp"

#pragma GCC visibility push(hidden)
namespace mrproof::watch {

/// A pointer as a word of a record.
inline std::uint64_t word(const void* pointer) {
  return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(pointer));
}

/// One call, from its construction to its end. What is called meanwhile, by the library that
/// carries it out, is not the program's and is not recorded.
class Call {
 public:
  /// `caller`: where the program made it.
  explicit Call(const void* caller);
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  /// The call made the object, or failed with errno if there is none.
  void made(Kind kind, const void* object, std::initializer_list<std::uint64_t> words) const;
  /// The call on the object returned the result: 0, an errno, or -1 if that is in errno.
  void done(Kind kind, const void* object, int result,
            std::initializer_list<std::uint64_t> words = {}) const;
  /// The call has changed the object, or has not, by its result.
  void changed(Kind kind, const void* object, int result,
               std::initializer_list<std::uint64_t> words) const;
  /// The call is counted and not looked at.
  void passed(Passed what, const void* object) const;

 private:
  bool recorded_;  ///< the program made it, and there is a folder
  Moment begun_;
  const void* caller_;
};

/// What ibv_create_qp() or ibv_create_qp_ex() has made, by its attributes as they are now.
void made_qp(const Call& call, const ibv_qp* qp, const ibv_pd* pd, const auto& attributes) {
  const auto both = [](std::uint64_t low, std::uint64_t high) { return low | high << 32; };
  const auto& most = attributes.cap;
  call.made(Kind::create_qp, qp,
            {word(pd), qp ? qp->qp_num : 0U,
             both(attributes.qp_type | (attributes.sq_sig_all ? 1U << 8 : 0U), most.max_recv_sge),
             word(attributes.send_cq), word(attributes.recv_cq),
             both(most.max_inline_data, most.max_send_sge), word(attributes.srq),
             both(most.max_send_wr, most.max_recv_wr)});
}

/// Adds the record, with whence its caller was called where that can be told.
void append_with_stack(Record record);

/// Whether this thread is within a Call.
bool within_call();

/// The function of that name that the program would have called without this library; null if
/// there is none. `version`: of the symbol, or null for the only one there is.
void* find_real(const char* name, const char* version);

/// A function of libibverbs, found when it is first called.
template <typename F>
class Real {
 public:
  explicit constexpr Real(const char* name, const char* version = nullptr)
      : name_(name), version_(version) {}

  /// Null, with errno ENOSYS, if there is none.
  F* get() {
    void* found = found_.load(std::memory_order_acquire);
    if (!found) {
      found = find_real(name_, version_);
      if (!found) errno = ENOSYS;
      found_.store(found, std::memory_order_release);
    }
    return reinterpret_cast<F*>(found);
  }

 private:
  const char* name_;
  const char* version_;
  std::atomic<void*> found_{};
};

}  // namespace mrproof::watch
#pragma GCC visibility pop
