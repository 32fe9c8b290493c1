// Conjunctions that differ in the names of their unknowns only are one.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "specs/smt/solver.hpp"

namespace mrproof::smt {

/// A conjunction with its unknowns and bits in an order that does not depend on names.
struct Canonical {
  explicit Canonical(const std::vector<Ref>& of);
  std::vector<Ref> bits;
  std::vector<std::size_t> places;  ///< of each in what it was made of
  std::vector<Ref> unknowns;        ///< what the first, second, ... was before
  std::vector<Ref> numbered;        ///< what it is now
  [[nodiscard]] std::vector<Fingerprint> key() const;
};

/// Answers to canonical conjunctions: values are those of `numbered`. For all threads.
class Answered {
 public:
  using Key = std::vector<Fingerprint>;
  [[nodiscard]] bool find(const Key& key, Reply& reply) const;
  void add(Key key, Reply reply);

 private:
  mutable std::mutex mutex_;
  std::map<Key, Reply> replies_;
};

}  // namespace mrproof::smt
