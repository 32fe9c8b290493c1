#include "specs/smt/values.hpp"

namespace mrproof::specs::smt {
namespace {

thread_local Orderings* counting = nullptr;

}  // namespace

Orderings::Orderings(std::size_t shifted)
    : shifted_(shifted), before_(std::exchange(counting, this)) {}

Orderings::~Orderings() { counting = before_; }

bool Orderings::are_counted() { return counting != nullptr; }

Ref Orderings::make(Op op, Ref a, Ref b) {
  const Ref plain = Store::current().make(op, a, b);
  if (counting == nullptr) return plain;
  counting->made_.push_back(plain);
  if (counting->made_.size() - 1 != counting->shifted_) return plain;
  return Store::current().make(op == Op::less ? Op::less_equal : Op::less, a, b);
}

}  // namespace mrproof::specs::smt
