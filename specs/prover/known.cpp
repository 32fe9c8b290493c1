#include "specs/prover/known.hpp"

#include <algorithm>

namespace mrproof::specs {

bool Known::follows(const Print& fact, const std::vector<Print>& assumptions) const {
  const std::scoped_lock lock(mutex_);
  const auto found = proofs_.find(fact);
  if (found == proofs_.end()) return false;
  return std::any_of(found->second.begin(), found->second.end(), [&](const auto& needed) {
    return std::includes(assumptions.begin(), assumptions.end(), needed.begin(), needed.end());
  });
}

void Known::add_proof(const Print& fact, std::vector<Print> assumptions) {
  const std::scoped_lock lock(mutex_);
  proofs_[fact].push_back(std::move(assumptions));
}

void Known::add_lemma(const std::shared_ptr<const Lemma>& lemma, const std::vector<Print>& of) {
  const std::scoped_lock lock(mutex_);
  for (const Print& comparison : of) lemmas_[comparison].push_back(lemma);
}

std::vector<std::shared_ptr<const Known::Lemma>> Known::lemmas(const Print& of) const {
  const std::scoped_lock lock(mutex_);
  const auto found = lemmas_.find(of);
  return found == lemmas_.end() ? decltype(found->second){} : found->second;
}

}  // namespace mrproof::specs
