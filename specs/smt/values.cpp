#include "specs/smt/values.hpp"

namespace mrproof::smt {
namespace {

thread_local Orderings* counting = nullptr;

}  // namespace

Orderings::Orderings(std::size_t shifted)
    : shifted_(shifted), before_(std::exchange(counting, this)) {}

Orderings::~Orderings() { counting = before_; }

bool Orderings::shift_this() {
  return counting != nullptr && counting->count_++ == counting->shifted_;
}

}  // namespace mrproof::smt
