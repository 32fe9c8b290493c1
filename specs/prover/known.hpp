// What all threads know already: proved facts, and comparisons that cannot hold together.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "specs/smt/store.hpp"

namespace mrproof::specs {

/// What has been proved, so that nothing is proved twice.
class Known {
 public:
  using Print = smt::Fingerprint;
  /// Bits that cannot be so together, whatever the rules: a fact of arithmetic.
  using Lemma = std::vector<std::pair<Print, bool>>;

  /// Whether the fact follows from these assumptions, which are in order.
  [[nodiscard]] bool follows(const Print& fact, const std::vector<Print>& assumptions) const;
  /// The fact follows from the assumptions, which are in order.
  void add_proof(const Print& fact, std::vector<Print> assumptions);

  /// `of`: the comparisons of the lemma.
  void add_lemma(const std::shared_ptr<const Lemma>& lemma, const std::vector<Print>& of);
  /// The lemmas about the comparison.
  [[nodiscard]] std::vector<std::shared_ptr<const Lemma>> lemmas(const Print& of) const;

 private:
  mutable std::mutex mutex_;
  std::map<Print, std::vector<std::vector<Print>>> proofs_;
  std::map<Print, std::vector<std::shared_ptr<const Lemma>>> lemmas_;
};

}  // namespace mrproof::specs
